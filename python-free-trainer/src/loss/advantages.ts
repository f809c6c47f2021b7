/**
 * What a reward is divided by after its group's mean was taken off: nothing (Dr. GRPO, arXiv 2503.20783), the standard
 * deviation of its group (GRPO, arXiv 2402.03300), or that of the whole batch (arXiv 2508.08221).
 */
export type AdvantageScale = 'none' | 'group' | 'batch';

/** Added to the deviation, as TRL does, so that a group of nearly equal rewards does not explode. */
const DEVIATION_FLOOR = 1e-4;

export interface Advantages {
  /** (reward - mean of its group) / scale, in the order of the rewards. */
  values: Float64Array;
  /** Share of the groups whose rewards are all the same: they teach nothing. */
  flatGroups: number;
}

/**
 * Advantages of samples whose groups (the samples of one prompt) stand one after another.
 *
 * @param rewards of all samples, a multiple of `groupSize`
 */
export function advantages(rewards: Float64Array, groupSize: number, scale: AdvantageScale): Advantages {
  const values = new Float64Array(rewards.length);
  const batchDeviation = deviation(rewards);
  const groups = rewards.length / groupSize;
  let flat = 0;
  for (let group = 0; group < groups; group++) {
    const of = rewards.subarray(group * groupSize, (group + 1) * groupSize);
    const spread = deviation(of);
    if (of.every((reward) => reward === of[0])) flat++;
    const divisor = scale === 'none' ? 1 : (scale === 'group' ? spread : batchDeviation) + DEVIATION_FLOOR;
    const centre = mean(of);
    for (const [index, reward] of of.entries()) values[group * groupSize + index] = (reward - centre) / divisor;
  }
  return { values, flatGroups: groups === 0 ? 0 : flat / groups };
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Standard deviation of a sample (divided by n - 1); 0 of fewer than two. */
function deviation(values: Float64Array): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - centre) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}
