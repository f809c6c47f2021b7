import type { Memory } from './memory.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { MemoryPool } from './pool.ts';

/**
 * Memory of one pass over a pack. Where passes are planned, the n-th piece that a pass takes lies where the plan says. A pass
 * that takes or gives otherwise than planned gets the rest of its memory from the pool, as every pass does without a plan.
 */
export class PassMemory implements Memory {
  readonly #pool: MemoryPool;
  #base = 0;
  #bytes = 0;
  #plan: MemoryPlan | null = null;
  #next = 0;
  /** Pieces taken and given back in this pass. */
  #moment = 0;

  constructor(pool: MemoryPool) {
    this.#pool = pool;
  }

  /**
   * Takes one allocation for passes of any of these plans.
   * @throws AppError `gpu_memory`
   */
  adopt(plans: readonly MemoryPlan[]): void {
    if (this.#bytes > 0) this.#pool.drop(this.#base, this.#bytes);
    this.#bytes = 0;
    const bytes = plans.reduce((most, plan) => Math.max(most, plan.bytes), 0);
    this.#base = this.#pool.hold(bytes);
    this.#bytes = bytes;
  }

  /** A pass begins; what was taken in one before is gone. @param plan one of those adopted, or null */
  begin(plan: MemoryPlan | null): void {
    this.#plan = plan;
    this.#next = 0;
    this.#moment = 0;
  }

  end(): void {
    this.#plan = null;
  }

  take(bytes: number): number {
    const place = this.#plan?.pieces[this.#next++];
    const isPlanned = place !== undefined && place.from === this.#moment && bytes <= place.bytes;
    this.#moment++;
    if (isPlanned) return this.#base + place.offset;
    // From here on nothing says which places are free.
    this.#plan = null;
    return this.#pool.take(bytes);
  }

  give(pointer: number, bytes: number): void {
    this.#moment++;
    if (pointer >= this.#base && pointer < this.#base + this.#bytes) return;
    this.#pool.give(pointer, bytes);
  }
}
