import {
  type Buckets,
  SERIES,
  type SeriesName,
  type StepRange,
  type TrainingDown,
} from '../../src/protocol/training-view.ts';

type BucketsMessage = Extract<TrainingDown, { type: 'buckets' }>;

/** The curves of a run as the view has them. */
export interface Curves {
  range: StepRange;
  /** Steps of a bucket. */
  width: number;
  buckets: Buckets;
}

function joined(old: Float64Array | undefined, keep: number, now: Float64Array): Float64Array {
  if (old === undefined || keep === 0) return now;
  const whole = new Float64Array(keep + now.length);
  whole.set(old.subarray(0, keep));
  whole.set(now, keep);
  return whole;
}

/** The curves after a message. */
export function withBuckets(before: Curves | null, { range, width, keep, buckets }: BucketsMessage): Curves {
  const old = before?.buckets;
  const values = SERIES.map((name) => {
    const [was, is] = [old?.values[name], buckets.values[name]];
    const part = (which: 'min' | 'max' | 'mean') => joined(was?.[which], keep, is[which]);
    return [name, { min: part('min'), max: part('max'), mean: part('mean') }];
  });
  const steps = joined(old?.steps, keep, buckets.steps);
  return { range, width, buckets: { steps, values: Object.fromEntries(values) as Buckets['values'] } };
}

/**
 * An exponential moving average over steps: after `halfLife` steps a value counts half. Buckets count by the steps between
 * them, so that the curve is the same at any width of them.
 */
export function smoothed(steps: Float64Array, values: Float64Array, halfLife: number): Float64Array {
  const smooth = new Float64Array(values.length);
  let [level, before] = [Number.NaN, Number.NaN];
  for (const [index, value] of values.entries()) {
    const step = steps[index] ?? 0;
    if (!Number.isNaN(value)) {
      level = Number.isNaN(level) ? value : value + (level - value) * 0.5 ** ((step - before) / halfLife);
      before = step;
    }
    smooth[index] = Number.isNaN(value) ? Number.NaN : level;
  }
  return smooth;
}

/** Index of the bucket nearest to a step; -1 where there is none. */
export function nearest(steps: ArrayLike<number>, step: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? 0) < step) low = middle + 1;
    else high = middle;
  }
  if (low === 0 || low === steps.length) return Math.min(low, steps.length - 1);
  return step - (steps[low - 1] ?? 0) <= (steps[low] ?? 0) - step ? low - 1 : low;
}

/** The mean of a series in the bucket nearest to a step; null where there is none. */
export function valueAt({ buckets }: Curves, name: SeriesName, step: number): number | null {
  const value = buckets.values[name].mean[nearest(buckets.steps, step)];
  return value === undefined || Number.isNaN(value) ? null : value;
}
