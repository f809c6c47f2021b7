/** Count of tensors by the type that they are stored as, the most frequent first. */
export function countTypes(types: Iterable<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}
