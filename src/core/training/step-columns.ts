import type { StepEvent } from '../../protocol/training.ts';
import { SERIES, type SeriesName } from '../../protocol/training-view.ts';

/** What is kept of each step, besides what is drawn. */
const OTHERS = ['step', 'epoch', 'tokens', 'plain_tokens', 'loss_tokens', 'ms'] as const;
const NAMES = [...SERIES, ...OTHERS] as const;
export type ColumnName = SeriesName | (typeof OTHERS)[number];

const FIRST_CAPACITY = 1024;

/** The steps of a run as columns of numbers, in order: 96 bytes a step. */
export class StepColumns {
  #columns = allocate(FIRST_CAPACITY);
  #length = 0;

  /** Steps held. */
  get length(): number {
    return this.#length;
  }

  push(event: StepEvent): void {
    if (this.#length === this.#columns.step.length) this.#grow();
    for (const name of NAMES) this.#columns[name][this.#length] = event[name] ?? Number.NaN;
    this.#length += 1;
  }

  /** Forgets the steps after `step`. @returns whether there were any */
  cutAfter(step: number): boolean {
    const length = this.indexAfter(step);
    const isCut = length < this.#length;
    this.#length = length;
    return isCut;
  }

  /** The values of a column; NaN where there is none. Valid until the next change. */
  column(name: ColumnName): Float64Array {
    return this.#columns[name].subarray(0, this.#length);
  }

  /** A value of the last step; null where there is none. */
  last(name: ColumnName): number | null {
    const value = this.#length === 0 ? Number.NaN : this.#columns[name][this.#length - 1];
    return value === undefined || Number.isNaN(value) ? null : value;
  }

  /** Sum of a column. */
  sum(name: ColumnName): number {
    return this.column(name).reduce((total, value) => total + value, 0);
  }

  /** Index of the first step after `step`; the length where there is none. */
  indexAfter(step: number): number {
    const steps = this.#columns.step;
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((steps[middle] ?? 0) <= step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const larger = allocate(this.#length * 2);
    for (const name of NAMES) larger[name].set(this.#columns[name]);
    this.#columns = larger;
  }
}

function allocate(capacity: number): Record<ColumnName, Float64Array> {
  const columns = NAMES.map((name): [ColumnName, Float64Array] => [name, new Float64Array(capacity)]);
  return Object.fromEntries(columns) as Record<ColumnName, Float64Array>;
}
