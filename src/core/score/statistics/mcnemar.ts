/**
 * The exact test of McNemar for two runs on the same items: the two-sided p value of the binomial test that an item
 * which one run alone answers right is as often the one's as the other's (Q. McNemar, Psychometrika 12, 1947; exact form
 * as in statsmodels' `mcnemar(exact=True)`): twice the probability of at most the smaller number in `gained + lost` fair
 * tosses, at most 1. In logarithms, so that thousands neither overflow nor vanish.
 * @param gained items that the second run alone has right
 * @param lost items that the first run alone has right
 */
export function exactMcNemar(gained: number, lost: number): number {
  const tosses = gained + lost;
  const fewer = Math.min(gained, lost);
  if (gained === lost) return 1;
  // The largest term, C(tosses, fewer) / 2^tosses, then the sum of the smaller ones as multiples of it.
  let logLargest = -tosses * Math.LN2;
  for (let i = 1; i <= fewer; i++) logLargest += Math.log((tosses - fewer + i) / i);
  let sum = 0;
  let multiple = 1;
  for (let k = fewer; k >= 0 && multiple > Number.EPSILON * 1e-3 * sum; k--) {
    sum += multiple;
    multiple *= k / (tosses - k + 1);
  }
  return Math.min(1, Math.exp(Math.LN2 + logLargest + Math.log(sum)));
}
