import type { Gpu } from '../../gpu/device.ts';
import type { Multiplier, Operand, Product } from '../../gpu/product.ts';
import type { Projection } from '../backend.ts';
import { type CudaTensor, placeOf, type TensorStore } from './tensors.ts';

const THREADS = 256;

/**
 * Linear layers with adapters as one product. The weight [out, in] stands in a larger matrix: A of all adapters in rows below it,
 * B times the scale in columns beside it, each adapter's B in its own rows. With x Aᵀ behind the rows of x, one product of inner
 * size in + rank gives base and adapters; with dOut B behind the rows of dOut, one of inner size out + rank gives dX.
 */
export class Projections {
  readonly #device: Gpu;
  readonly #products: Multiplier;
  readonly #tensors: TensorStore;
  /** Projections whose adapters stand in their weights as they are now. */
  readonly #folded = new Map<Projection, true>();

  constructor(device: Gpu, products: Multiplier, tensors: TensorStore) {
    this.#device = device;
    this.#products = products;
    this.#tensors = tensors;
  }

  /** Adapters have changed. */
  forget(): void {
    this.#folded.clear();
  }

  /** @param rest of x, multiplied by the base weights alone: an adapter changes little, and its rounding changes less */
  project(
    out: CudaTensor,
    lowRank: CudaTensor | null,
    x: CudaTensor,
    projection: Projection,
    rest: CudaTensor | null,
  ): void {
    const weight = projection.weight as CudaTensor;
    const rank = this.#fold(projection);
    this.#tensors.settled(x);
    if (rank > 0 && lowRank !== null) {
      const padded = paddedRank(rank);
      this.#products.multiply({
        layout: 'nt',
        m: x.rows,
        n: padded,
        k: x.cols,
        a: x,
        b: below(weight),
        c: { ...beside(x), type: 'b16' },
        alpha: 1,
        beta: 0,
      });
      this.#keep(this.#tensors.target(lowRank), x, rank);
    }
    const c = { ...this.#tensors.target(out), type: out.kind === 'exact' ? 'f32' : 'b16' } as const;
    const all = { layout: 'nt', m: x.rows, n: weight.rows, b: weight, c, alpha: 1 } as const;
    this.#products.multiply({ ...all, k: x.cols + (rank === 0 ? 0 : paddedRank(rank)), a: x, beta: 0 });
    if (rest !== null) this.#products.multiply({ ...all, k: x.cols, a: rest, beta: 1 });
    if (projection.bias !== null) this.#addBias(out, projection.bias as CudaTensor);
  }

  #addBias({ kind, pointer, stride, rows, cols }: CudaTensor, bias: CudaTensor): void {
    const [name, step] = kind === 'exact' ? ['add_bias_exact', 1] : ['add_bias', 8];
    const grid = { x: Math.ceil((rows * Math.ceil(cols / step)) / THREADS), threads: THREADS };
    this.#device.launch(name, grid, pointer, stride, bias.pointer, rows, cols);
  }

  /** @param x called once dX is written */
  backward(
    dX: CudaTensor | null,
    dOut: CudaTensor,
    lowRank: CudaTensor | null,
    x: () => CudaTensor,
    projection: Projection,
  ): void {
    const rank = this.#fold(projection);
    this.#tensors.settled(dOut);
    const hasAdapters = rank > 0 && lowRank !== null;
    if (hasAdapters) this.#slopes(dOut, projection.weight as CudaTensor, rank);
    if (dX !== null) this.#inputGradient(dX, dOut, projection.weight as CudaTensor, rank);
    const read = x();
    if (hasAdapters) this.#gradients(dOut, lowRank, read, projection);
  }

  /** dOut s B of all adapters, behind the rows of dOut. */
  #slopes(dOut: CudaTensor, weight: CudaTensor, rank: number): void {
    this.#products.multiply({
      layout: 'nn',
      m: dOut.rows,
      n: paddedRank(rank),
      k: weight.rows,
      a: dOut,
      b: beside(weight),
      c: { ...beside(dOut), type: 'b16' },
      alpha: 1,
      beta: 0,
    });
  }

  /** dX += dOut W + (dOut s B) A. */
  #inputGradient(dX: CudaTensor, dOut: CudaTensor, weight: CudaTensor, rank: number): void {
    const beta = dX.isFresh ? 0 : 1;
    this.#products.multiply({
      layout: 'nn',
      m: dOut.rows,
      n: weight.cols,
      k: weight.rows + (rank === 0 ? 0 : paddedRank(rank)),
      a: dOut,
      b: weight,
      c: { ...this.#tensors.target(dX), type: 'b16' },
      alpha: 1,
      beta,
    });
  }

  /** dA += (dOut s B)ᵀ x, dB += s dOutᵀ (x Aᵀ). */
  #gradients(dOut: CudaTensor, lowRank: CudaTensor, x: CudaTensor, { adapters, scale }: Projection): void {
    const outer = beside(dOut);
    const common = { layout: 'tn', k: x.rows } as const;
    const joined = this.#joined(adapters.map(({ gradA }) => gradA as CudaTensor));
    if (joined !== null)
      this.#products.multiply({ ...common, m: joined.rows, n: x.cols, a: outer, b: x, alpha: 1, ...joined.output });
    let at = 0;
    for (const { from, gradA, gradB } of adapters) {
      const [a, b] = [gradA as CudaTensor, gradB as CudaTensor];
      const r = a.rows;
      const slopes = { pointer: outer.pointer + at * 2, stride: outer.stride };
      const outputs = { pointer: dOut.pointer + from * 2, stride: dOut.stride };
      const lows = { pointer: lowRank.pointer + at * 2, stride: lowRank.stride };
      if (joined === null)
        this.#products.multiply({ ...common, m: r, n: x.cols, a: slopes, b: x, alpha: 1, ...this.#addedTo(a) });
      this.#products.multiply({ ...common, m: b.rows, n: r, a: outputs, b: lows, alpha: scale, ...this.#addedTo(b) });
      at += placeOf(r);
    }
  }

  /** Several gradients of A as the output of one product, so that the input is read once; null where they lie apart. */
  #joined(gradients: readonly CudaTensor[]): { rows: number; output: Pick<Product, 'c' | 'beta'> } | null {
    const [first] = gradients;
    if (first === undefined || gradients.length < 2) return null;
    let [rows, end] = [0, first.pointer];
    for (const gradient of gradients) {
      const isNext = gradient.pointer === end && gradient.isFresh === first.isFresh;
      if (!isNext || placeOf(gradient.rows) !== gradient.rows) return null;
      rows += gradient.rows;
      end += gradient.rows * gradient.stride * 4;
    }
    const output = this.#addedTo(first);
    for (const gradient of gradients) this.#tensors.target(gradient);
    return { rows, output };
  }

  /** A gradient as the output of a product: what is there counts, unless it is fresh. */
  #addedTo(gradient: CudaTensor): Pick<Product, 'c' | 'beta'> {
    const beta = gradient.isFresh ? 0 : 1;
    const { pointer, stride } = this.#tensors.target(gradient);
    return { c: { pointer, stride, type: 'f32' }, beta };
  }

  /** Keeps the low-rank part of a row's end, which other products overwrite. */
  #keep(to: CudaTensor, x: CudaTensor, rank: number): void {
    const grid = { x: Math.ceil((x.rows * rank) / THREADS), threads: THREADS };
    const from = beside(x);
    this.#device.launch('copy_columns', grid, to.pointer, to.stride, from.pointer, from.stride, x.rows, rank);
  }

  /** Writes adapters into their weight where they have changed. @returns the columns that all of them take */
  #fold(projection: Projection): number {
    const { adapters, weight: tensor, scale } = projection;
    const rank = adapters.reduce((sum, { a }) => sum + placeOf(a.rows), 0);
    if (rank === 0 || this.#folded.has(projection)) return rank;
    const weight = tensor as CudaTensor;
    let at = 0;
    for (const adapter of adapters) {
      const [a, b] = [this.#tensors.settled(adapter.a as CudaTensor), this.#tensors.settled(adapter.b as CudaTensor)];
      const grid = { x: Math.ceil((a.rows * a.cols + b.rows * b.cols) / THREADS), threads: THREADS };
      const place = [weight.pointer, weight.stride, weight.rows, weight.cols] as const;
      this.#device.launch(
        'fold_adapter',
        grid,
        ...place,
        a.pointer,
        b.pointer,
        a.rows,
        adapter.from,
        b.rows,
        at,
        scale,
      );
      at += placeOf(a.rows);
    }
    this.#folded.set(projection, true);
    return rank;
  }
}

/** The rank with which products work: columns of zeros beyond it. */
function paddedRank(rank: number): number {
  return Math.ceil(rank / 64) * 64;
}

/** The columns behind a matrix, and the rows below one. */
function beside({ pointer, stride, cols }: CudaTensor): Operand {
  return { pointer: pointer + cols * 2, stride };
}
function below({ pointer, stride, rows }: CudaTensor): Operand {
  return { pointer: pointer + rows * stride * 2, stride };
}
