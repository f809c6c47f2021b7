import type { Share } from '../../../protocol/score.ts';

/** The 97.5 % quantile of the standard normal distribution: two-sided intervals of 95 %. */
const Z = 1.959963984540054;

/**
 * A share with Wilson's score interval of 95 %, without continuity correction (E. B. Wilson, Probable inference, the law
 * of succession, and statistical inference, JASA 22, 1927). Of nothing, nothing is known: 0 to 1.
 * @param right how many, from 0 to `of`
 */
export function wilson(right: number, of: number): Share {
  if (of === 0) return { right, of, low: 0, high: 1 };
  const share = right / of;
  const square = Z * Z;
  const scale = 1 + square / of;
  const centre = (share + square / (2 * of)) / scale;
  const half = (Z * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))) / scale;
  // At the ends the formula gives 0 and 1 but for rounding.
  return {
    right,
    of,
    low: right === 0 ? 0 : Math.max(0, centre - half),
    high: right === of ? 1 : Math.min(1, centre + half),
  };
}
