import { type GemmOptions, type Matrix, type Multiplier, type Strided, strided } from './matrix.ts';

/** Rows and columns of a tile whose sums stay in registers, and of a block whose operands stay in the cache. */
const TILE = 4;
const BLOCK = 64;

/**
 * Matrix product in plain JavaScript, sums in double precision over the whole inner dimension in order. It runs anywhere and
 * is what the vector form is compared with.
 */
export class TypedMultiplier implements Multiplier {
  #left = new Float64Array(0);
  #right = new Float64Array(0);
  readonly #tile = new Float64Array(TILE * TILE);

  multiply(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions): void {
    const left = strided(a, options.transposeA);
    const right = strided(b, options.transposeB);
    const inner = left.cols;
    if (this.#left.length < BLOCK * inner) {
      this.#left = new Float64Array(BLOCK * inner);
      this.#right = new Float64Array(BLOCK * inner);
    }
    for (let col = 0; col < c.cols; col += BLOCK) {
      packCols(this.#right, right, col, Math.min(BLOCK, c.cols - col));
      for (let row = 0; row < c.rows; row += BLOCK) {
        packRows(this.#left, left, row, Math.min(BLOCK, c.rows - row));
        this.#block(c, row, col, inner, options);
      }
    }
  }

  #block(c: Matrix, row: number, col: number, inner: number, options: GemmOptions): void {
    const rows = Math.min(BLOCK, c.rows - row);
    const cols = Math.min(BLOCK, c.cols - col);
    for (let i = 0; i < rows; i += TILE)
      for (let j = 0; j < cols; j += TILE) {
        tileSums(this.#tile, this.#left, i * inner, this.#right, j * inner, inner);
        store(c, row + i, col + j, this.#tile, options);
      }
  }
}

/** Panels of TILE rows, each as [inner][TILE], zeros below the last row. */
function packRows(panel: Float64Array, from: Strided, first: number, count: number): void {
  const { data, cols: inner, rowStride, colStride } = from;
  for (let i = 0; i < count + TILE - 1 - ((count + TILE - 1) % TILE); i++) {
    let to = (i - (i % TILE)) * inner + (i % TILE);
    let at = from.offset + (first + i) * rowStride;
    for (let k = 0; k < inner; k++, to += TILE, at += colStride) panel[to] = i < count ? (data[at] as number) : 0;
  }
}

/** Panels of TILE columns, each as [inner][TILE]. */
function packCols(panel: Float64Array, from: Strided, first: number, count: number): void {
  const { data, rows, cols, offset, rowStride, colStride } = from;
  packRows(panel, { data, rows: cols, cols: rows, offset, rowStride: colStride, colStride: rowStride }, first, count);
}

function tileSums(sums: Float64Array, left: Float64Array, l: number, right: Float64Array, r: number, inner: number) {
  let s00 = 0,
    s01 = 0,
    s02 = 0,
    s03 = 0;
  let s10 = 0,
    s11 = 0,
    s12 = 0,
    s13 = 0;
  let s20 = 0,
    s21 = 0,
    s22 = 0,
    s23 = 0;
  let s30 = 0,
    s31 = 0,
    s32 = 0,
    s33 = 0;
  for (let end = l + inner * TILE; l < end; l += TILE, r += TILE) {
    const b0 = right[r] as number;
    const b1 = right[r + 1] as number;
    const b2 = right[r + 2] as number;
    const b3 = right[r + 3] as number;
    const a0 = left[l] as number;
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    s03 += a0 * b3;
    const a1 = left[l + 1] as number;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    s13 += a1 * b3;
    const a2 = left[l + 2] as number;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    s23 += a2 * b3;
    const a3 = left[l + 3] as number;
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
    s33 += a3 * b3;
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[2] = s02;
  sums[3] = s03;
  sums[4] = s10;
  sums[5] = s11;
  sums[6] = s12;
  sums[7] = s13;
  sums[8] = s20;
  sums[9] = s21;
  sums[10] = s22;
  sums[11] = s23;
  sums[12] = s30;
  sums[13] = s31;
  sums[14] = s32;
  sums[15] = s33;
}

function store(c: Matrix, row: number, col: number, sums: Float64Array, { alpha = 1, accumulate }: GemmOptions): void {
  const { data, offset = 0, stride = c.cols } = c;
  const rows = Math.min(TILE, c.rows - row);
  const cols = Math.min(TILE, c.cols - col);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < cols; j++) {
      const at = offset + (row + i) * stride + col + j;
      const value = alpha * (sums[i * TILE + j] as number);
      data[at] = accumulate ? (data[at] as number) + value : value;
    }
}
