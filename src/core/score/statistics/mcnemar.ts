/**
 * The exact test of McNemar for two runs on the same items: the two-sided p value of the binomial test that an item
 * which one run alone answers right is as often the one's as the other's (Q. McNemar, Psychometrika 12, 1947; exact form
 * as in statsmodels' `mcnemar(exact=True)`): twice the probability of at most the smaller number in `gained + lost` fair
 * tosses, at most 1.
 * @param gained items that the second run alone has right
 * @param lost items that the first run alone has right
 */
export function exactMcNemar(gained: number, lost: number): number {
  const tosses = gained + lost;
  const fewer = Math.min(gained, lost);
  if (gained === lost) return 1;
  // The sum of the terms from the largest down, as multiples of it.
  let sum = 0;
  let multiple = 1;
  for (let k = fewer; k >= 0 && multiple > Number.EPSILON * 1e-3 * sum; k--) {
    sum += multiple;
    multiple *= k / (tosses - k + 1);
  }
  return Math.min(1, 2 * sum * tossesWith(fewer, tosses));
}

/**
 * C(tosses, heads) / 2^tosses. The halvings, which are exact, are done as the product grows, so that it neither
 * overflows nor loses digits as a sum of logarithms would.
 */
function tossesWith(heads: number, tosses: number): number {
  let product = 1;
  let halvings = tosses;
  for (let i = 1; i <= heads; i++) {
    product *= (tosses - heads + i) / i;
    for (; product > 1 && halvings > 0; halvings--) product /= 2;
  }
  return product * 2 ** -halvings;
}
