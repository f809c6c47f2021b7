import type { Change } from './change.ts';
import type { Feature } from './features.ts';

/**
 * Tells whether edits bring the prediction's bag of features nearer to the gold's. It compares bags, so that it knows what
 * is missing and what is too much, not where it belongs: it puts edits in an order, no more.
 */
export class Guide {
  /** How often the gold has a feature more than the prediction; negative where less. */
  readonly #balance = new Map<Feature, number>();

  constructor(gold: readonly Feature[], pred: readonly Feature[]) {
    for (const feature of gold) this.#add(this.#balance, feature, 1);
    if (gold.length > 0) for (const feature of pred) this.#add(this.#balance, feature, -1);
  }

  /** By how many features the bags differ. */
  get distance(): number {
    let sum = 0;
    for (const count of this.#balance.values()) sum += Math.abs(count);
    return sum;
  }

  /** By how many features less they differ after changes; negative where by more. 0 for a gold that is not known. */
  gain(changes: readonly Change[]): number {
    if (this.#balance.size === 0) return 0;
    const delta = new Map<Feature, number>();
    for (const { drops, gains } of changes) {
      for (const feature of drops) this.#add(delta, feature, 1);
      for (const feature of gains) this.#add(delta, feature, -1);
    }
    let gain = 0;
    for (const [feature, by] of delta) {
      const now = this.#balance.get(feature) ?? 0;
      gain += Math.abs(now) - Math.abs(now + by);
    }
    return gain;
  }

  #add(counts: Map<Feature, number>, feature: Feature, by: number): void {
    counts.set(feature, (counts.get(feature) ?? 0) + by);
  }
}
