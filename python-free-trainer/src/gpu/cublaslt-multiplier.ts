import { ALGORITHM_BYTES, type CublasLt, HEURISTIC_BYTES } from '../ffi/cublaslt.ts';
import { nativeMemory } from '../ffi/driver.ts';
import type { AlgorithmCache } from './algorithm-cache.ts';
import type { Device } from './device.ts';
import { cudaFailed } from './errors.ts';
import type { Multiplier, Product } from './product.ts';

/** Values of cuBLASLt's and CUDA's enumerations (cublasLt.h, library_types.h). */
const R_32F = 0;
const R_16BF = 14;
const COMPUTE_32F = 68;
const TRANSPOSE_A = 3;
const TRANSPOSE_B = 4;
const MAX_WORKSPACE = 1;
const WORKSPACE_BYTES = 64 * 2 ** 20;
/** Algorithms that are timed for a shape. */
const CANDIDATES = 8;
/** Exact shapes whose descriptions are kept; packs differ in their number of rows. */
const MOST_SHAPES = 4096;

interface Shape {
  description: number;
  a: number;
  b: number;
  c: number;
  /** Address of the algorithm. */
  algorithm: number;
}

/**
 * cuBLASLt, of whose algorithms the fastest of eight is timed once per shape and remembered on disk: its own first choice is up
 * to 15 % slower. Row-major matrices are column-major ones transposed, so that a and b change places.
 */
export class CublasLtMultiplier implements Multiplier {
  readonly name: string;
  readonly workspace = WORKSPACE_BYTES;
  readonly #lt: CublasLt;
  readonly #device: Device;
  readonly #cache: AlgorithmCache;
  readonly #handle: number;
  readonly #preference: number;
  readonly #workspace: number;
  readonly #out = Buffer.alloc(16);
  readonly #scales = nativeMemory(16);
  readonly #shapes = new Map<string, Shape>();
  readonly #algorithms = new Map<string, number>();
  readonly #descriptions = new Map<string, number>();

