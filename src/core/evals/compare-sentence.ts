import type { Comparison } from '../../protocol/compare.ts';
import { countOf } from '../signals/describe.ts';
import { pEquation, percents, points } from './report/format.ts';

type Found = Pick<Comparison, 'difference' | 'p'> & { compared: number; gained: number; lost: number };

/** The usual level: a difference is told where chance alone would give one as large less than once in twenty times. */
const LEVEL = 0.05;

/**
 * The result of a comparison in plain words. A difference is told only where both the exact test over the items and the
 * interval over the databases tell it; where they disagree, the sentence says which and why.
 */
export function sentenceOf(found: Found): string {
  const { difference, p, compared, gained, lost } = found;
  if (gained + lost === 0)
    return `No difference: A and B are right on the same items (${countOf(compared, 'item')} compared).`;
  const told = p < LEVEL;
  const { low, high } = difference;
  const figures = `${moved(found)}; B gains ${gained} and loses ${lost}`;
  if (low === null || high === null)
    return told
      ? `${leader(found)}: ${figures}. All items are of one database, so nothing is said about others.`
      : `No difference can be told: ${figures}.`;
  const apart = low > 0 || high < 0;
  if (told && apart) return `${leader(found)}: ${figures}.`;
  if (!told && !apart) return `No difference can be told: ${figures}.`;
  return told
    ? `No difference can be relied on: ${figures}. On these items it is more than chance, but it comes from some databases and may be gone on others.`
    : `No difference can be relied on: ${figures}. It is alike in all databases, but rests on too few items.`;
}

function leader({ difference }: Found): string {
  return difference.value > 0 ? 'B is better' : 'A is better';
}

/** "B is right on 3.1 points more of the 521 items (95 % interval +0.4 to +5.8, p = 0.02)" */
function moved({ difference, p, compared }: Found): string {
  const { value, low, high } = difference;
  const size = percents(Math.abs(value));
  const way = value > 0 ? 'more' : 'fewer';
  const amount = value === 0 ? 'as many' : `${size} points ${way}`;
  const range = low === null || high === null ? '' : `95 % interval ${points(low)} to ${points(high)}, `;
  return `B is right on ${amount} of ${countOf(compared, 'item')} (${range}${pEquation(p)})`;
}
