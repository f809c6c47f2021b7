function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The id of the run that a menu of the Runs view or a caller means; null where the palette ran the command. */
export function runIdOf(argument: unknown): string | null {
  if (typeof argument === 'string' && argument !== '') return argument;
  if (!isObject(argument) || !isObject(argument['run'])) return null;
  const id = argument['run']['id'];
  return typeof id === 'string' ? id : null;
}
