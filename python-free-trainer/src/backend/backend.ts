import type { Segment } from '../data/batch.ts';
import type { Lifetime, MemoryPlan } from '../gpu/memory-plan.ts';

/**
 * What a tensor is for; a GPU keeps activations and weights in bfloat16 and the rest in float32. `activation` where nothing is
 * said; `exact`: statistics, vectors, adapters, gradients, moments; `weight`: a frozen matrix.
 */
export type TensorKind = 'activation' | 'exact' | 'weight';

/** A matrix of floats on the device, row-major. What lies behind it is the backend's affair. */
export interface Tensor {
  readonly rows: number;
  readonly cols: number;
}

/** Linear layers that read the same input, computed as one: q, k and v; gate and up; or one alone. */
export interface Projection {
  /** Base weights one below the other, [out of all, in]; frozen. */
  weight: Tensor;
  /** [1, out of all] or null. */
  bias: Tensor | null;
  /** Adapters of those members that have one: they change the columns from `from` on of the output. */
  adapters: ProjectionAdapter[];
  /** Scale of every adapter. */
  scale: number;
}

export interface ProjectionAdapter {
  from: number;
  /** [r, in] and [out, r], their gradients, and the moments of AdamW. */
  a: Tensor;
  b: Tensor;
  gradA: Tensor;
  gradB: Tensor;
}

/** Where the heads lie in a row of q, k and v: `heads` query heads, then `kvHeads` keys, then as many values. */
export interface HeadShape {
  heads: number;
  kvHeads: number;
  headDim: number;
}

export interface AdamSettings {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** The gradient is multiplied with it first (clipping). */
  gradScale: number;
  /** Number of this update, from 1. */
  step: number;
}

/**
 * The operations of a training step. Calls are done in order; on a GPU they only queue work, and `read` waits. Outputs come
 * first. `T` rows are the tokens of a pack.
 */
export interface Backend {
  readonly name: 'cpu' | 'cuda';
  /** Whether activations are rounded to less than float32, so that it pays to keep what rounding takes. */
  readonly isRounding: boolean;
  /** Where the memory of passes can be planned. */
  readonly passes?: PassPlanner | null;
  /** A matrix of zeros, or of these values. */
  tensor(rows: number, cols: number, values?: Float32Array | Float64Array, kind?: TensorKind): Tensor;
  /** Exact matrices of zeros that lie one behind the other, and all of them as one of a single row. Never freed. */
  contiguous(shapes: readonly Tensor[]): { all: Tensor; parts: Tensor[] };
  free(tensor: Tensor): void;
  write(tensor: Tensor, values: Float32Array | Float64Array): void;
  read(tensor: Tensor): Promise<Float32Array | Float64Array>;
  fill(tensor: Tensor, value: number): void;
  /** Bytes of all tensors that are not freed. */
  memory(): number;

