import type { GemmOptions, Matrix } from './matrix.ts';
import type { Threads } from './threads.ts';

/** Rows or columns of c in one unit of work: a multiple of every tile's side. */
const UNIT = 16;
/** Most rows or columns of a part, where there are not very many: with fewer, packing the other operand weighs more. */
const PART = 256;
/** Multiplications that are worth waking another thread for. */
const WORTH_A_THREAD = 1_000_000;

/**
 * c (+)= alpha · op(a) op(b). A row of c depends only on its own row of op(a), whatever the number of rows or threads.
 * Computed in the precision of c.
 * @throws RangeError where shapes do not fit or a matrix leaves its array
 */
export function gemm(threads: Threads, c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}): void {
  const inner = options.transposeA ? a.rows : a.cols;
  check(c, a, b, options);
  if (c.rows === 0 || c.cols === 0) return;
  const along = c.rows > c.cols ? 'rows' : 'cols';
  const units = Math.ceil(Math.max(c.rows, c.cols) / UNIT);
  const share = units / threads.count;
  const balanced = Math.ceil(share / Math.ceil((share * UNIT) / PART));
  const worthwhile = Math.ceil(WORTH_A_THREAD / (Math.min(c.rows, c.cols) * UNIT * Math.max(1, inner)));
  threads.run('gemm', units, { c, a, b, options, along, unit: UNIT }, Math.max(balanced, worthwhile));
}

function check(c: Matrix, a: Matrix, b: Matrix, { transposeA, transposeB }: GemmOptions): void {
  const [rows, inner] = transposeA ? [a.cols, a.rows] : [a.rows, a.cols];
  const [innerOfB, cols] = transposeB ? [b.cols, b.rows] : [b.rows, b.cols];
  if (rows !== c.rows || cols !== c.cols || inner !== innerOfB)
    throw new RangeError(
      `gemm: [${c.rows}, ${c.cols}] is not the shape of [${rows}, ${inner}] times [${innerOfB}, ${cols}]`,
    );
  for (const matrix of [c, a, b]) inside(matrix);
}

function inside({ data, rows, cols, offset = 0, stride = cols }: Matrix): void {
  const end = rows === 0 || cols === 0 ? 0 : offset + (rows - 1) * stride + cols;
  if (offset < 0 || stride < cols || end > data.length)
    throw new RangeError(`gemm: [${rows}, ${cols}] at ${offset}, stride ${stride}, leaves an array of ${data.length}`);
}
