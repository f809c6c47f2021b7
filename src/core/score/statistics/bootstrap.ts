import { quantile } from './quantile.ts';
import { Random } from './random.ts';

/** Items that came together, e.g. those of one database. */
export interface Cluster {
  /** Sum of the differences of its items, second minus first; each is -1, 0 or 1 for right and wrong. */
  difference: number;
  items: number;
}

/** An interval of 95 %. */
export interface Interval {
  low: number;
  high: number;
}

/** How many resamples are drawn, and with which seed. */
export interface Resampling {
  resamples: number;
  seed: number;
}

/** 10,000 resamples: the ends of the interval vary by about 1 % of its length from seed to seed. */
export const RESAMPLING: Resampling = { resamples: 10_000, seed: 20_261_129 };

/**
 * The interval of the difference of two shares on the same items, where items of a cluster are alike: whole clusters
 * are drawn with replacement, as many as there are, and the difference of each draw is its sum over its items (the
 * pairs cluster bootstrap; A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, 3.8). The
 * interval lies between the 2.5 % and 97.5 % quantiles of the draws (percentile method, linear interpolation).
 * @returns null where there are fewer than two clusters: how clusters vary cannot be told from one
 */
export function clusteredBootstrap(
  clusters: readonly Cluster[],
  { resamples, seed }: Resampling = RESAMPLING,
): Interval | null {
  const filled = clusters.filter(({ items }) => items > 0);
  if (filled.length < 2) return null;
  const differences = Float64Array.from(filled, ({ difference }) => difference);
  const items = Float64Array.from(filled, (cluster) => cluster.items);
  const random = new Random(seed);
  const draws = new Float64Array(resamples);
  for (let draw = 0; draw < resamples; draw++) draws[draw] = drawOne(differences, items, random);
  draws.sort();
  return { low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}

function drawOne(differences: Float64Array, items: Float64Array, random: Random): number {
  let difference = 0;
  let of = 0;
  for (let i = 0; i < items.length; i++) {
    const cluster = random.below(items.length);
    difference += differences[cluster] ?? 0;
    of += items[cluster] ?? 0;
  }
  return difference / of;
}
