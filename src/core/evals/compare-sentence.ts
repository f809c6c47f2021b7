import type { Comparison } from '../../protocol/compare.ts';
import { pEquation, percents, points } from '../../protocol/figures.ts';
import { countOf } from '../signals/describe.ts';

type Found = Pick<Comparison, 'difference' | 'p'> & { compared: number; gained: number; lost: number };

/** The usual level: a difference is told where chance alone would give one as large less than once in twenty times. */
const LEVEL = 0.05;

/**
 * The result of a comparison in plain words. A difference is told only where both the exact test over the items and the
 * interval over the databases tell it; where they disagree, the sentence says which and why.
 */
export function sentenceOf(found: Found): string {
  const { difference, p, compared, gained, lost } = found;
  const { low, high } = difference;
  if (gained + lost === 0)
    return `No difference: of ${countOf(compared, 'compared item')} A and B are right on the same ones.`;
  const told = p < LEVEL;
  if (low === null || high === null)
    return told
      ? `${better(found)} All items are of one database, so nothing is said about others.`
      : `No difference can be told: ${apart(found)}`;
  const away = low > 0 || high < 0;
  if (told && away) return better(found);
  if (!told && !away) return `No difference can be told: ${apart(found)}`;
  return told
    ? `No difference can be relied on: ${apart(found)} On these items it is more than chance, but it comes from some of the databases and may be gone on others.`
    : `No difference can be relied on: ${apart(found)} It holds whichever of the databases are drawn, but rests on too few items.`;
}

/** "B is better than A by 3.1 points (95 % interval 0.4 to 5.8, p = 0.02): of 521 items it gains 34 and loses 18." */
function better(found: Found): string {
  const [winner, loser] = found.difference.value > 0 ? ['B', 'A'] : ['A', 'B'];
  return `${winner} is better than ${loser} by ${figures(found)}`;
}

/** "B is 0.6 points above A (…)" */
function apart(found: Found): string {
  if (found.difference.value === 0) return `B is as good as A, ${figures(found)}`;
  return `B is ${figures(found, found.difference.value > 0 ? ' above A' : ' below A')}`;
}

/** The size of the difference and what it comes from; the interval is turned so that it is of the size. */
function figures({ difference, p, compared, gained, lost }: Found, way = ''): string {
  const { value, low, high } = difference;
  const ends = value < 0 ? [high, low].map((end) => (end === null ? null : -end)) : [low, high];
  const [from, to] = ends.map((end) => (end === null || end === undefined ? null : signed(end)));
  const range = from === null || to === null ? '' : `95 % interval ${from} to ${to}, `;
  const size = value < 0 || value > 0 ? `${percents(Math.abs(value))} points${way}` : 'with 0.0 points';
  return `${size} (${range}${pEquation(p)}): of ${countOf(compared, 'item')} B gains ${gained} and loses ${lost}.`;
}

/** Percentage points with a sign where they are below 0. */
function signed(difference: number): string {
  return points(difference).replace('+', '');
}