  /** out[t] = table[tokens[t]]. */
  embed(out: Tensor, table: Tensor, tokens: Int32Array): void;
  /**
   * residual = from + delta (where given; `from` may be `residual` itself); out = residual / rms(residual) * weight;
   * rstd [T, 1] = 1 / rms. With `lost` and `rest` see `isRounding`.
   * @param rest gets what rounding takes from `out`
   */
  rmsNorm(
    out: Tensor,
    rstd: Tensor,
    residual: Tensor,
    sum: StreamSum | null,
    weight: Tensor,
    eps: number,
    rest?: Tensor | null,
  ): void;
  /**
   * dResidual += the gradient by the normed rows' input. The weight is frozen.
   * @param lost what rounding took from dResidual before; is added, and gets what it takes now
   */
  rmsNormBackward(
    dResidual: Tensor,
    dOut: Tensor,
    residual: Tensor,
    rstd: Tensor,
    weight: Tensor,
    lost?: Tensor | null,
  ): void;
  /**
   * out = x weightᵀ + bias + scale · (x aᵀ) bᵀ for each adapter; lowRank [T, sum of r] keeps x aᵀ.
   * @param rest of x, see `rmsNorm`: out, which is exact then, gets its product with the base weights too
   */
  project(out: Tensor, lowRank: Tensor | null, x: Tensor, projection: Projection, rest?: Tensor | null): void;
  /**
   * dX += …; adds to gradA and gradB of every adapter. `dX` null: only the adapters' gradients (the first layer's input).
   * @param x what the product read, or a function that is called for it once dX is there
   */
  projectBackward(
    dX: Tensor | null,
    dOut: Tensor,
    lowRank: Tensor | null,
    x: Tensor | (() => Tensor),
    projection: Projection,
  ): void;
  /**
   * Norm of each q and k head (where weights are given, [1, headDim]) and rotation by position, half-split:
   * (x1, x2) -> (x1 cos - x2 sin, x2 cos + x1 sin). `out` gets all of q, k and v; values are copied. rstd [T, heads + kvHeads].
   * @param kept gets qkv as an activation where qkv is exact
   */
  rotate(
    out: Tensor,
    rstd: Tensor | null,
    qkv: Tensor,
    shape: HeadShape,
    rotation: Rotation,
    norms: HeadNorms | null,
    kept?: Tensor | null,
  ): void;
  /** dQkv = gradient by what `rotate` read. */
  rotateBackward(
    dQkv: Tensor,
    dOut: Tensor,
    qkv: Tensor,
    rstd: Tensor | null,
    shape: HeadShape,
    rotation: Rotation,
    norms: HeadNorms | null,
  ): void;
  /** Causal grouped-query attention within segments and their parents, scores / sqrt(headDim). logSum [T, heads]. */
  attention(out: Tensor, logSum: Tensor, qkv: Tensor, shape: HeadShape, segments: readonly Segment[]): void;
  attentionBackward(
    dQkv: Tensor,
    dOut: Tensor,
    out: Tensor,
    logSum: Tensor,
    qkv: Tensor,
    shape: HeadShape,
    segments: readonly Segment[],
  ): void;
  /** out [T, F] = silu(gate) * up, of gateUp [T, 2F] with all of gate first. */
  swiglu(out: Tensor, gateUp: Tensor): void;
  /** @param active gets the output of `swiglu` again; may be `dOut` */
  swigluBackward(dGateUp: Tensor, dOut: Tensor, gateUp: Tensor, active: Tensor | null): void;
  /**
   * Log-probabilities of targets under softmax(hidden[rows] headᵀ / temperature), in chunks, without ever holding all logits.
   * @returns [n] values, and how many targets were the most likely token
   */
  logProbs(
    hidden: Tensor,
    head: Tensor,
    rows: Int32Array,
    targets: Int32Array,
    temperature: number,
  ): Promise<{ logProbs: Float64Array; logSums: Float64Array; correct: number }>;
  /** dHidden[rows[i]] += gradient[i] · d logProb[i] / d hidden. */
  logProbsBackward(
    dHidden: Tensor,
    gradient: Float64Array,
    hidden: Tensor,
    head: Tensor,
    rows: Int32Array,
    targets: Int32Array,
    temperature: number,
    logSums: Float64Array,
  ): void;
  /**
   * Both in one, for a gradient that does not depend on the log-probabilities: logits are computed once. The same numbers.
   */
  logProbsWithGradient(
    dHidden: Tensor,
    gradient: Float64Array,
    hidden: Tensor,
    head: Tensor,
    rows: Int32Array,
    targets: Int32Array,
    temperature: number,
  ): Promise<{ logProbs: Float64Array; correct: number }>;
  /** Sum of the squares of all elements, in a fixed order. */
  sumSquares(tensors: readonly Tensor[]): Promise<number>;
  /** Decoupled weight decay (AdamW): torch.optim.AdamW's order of operations. */
  adamw(parameter: Tensor, gradient: Tensor, first: Tensor, second: Tensor, settings: AdamSettings): void;
  close(): Promise<void>;
}

/** The residual stream: from + delta. */
export interface StreamSum {
  from: Tensor;
  delta: Tensor;
  /** Gets what rounding takes from the sum; what it held is added to the sum before (`isAdded`), or passed on with it. */
  lost: { tensor: Tensor; isAdded: boolean } | null;
}

/** Cosine and sine of every position and frequency, [positions, headDim / 2], computed once on the host. */
export interface Rotation {
  cos: Tensor;
  sin: Tensor;
  positions: Int32Array;
}

export interface HeadNorms {
  q: Tensor;
  k: Tensor;
  eps: number;
}

/**
 * Fixed places for the memory of passes. A pass takes the same pieces in the same order whatever the pack; so one rehearsal with
 * the largest pack says what all of them need.
 */
export interface PassPlanner {
  /** Bytes that matrix products hold for themselves. */
  readonly workspace: number;
  /** Bytes that could still be taken. */
  available(): number;
  /** A backend on which a pass does nothing but take and give memory. It leaves marks on tensors: hand it copies. */
  rehearse(): Rehearsal;
  /** Takes one allocation for passes of any of these plans. @throws AppError `gpu_memory` */
  adopt(plans: readonly MemoryPlan[]): void;
  /** A pass begins, of one of these plans or (null) of none; and its tensors are all freed. */
  begin(plan: MemoryPlan | null): void;
  end(): void;
}

export interface Rehearsal {
  backend: Backend;
  /** What was taken so far: pieces, bytes now, and the most at once since the last call. */
  notes: { readonly lifetimes: readonly Lifetime[]; readonly used: number; takeMost(): number };
  /** Bytes of the largest output of a matrix product. */
  largestProduct(): number;
}
