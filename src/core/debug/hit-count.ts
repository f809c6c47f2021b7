/** Says for the number of a hit (from 1) whether it counts. */
export type HitTest = (hits: number) => boolean;

/**
 * A condition on the number of hits: `3` (from the third on), `= 3`, `>= 3`, `> 3`, `< 3`, `<= 3`, `% 3` (each third).
 * @returns null where it makes no sense
 */
export function hitTest(text: string): HitTest | null {
  const match = /^\s*(>=|<=|==|=|>|<|%)?\s*(\d+)\s*$/.exec(text);
  const wanted = Number(match?.[2]);
  if (match === null || !Number.isSafeInteger(wanted)) return null;
  switch (match[1] ?? '>=') {
    case '>':
      return (hits) => hits > wanted;
    case '<':
      return (hits) => hits < wanted;
    case '<=':
      return (hits) => hits <= wanted;
    case '=':
    case '==':
      return (hits) => hits === wanted;
    case '%':
      return wanted === 0 ? null : (hits) => hits % wanted === 0;
    default:
      return (hits) => hits >= wanted;
  }
}
