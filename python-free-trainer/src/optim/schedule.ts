import type { TrainingConfig } from '../../../src/protocol/training.ts';

/**
 * Learning rate of one update. It rises in equal parts over the first `warmup` share of the updates, then falls from `lr`
 * to `end` · `lr`, which the last update has: by half a cosine (Loshchilov and Hutter, arXiv 1608.03983), by a straight
 * line, or not at all.
 *
 * @param step number of the update, from 1
 * @param steps updates of the whole run
 */
export function learningRate(step: number, steps: number, lr: number, schedule: TrainingConfig['schedule']): number {
  const rising = Math.ceil(schedule.warmup * steps);
  if (step <= rising) return (lr * step) / rising;
  if (schedule.kind === 'constant') return lr;
  const progress = Math.min(1, (step - rising) / Math.max(1, steps - rising));
  const left = schedule.kind === 'linear' ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return lr * (schedule.end + (1 - schedule.end) * left);
}
