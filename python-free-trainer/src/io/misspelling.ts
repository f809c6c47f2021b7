/**
 * The first key that is not known and differs from an absent known one in one character: a damaged file, or a slip of the
 * pen, that would otherwise be read as if the setting were not there.
 */
export function misspelling(keys: Iterable<string>, known: readonly string[]): { key: string; meant: string } | null {
  const present = new Set(keys);
  const absent = known.filter((name) => !present.has(name));
  for (const key of present) {
    if (known.includes(key)) continue;
    const meant = absent.find((name) => differences(key, name) === 1);
    if (meant !== undefined) return { key, meant };
  }
  return null;
}

function differences(a: string, b: string): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count++;
  return count;
}
