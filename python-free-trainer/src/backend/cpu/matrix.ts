export type Floats = Float32Array | Float64Array;

/** A row-major matrix in a typed array, or a part of one. Offset and stride in elements. */
export interface Matrix {
  readonly data: Floats;
  readonly rows: number;
  readonly cols: number;
  /** First element; default 0. */
  readonly offset?: number;
  /** Elements from one row to the next; default `cols`. */
  readonly stride?: number;
}

export interface GemmOptions {
  /** op(a) = aᵀ: `a` is [K, M]. */
  transposeA?: boolean;
  /** op(b) = bᵀ: `b` is [N, K]. */
  transposeB?: boolean;
  /** Default 1. */
  alpha?: number;
  /** Add to `c` and not overwrite it. */
  accumulate?: boolean;
}

/** A matrix or its transpose, by strides: element (i, j) is `data[offset + i * rowStride + j * colStride]`. */
export interface Strided {
  readonly data: Floats;
  readonly rows: number;
  readonly cols: number;
  readonly offset: number;
  readonly rowStride: number;
  readonly colStride: number;
}

export function strided(matrix: Matrix, transpose = false): Strided {
  const { data, rows, cols, offset = 0, stride = cols } = matrix;
  if (transpose) return { data, rows: cols, cols: rows, offset, rowStride: 1, colStride: stride };
  return { data, rows, cols, offset, rowStride: stride, colStride: 1 };
}

/** The part of a matrix from (row, col) on. */
export function part(matrix: Matrix, row: number, rows: number, col: number, cols: number): Matrix {
  const { data, offset = 0, stride = matrix.cols } = matrix;
  return { data, rows, cols, offset: offset + row * stride + col, stride };
}

/** c (+)= alpha · op(a) op(b) on the calling thread. */
export interface Multiplier {
  multiply(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions): void;
}
