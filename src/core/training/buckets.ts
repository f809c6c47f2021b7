import { type Buckets, SERIES, type StepRange } from '../../protocol/training-view.ts';
import type { StepColumns } from './step-columns.ts';

/** Where the buckets of a range lie: bucket `i` holds the steps from `start + i * width` on. */
export interface BucketPlan {
  start: number;
  width: number;
  /** Rows of the columns that the range holds. */
  firstRow: number;
  endRow: number;
  count: number;
}

/**
 * Lays at most `points` buckets over the steps of a range. Widths are powers of two and starts multiples of them, so that
 * a step that comes later changes the last bucket alone, until all of them double.
 */
export function planBuckets(columns: StepColumns, { from, to }: StepRange, points: number): BucketPlan {
  const firstRow = from === null ? 0 : columns.indexAfter(from - 1);
  const endRow = to === null ? columns.length : columns.indexAfter(to);
  const steps = columns.column('step');
  if (endRow <= firstRow) return { start: 0, width: 1, firstRow, endRow: firstRow, count: 0 };
  const [first, last] = [steps[firstRow] ?? 0, steps[endRow - 1] ?? 0];
  for (let width = 1; ; width *= 2) {
    const start = Math.floor(first / width) * width;
    const count = Math.floor((last - start) / width) + 1;
    if (count <= points) return { start, width, firstRow, endRow, count };
  }
}

/** The buckets of a plan from bucket `from` on, with smallest, largest and mean value of each. */
export function fillBuckets(columns: StepColumns, plan: BucketPlan, from: number): Buckets {
  const { start, width, endRow } = plan;
  const firstRow = Math.max(plan.firstRow, columns.indexAfter(start + from * width - 1));
  const ends = bucketEnds(columns.column('step'), plan, { from, firstRow });
  const steps = new Float64Array(ends.length);
  let row = firstRow;
  for (const [bucket, end] of ends.entries()) {
    steps[bucket] = middle(columns.column('step'), row, end, start + (from + bucket + 0.5) * width);
    row = end;
  }
  const values = SERIES.map((name) => [name, reduce(columns.column(name), ends, firstRow)]);
  return endRow <= firstRow ? emptyBuckets() : { steps, values: Object.fromEntries(values) };
}

/** No buckets. */
function emptyBuckets(): Buckets {
  const none = () => new Float64Array(0);
  const values = SERIES.map((name) => [name, { min: none(), max: none(), mean: none() }]);
  return { steps: none(), values: Object.fromEntries(values) };
}

/** The row behind the last one of each bucket. */
function bucketEnds(
  steps: Float64Array,
  { start, width, count, endRow }: BucketPlan,
  { from, firstRow }: { from: number; firstRow: number },
): number[] {
  const ends: number[] = [];
  let row = firstRow;
  for (let bucket = from; bucket < count; bucket += 1) {
    const limit = start + (bucket + 1) * width;
    while (row < endRow && (steps[row] ?? Number.POSITIVE_INFINITY) < limit) row += 1;
    ends.push(row);
  }
  return ends;
}

function middle(steps: Float64Array, row: number, end: number, empty: number): number {
  return end > row ? ((steps[row] ?? 0) + (steps[end - 1] ?? 0)) / 2 : empty;
}

function reduce(column: Float64Array, ends: readonly number[], firstRow: number) {
  const [min, max, mean] = [0, 1, 2].map(() => new Float64Array(ends.length).fill(Number.NaN)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let row = firstRow;
  for (const [bucket, end] of ends.entries()) {
    let [low, high, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
    for (; row < end; row += 1) {
      const value = column[row] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
      sum += value;
      count += 1;
    }
    if (count === 0) continue;
    min[bucket] = low;
    max[bucket] = high;
    mean[bucket] = sum / count;
  }
  return { min, max, mean };
}
