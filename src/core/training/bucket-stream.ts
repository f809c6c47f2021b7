import type { Buckets, StepRange } from '../../protocol/training-view.ts';
import { type BucketPlan, fillBuckets, planBuckets } from './buckets.ts';
import type { TrainingHistory } from './history.ts';

/** What a view is to do with its buckets. */
export interface BucketChange {
  width: number;
  /** Buckets that stay; those behind them are replaced. */
  keep: number;
  buckets: Buckets;
}

/** Tells a view the curves of a run: all at first, then what has changed since. */
export class BucketStream {
  #range: StepRange;
  #points: number;
  #told: { plan: BucketPlan; cuts: number } | null = null;

  constructor(range: StepRange, points: number) {
    this.#range = range;
    this.#points = points;
  }

  get range(): StepRange {
    return this.#range;
  }

  get points(): number {
    return this.#points;
  }

  /** Shows other steps from here on; all is told anew where they are others. */
  show(range: StepRange, points: number): void {
    if (points === this.#points && range.from === this.#range.from && range.to === this.#range.to) return;
    this.#range = range;
    this.#points = points;
    this.forget();
  }

  /** The view knows nothing any more. */
  forget(): void {
    this.#told = null;
  }

  /** What has changed since the last call; null where nothing has. */
  next({ steps, cuts }: TrainingHistory): BucketChange | null {
    const plan = planBuckets(steps, this.#range, this.#points);
    const told = this.#told;
    this.#told = { plan, cuts };
    const isSame =
      told !== null && told.cuts === cuts && told.plan.width === plan.width && told.plan.start === plan.start;
    if (!isSame) return { width: plan.width, keep: 0, buckets: fillBuckets(steps, plan, 0) };
    if (told.plan.endRow === plan.endRow) return null;
    // The last bucket that was told may have been filled up since.
    const keep = Math.max(0, told.plan.count - 1);
    return { width: plan.width, keep, buckets: fillBuckets(steps, plan, keep) };
  }
}
