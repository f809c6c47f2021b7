function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The folder of the run that a menu of the Runs view or a caller means; null where the palette ran the command. */
export function folderOf(argument: unknown): string | null {
  if (typeof argument === 'string' && argument !== '') return argument;
  if (!isObject(argument) || !isObject(argument['snapshot'])) return null;
  const { folder } = argument['snapshot'];
  return typeof folder === 'string' ? folder : null;
}
