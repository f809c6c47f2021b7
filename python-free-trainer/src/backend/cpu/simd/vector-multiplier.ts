import { type Floats, type GemmOptions, type Matrix, type Multiplier, type Strided, strided } from '../matrix.ts';
import { packRows } from './pack.ts';
import { tileKernel, UNROLL } from './tile-kernel.ts';

/** What is used of WebAssembly's interface: node's types leave it out. */
declare const WebAssembly: {
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
  Memory: new (limits: { initial: number }) => { buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { exports: { block: BlockFunction } };
};

type BlockFunction = (
  left: number,
  right: number,
  result: number,
  leftEnd: number,
  rightEnd: number,
  inner: number,
  rowBytes: number,
) => void;

/** A tile: 4 rows by two vectors. Eight sums in flight hide the latency of the multiply-add. */
const ROWS = 4;
const VECTORS = 2;
/** A block of the result and of the inner dimension: the panels of one product and its result stay in a second-level cache. */
const BLOCK_ROWS = 512;
const BLOCK_COLS = 256;
const BLOCK_INNER = 256;
/** Fewer rows than this make a block only at the end. */
const FEWEST_ROWS = 128;
/** Numbers of the left operand that are kept as panels: a block's rows over the whole inner dimension, where it is not too long. */
const LEFT = 2 ** 21;
const PAGE = 65_536;

/**
 * Matrix product with WebAssembly's 16-byte vectors on packed panels in a memory of its own. Sums run in order over blocks of
 * 256 of the inner dimension, and the blocks' sums are added in order, in the precision of the result.
 */
export class VectorMultiplier implements Multiplier {
  readonly #single: Blocks;
  readonly #double: Blocks;

  private constructor(fused: boolean) {
    this.#single = new Blocks(4, fused);
    this.#double = new Blocks(8, fused);
  }

  /**
   * @param fused product and sum in one instruction, where the engine has it
   * @returns null where the engine has no vectors
   */
  static create(fused = true): VectorMultiplier | null {
    if (typeof WebAssembly === 'undefined') return null;
    const valid = (form: boolean) =>
      WebAssembly.validate(tileKernel({ width: 4, rows: ROWS, vectors: VECTORS, fused: form }));
    if (fused && valid(true)) return new VectorMultiplier(true);
    return valid(false) ? new VectorMultiplier(false) : null;
  }

  multiply(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions): void {
    const blocks = c.data instanceof Float32Array ? this.#single : this.#double;
    blocks.multiply(c, strided(a, options.transposeA), strided(b, !options.transposeB), options);
  }
}

/** The blocks of one precision. */
class Blocks {
  readonly #width: 4 | 8;
  readonly #cols: number;
  readonly #block: BlockFunction;
  readonly #left: Floats;
  readonly #right: Floats;
  readonly #result: Floats;

  constructor(width: 4 | 8, fused: boolean) {
    this.#width = width;
    this.#cols = (VECTORS * 16) / width;
    const lengths = [LEFT, BLOCK_COLS * BLOCK_INNER, BLOCK_ROWS * BLOCK_COLS] as const;
    const bytes = (lengths[0] + lengths[1] + lengths[2]) * width;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    const view = (offset: number, length: number) =>
      width === 4 ? new Float32Array(memory.buffer, offset, length) : new Float64Array(memory.buffer, offset, length);
    this.#left = view(0, lengths[0]);
    this.#right = view(lengths[0] * width, lengths[1]);
    this.#result = view((lengths[0] + lengths[1]) * width, lengths[2]);
    const module = new WebAssembly.Module(tileKernel({ width, rows: ROWS, vectors: VECTORS, fused }));
    this.#block = new WebAssembly.Instance(module, { host: { memory } }).exports.block;
  }

  /** @param right op(b) transposed: both operands are panels of their rows */
  multiply(c: Matrix, left: Strided, right: Strided, options: GemmOptions): void {
    const most = Math.floor(LEFT / roundUp(Math.max(1, left.cols), UNROLL) / ROWS) * ROWS;
    const step = Math.min(BLOCK_ROWS, Math.max(FEWEST_ROWS, most));
    for (let row = 0; row < c.rows; row += step) {
      const rows = Math.min(step, c.rows - row);
      const whole = rows <= most;
      if (whole) this.#packLeft(left, row, rows, 0, left.cols);
      for (let col = 0; col < c.cols; col += BLOCK_COLS) {
        const cols = Math.min(BLOCK_COLS, c.cols - col);
        const stride = roundUp(cols, this.#cols);
        this.#result.fill(0, 0, roundUp(rows, ROWS) * stride);
        for (let k = 0; k < left.cols; k += BLOCK_INNER) {
          if (!whole) this.#packLeft(left, row, rows, k, Math.min(left.cols, k + BLOCK_INNER));
          this.#add(whole ? roundUp(rows, ROWS) * k : 0, rows, right, col, cols, k, stride);
        }
        this.#store(c, row, rows, col, cols, stride, options);
      }
    }
  }

  /** Panels of columns [from, to), those of one inner block behind those of the one before. */
  #packLeft(left: Strided, row: number, rows: number, from: number, to: number): void {
    for (let k = from; k < to; k += BLOCK_INNER) {
      const cols = Math.min(BLOCK_INNER, to - k);
      const part = { row, rows, col: k, cols, padded: roundUp(cols, UNROLL) };
      packRows(this.#left, roundUp(rows, ROWS) * (k - from), ROWS, left, part);
    }
  }

  /** Adds the product of the left panels at `at` and one inner block of the right operand to the result. */
  #add(at: number, rows: number, right: Strided, col: number, cols: number, k: number, stride: number): void {
    const inner = Math.min(BLOCK_INNER, right.cols - k);
    const padded = roundUp(inner, UNROLL);
    packRows(this.#right, 0, this.#cols, right, { row: col, rows: cols, col: k, cols: inner, padded });
    const left = this.#left.byteOffset + at * this.#width;
    const leftEnd = left + roundUp(rows, ROWS) * padded * this.#width;
    const rightEnd = this.#right.byteOffset + stride * padded * this.#width;
    const { byteOffset } = this.#right;
    this.#block(left, byteOffset, this.#result.byteOffset, leftEnd, rightEnd, padded, stride * this.#width);
  }

  #store(c: Matrix, row: number, rows: number, col: number, cols: number, from: number, options: GemmOptions): void {
    const { data, offset = 0, stride = c.cols } = c;
    const { alpha = 1, accumulate = false } = options;
    const result = this.#result;
    for (let i = 0; i < rows; i++) {
      const at = offset + (row + i) * stride + col;
      const source = i * from;
      if (accumulate)
        for (let j = 0; j < cols; j++) data[at + j] = (data[at + j] as number) + alpha * (result[source + j] as number);
      else for (let j = 0; j < cols; j++) data[at + j] = alpha * (result[source + j] as number);
    }
  }
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
