/** Ratios from which a reward applies, the best first. */
const STEPS = [
  { from: 2, reward: 1.25 },
  { from: 1, reward: 1 },
  { from: 0.5, reward: 0.75 },
  { from: 0.25, reward: 0.5 },
] as const;

const LEAST_REWARD = 0.25;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The ratios within three standard deviations (of the population) of their mean. */
function withoutOutliers(ratios: readonly number[]): readonly number[] {
  const center = mean(ratios);
  const deviation = Math.sqrt(mean(ratios.map((ratio) => (ratio - center) ** 2)));
  const kept = ratios.filter((ratio) => Math.abs(ratio - center) < 3 * deviation);
  // Equal ratios deviate by 0: none is an outlier. The published script divides by zero here and gives no reward.
  return kept.length === 0 ? ratios : kept;
}

/**
 * The reward of one pair in BIRD mini-dev's R-VES: 1.25 where the prediction took at most half of the gold's time, then
 * 1, 0.75, 0.5 and 0.25 for ratios from 1, 0.5, 0.25 and 0.
 *
 * Source: `evaluation/evaluation_ves.py` of bird-bench/mini_dev.
 *
 * @param ratios time of the gold divided by time of the prediction, one a run of both; none where the results differ
 * @returns 0 without ratios
 */
export function rVesReward(ratios: readonly number[]): number {
  if (ratios.length === 0) return 0;
  const ratio = mean(withoutOutliers(ratios));
  if (ratio === 0) return 0;
  return STEPS.find(({ from }) => ratio >= from)?.reward ?? LEAST_REWARD;
}

/** R-VES of a set of pairs: the mean of the square roots of their rewards, times 100 (at most 111.8). 0 for no pairs. */
export function rVes(rewards: readonly number[]): number {
  return rewards.length === 0 ? 0 : mean(rewards.map((reward) => Math.sqrt(reward) * 100));
}