  constructor(lt: CublasLt, device: Device, cache: AlgorithmCache) {
    this.#lt = lt;
    this.#device = device;
    this.#cache = cache;
    this.name = `cuBLASLt ${Math.floor(lt.version / 10_000)}.${Math.floor(lt.version / 100) % 100}`;
    this.#check('cublasLtCreate', this.#lt.cublasLtCreate(this.#out));
    this.#handle = this.#result();
    this.#check('cublasLtMatmulPreferenceCreate', this.#lt.cublasLtMatmulPreferenceCreate(this.#out));
    this.#preference = this.#result();
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(WORKSPACE_BYTES));
    this.#check(
      'cublasLtMatmulPreferenceSetAttribute',
      this.#lt.cublasLtMatmulPreferenceSetAttribute(this.#preference, MAX_WORKSPACE, bytes, 8),
    );
    this.#workspace = device.allocate(WORKSPACE_BYTES);
  }

  multiply(product: Product): void {
    const shape = this.#shape(product);
    const code = this.#run(shape, product, shape.algorithm);
    if (code !== 0) throw cudaFailed('cublasLtMatmul', code, 'cuBLAS status');
  }

  #run({ description, a, b, c }: Shape, product: Product, algorithm: number): number {
    const { view, address } = this.#scales;
    view.setFloat32(0, product.alpha, true);
    view.setFloat32(4, product.beta, true);
    const target = product.c.pointer;
    const scales = [address, address + 4] as const;
    return this.#lt.cublasLtMatmul(
      this.#handle,
      description,
      scales[0],
      product.b.pointer,
      a,
      product.a.pointer,
      b,
      scales[1],
      target,
      c,
      target,
      c,
      algorithm,
      this.#workspace,
      WORKSPACE_BYTES,
      this.#device.stream,
    );
  }

  #shape(product: Product): Shape {
    const { layout, m, n, k, a, b, c } = product;
    const key = [layout, m, n, k, a.stride, b.stride, c.stride, c.type, product.beta === 0 ? 0 : 1].join();
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    if (this.#shapes.size >= MOST_SHAPES) this.#forget();
    const [inner, outer] = [layout === 'nt', layout !== 'tn'];
    const type = c.type === 'b16' ? R_16BF : R_32F;
    const shape: Shape = {
      description: this.#description(inner, !outer),
      a: this.#layout(R_16BF, inner ? k : n, inner ? n : k, b.stride),
      b: this.#layout(R_16BF, outer ? k : m, outer ? m : k, a.stride),
      c: this.#layout(type, n, m, c.stride),
      algorithm: 0,
    };
    shape.algorithm = this.#algorithm(shape, product);
    this.#shapes.set(key, shape);
    return shape;
  }

  #forget(): void {
    this.#device.wait();
    for (const { a, b, c } of this.#shapes.values())
      for (const layout of [a, b, c]) this.#lt.cublasLtMatrixLayoutDestroy(layout);
    this.#shapes.clear();
  }

  #description(transposeA: boolean, transposeB: boolean): number {
    const key = `${transposeA} ${transposeB}`;
    const known = this.#descriptions.get(key);
    if (known !== undefined) return known;
    this.#check('cublasLtMatmulDescCreate', this.#lt.cublasLtMatmulDescCreate(this.#out, COMPUTE_32F, R_32F));
    const description = this.#result();
    const value = Buffer.alloc(4);
    for (const [attribute, isOn] of [
      [TRANSPOSE_A, transposeA],
      [TRANSPOSE_B, transposeB],
    ] as const) {
      value.writeInt32LE(isOn ? 1 : 0);
      this.#check(
        'cublasLtMatmulDescSetAttribute',
        this.#lt.cublasLtMatmulDescSetAttribute(description, attribute, value, 4),
      );
    }
    this.#descriptions.set(key, description);
    return description;
  }

  #layout(type: number, rows: number, cols: number, stride: number): number {
    this.#check('cublasLtMatrixLayoutCreate', this.#lt.cublasLtMatrixLayoutCreate(this.#out, type, rows, cols, stride));
    return this.#result();
  }

  /** The fastest algorithm of shapes of about this size: rows of a pack count in steps of an eighth, at least of 256. */
  #algorithm(shape: Shape, product: Product): number {
    const { layout, a, b, c } = product;
    const near = (size: number) => {
      const step = Math.max(256, 2 ** (Math.floor(Math.log2(size)) - 3));
      return Math.ceil(size / step) * step;
    };
    const [m, n, k] = [
      layout === 'tn' ? product.m : near(product.m),
      product.n,
      layout === 'tn' ? near(product.k) : product.k,
    ];
    const key = [layout, m, n, k, a.stride, b.stride, c.stride, c.type, product.beta === 0 ? 0 : 1].join();
    const known = this.#algorithms.get(key);
    if (known !== undefined) return known;
    const memory = nativeMemory(ALGORITHM_BYTES);
    const put = (bytes: Buffer) => {
      for (let i = 0; i < ALGORITHM_BYTES; i++) memory.view.setUint8(i, bytes[i] ?? 0);
    };
    const stored = this.#cache.get(key);
    put(stored ?? this.#cache.set(key, this.#fastest(shape, product)));
    // What another driver left may not run here.
    if (stored !== null && this.#run(shape, { ...product, beta: 1, alpha: 0 }, memory.address) !== 0) {
      this.#cache.forget(key);
      put(this.#cache.set(key, this.#fastest(shape, product)));
    }
    this.#algorithms.set(key, memory.address);
    return memory.address;
  }

  /** Times the candidates on a scratch output, so that what `c` holds stays. */
  #fastest(shape: Shape, product: Product): Buffer {
    const results = Buffer.alloc(HEURISTIC_BYTES * CANDIDATES);
    const { description, a, b, c } = shape;
    this.#check(
      'cublasLtMatmulAlgoGetHeuristic',
      this.#lt.cublasLtMatmulAlgoGetHeuristic(
        this.#handle,
        description,
        a,
        b,
        c,
        c,
        this.#preference,
        CANDIDATES,
        results,
        this.#out,
      ),
    );
    const found = this.#out.readInt32LE(0);
    const size = product.m * product.c.stride * (product.c.type === 'b16' ? 2 : 4);
    const scratch = this.#device.allocate(size);
    const trial = { ...product, c: { ...product.c, pointer: scratch } };
    const memory = nativeMemory(ALGORITHM_BYTES);
    const [before, after] = [this.#device.createEvent(), this.#device.createEvent()];
    let best = { time: Number.POSITIVE_INFINITY, bytes: results.subarray(0, ALGORITHM_BYTES) };
    for (let i = 0; i < found; i++) {
      const bytes = results.subarray(i * HEURISTIC_BYTES, i * HEURISTIC_BYTES + ALGORITHM_BYTES);
      for (let k = 0; k < ALGORITHM_BYTES; k++) memory.view.setUint8(k, bytes[k] ?? 0);
      if (this.#run(shape, trial, memory.address) !== 0) continue;
      this.#device.record(before);
      for (let k = 0; k < 3; k++) this.#run(shape, trial, memory.address);
      this.#device.record(after);
      const time = this.#device.elapsed(before, after);
      if (time < best.time) best = { time, bytes };
    }
    this.#device.wait();
    this.#device.free(scratch);
    if (found === 0) throw cudaFailed('cublasLtMatmulAlgoGetHeuristic', 0, 'no algorithm for this shape');
    return Buffer.from(best.bytes);
  }

  #result(): number {
    return Number(this.#out.readBigUInt64LE(0));
  }

  #check(what: string, code: number): void {
    if (code !== 0) throw cudaFailed(what, code, 'cuBLAS status');
  }

  close(): void {
    this.#forget();
    this.#device.free(this.#workspace);
    this.#lt.cublasLtDestroy(this.#handle);
  }
}
