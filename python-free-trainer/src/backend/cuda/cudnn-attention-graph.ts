import type { Cudnn } from '../../ffi/cudnn.ts';
import { CudnnGraph, type CudnnPlan, type DataType, type GraphTensor } from '../../gpu/cudnn-graph.ts';

/** What a plan is made for: texts of at most so many rows, and how they lie in memory. */
export interface AttentionShape {
  texts: number;
  length: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  /** Elements between rows of queries, keys and values, and of their gradients. */
  qkvStride: number;
  /** Elements between rows of the output, and of its gradient. */
  outStride: number;
}

/** Identities of what a run names. */
export const ID = {
  q: 1,
  k: 2,
  v: 3,
  out: 4,
  logSum: 5,
  dOut: 6,
  dQ: 7,
  dK: 8,
  dV: 9,
  dots: 10,
  dQSums: 11,
  lengths: 12,
  qkvOffsets: 13,
  outOffsets: 14,
  logSumOffsets: 15,
} as const;

/**
 * Graphs of causal grouped-query attention over packed texts, as cuDNN knows them (its engines match the whole graph, so that
 * the order of operations matters): softmax(q kᵀ / √d) v, and its gradients as in arXiv 2307.08691, 3.2.
 */
class AttentionGraph {
  readonly graph: CudnnGraph;
  readonly #shape: AttentionShape;
  readonly lengths: GraphTensor;
  readonly #qkvOffsets: GraphTensor;
  readonly #outOffsets: GraphTensor;
  readonly #logSumOffsets: GraphTensor;

  constructor(cudnn: Cudnn, handle: number, shape: AttentionShape) {
    this.graph = new CudnnGraph(cudnn, handle);
    this.#shape = shape;
    const table = (id: number, count: number) =>
      this.graph.tensor({ dims: [count, 1, 1, 1], strides: [1, 1, 1, 1], type: 'int32', id });
    this.lengths = table(ID.lengths, shape.texts);
    this.#qkvOffsets = table(ID.qkvOffsets, shape.texts + 1);
    this.#outOffsets = table(ID.outOffsets, shape.texts + 1);
    this.#logSumOffsets = table(ID.logSumOffsets, shape.texts + 1);
  }

  /** Vectors of heads in rows of queries, keys and values; `isTransposed`: rows last. */
  ofQkv(id: number, heads: number, isTransposed = false): GraphTensor {
    return this.#vectors(id, heads, this.#shape.qkvStride, this.#qkvOffsets, isTransposed);
  }

  ofOut(id: number): GraphTensor {
    return this.#vectors(id, this.#shape.heads, this.#shape.outStride, this.#outOffsets, false);
  }

  #vectors(id: number, heads: number, stride: number, offsets: GraphTensor, isTransposed: boolean): GraphTensor {
    const { texts, length, headDim } = this.#shape;
    const [dims, strides] = isTransposed
      ? [
          [texts, heads, headDim, length],
          [length * stride, headDim, 1, stride],
        ]
      : [
          [texts, heads, length, headDim],
          [length * stride, headDim, stride, 1],
        ];
    return this.graph.tensor({ dims, strides, type: 'bfloat16', id, offsets });
  }

  /** Keys with their rows before their elements again, as a step. */
  keysByRow(keys: GraphTensor): GraphTensor {
    const { texts, length, kvHeads, headDim, qkvStride: stride } = this.#shape;
    const dims = [texts, kvHeads, length, headDim];
    const strides = [length * stride, headDim, stride, 1];
    return this.graph.reshape(this.graph.tensor({ dims, strides, type: 'bfloat16', offsets: this.#qkvOffsets }), keys);
  }

  /** A number for each row and head, in memory [rows, heads]. */
  ofRows(id: number): GraphTensor {
    const { texts, length, heads } = this.#shape;
    const dims = [texts, heads, length, 1];
    const strides = [length * heads, 1, heads, 1];
    return this.graph.tensor({ dims, strides, type: 'float32', id, offsets: this.#logSumOffsets });
  }

  /** A number for each row and head, as a step. */
  rows(): GraphTensor {
    const { texts, length, heads } = this.#shape;
    const dims = [texts, heads, length, 1];
    return this.graph.tensor({ dims, strides: [heads * length, length, 1, 1], type: 'float32' });
  }

  /** A number for each pair of rows, as a step. */
  pairs(type: DataType = 'float32'): GraphTensor {
    const { texts, length, heads } = this.#shape;
    const dims = [texts, heads, length, length];
    return this.graph.tensor({ dims, strides: [heads * length ** 2, length ** 2, length, 1], type });
  }

  /** A vector for each row and query head: as a step, or in memory without gaps. */
  headVectors(type: DataType, id?: number): GraphTensor {
    const { texts, length, heads, headDim } = this.#shape;
    const dims = [texts, heads, length, headDim];
    const strides = [heads * length * headDim, length * headDim, headDim, 1];
    return this.graph.tensor({ dims, strides, type, ...(id === undefined ? {} : { id }) });
  }

  /** Pairs with the second row first. */
  transposed(pairs: GraphTensor): GraphTensor {
    const { texts, length, heads } = this.#shape;
    const dims = [texts, heads, length, length];
    const strides = [heads * length ** 2, length ** 2, 1, length];
    return this.graph.reshape(this.graph.tensor({ dims, strides, type: 'bfloat16' }), pairs);
  }

  scale(pairs: GraphTensor): GraphTensor {
    const scale = this.graph.constant(1 / Math.sqrt(this.#shape.headDim));
    return this.graph.pointwise('multiply', this.pairs(), pairs, { b: scale });
  }

  /** -Infinity where a row is behind its text's end, then where a key comes after the query. */
  masked(pairs: GraphTensor): GraphTensor {
    const isInside = this.#both(this.#isRow(pairs, 2), this.#isRow(pairs, 3));
    return this.#isCausal(this.#select(pairs, isInside));
  }

  #isRow(pairs: GraphTensor, axis: number): GraphTensor {
    const index = this.graph.pointwise('index', this.pairs('int32'), pairs, { axis, type: 'int32' });
    return this.graph.pointwise('less', this.pairs('boolean'), index, { b: this.lengths, type: 'boolean' });
  }

  #both(a: GraphTensor, b: GraphTensor): GraphTensor {
    return this.graph.pointwise('and', this.pairs('boolean'), a, { b, type: 'boolean' });
  }

  #isCausal(pairs: GraphTensor): GraphTensor {
    const query = this.graph.pointwise('index', this.pairs('int32'), pairs, { axis: 2 });
    const key = this.graph.pointwise('index', this.pairs('int32'), pairs, { axis: 3 });
    const isSeen = this.pairs('boolean');
    return this.#select(pairs, this.graph.pointwise('greaterOrEqual', isSeen, query, { b: key, type: 'boolean' }));
  }

  #select(pairs: GraphTensor, where: GraphTensor): GraphTensor {
    const nothing = this.graph.constant(Number.NEGATIVE_INFINITY);
    return this.graph.pointwise('select', this.pairs(), pairs, { b: nothing, where });
  }
}

/** out, and the logarithm of each row's sum of exponentials of its scores. @throws AppError `cuda_failed` */
export function forwardPlan(cudnn: Cudnn, handle: number, shape: AttentionShape): CudnnPlan {
  const made = new AttentionGraph(cudnn, handle, shape);
  const { graph, lengths } = made;
  const [q, k, v] = [
    made.ofQkv(ID.q, shape.heads),
    made.ofQkv(ID.k, shape.kvHeads, true),
    made.ofQkv(ID.v, shape.kvHeads),
  ];
  const [out, logSum] = [made.ofOut(ID.out), made.ofRows(ID.logSum)];
  const scores = made.masked(made.scale(graph.matmul(made.pairs(), q, k, { m: lengths, n: lengths }, 0)));
  const most = graph.reduce('maximum', made.rows(), scores);
  const shifted = graph.pointwise('subtract', made.pairs(), scores, { b: most });
  const exponentials = graph.pointwise('exponential', made.pairs(), shifted);
  const sum = graph.reduce('sum', made.rows(), exponentials);
  const logarithm = graph.pointwise('logarithm', made.rows(), sum);
  graph.pointwise('add', logSum, most, { b: logarithm });
  const weights = graph.pointwise('divide', made.pairs('bfloat16'), exponentials, { b: sum });
  graph.matmul(out, weights, v, { m: lengths, k: lengths });
  return graph.plan(true);
}

/**
 * Gradients of queries, keys and values. With `isDeterministic` the gradients of the scores are kept in the workspace (two bytes
 * for each pair of rows and head) and multiplied after all are there; without, blocks add to the gradients of the queries as they
 * come (`dQSums`, float32 [texts, heads, length, headDim]). @throws AppError `cuda_failed`
 */
export function backwardPlan(cudnn: Cudnn, handle: number, shape: AttentionShape, isDeterministic: boolean): CudnnPlan {
  const made = new AttentionGraph(cudnn, handle, shape);
  const { graph, lengths } = made;
  const { heads, kvHeads } = shape;
  const [q, k, v] = [made.ofQkv(ID.q, heads), made.ofQkv(ID.k, kvHeads, true), made.ofQkv(ID.v, kvHeads, true)];
  const [out, dOut, logSum] = [made.ofOut(ID.out), made.ofOut(ID.dOut), made.ofRows(ID.logSum)];
  const [dQ, dK, dV] = [made.ofQkv(ID.dQ, heads), made.ofQkv(ID.dK, kvHeads), made.ofQkv(ID.dV, kvHeads)];

  const products = graph.pointwise('multiply', made.headVectors('float32'), dOut, { b: out });
  const rowDots = graph.reduce('sum', made.rows(), products);
  const dots = graph.pointwise('multiply', made.ofRows(ID.dots), rowDots, { b: graph.constant(1) });

  const scores = made.scale(graph.matmul(made.pairs(), q, k, { m: lengths, n: lengths }));
  const logWeights = made.masked(graph.pointwise('subtract', made.pairs(), scores, { b: logSum }));
  const weights = graph.pointwise('exponential', made.pairs(), logWeights);
  const ofKeys = { m: lengths, k: lengths };
  /** Σ over the heads of a group. */
  const intoKeys = (to: GraphTensor, pairs: GraphTensor, vectors: GraphTensor) => {
    if (heads === kvHeads) graph.matmul(to, pairs, vectors, ofKeys);
    else graph.reduce('sum', to, graph.matmul(made.headVectors('bfloat16'), pairs, vectors, ofKeys));
  };
  intoKeys(dV, made.transposed(weights), dOut);

  const dWeights = graph.matmul(made.pairs(), dOut, v, { m: lengths, n: lengths });
  const centred = graph.pointwise('subtract', made.pairs(), dWeights, { b: dots });
  const dScores = made.scale(graph.pointwise('multiply', made.pairs(), centred, { b: weights }));
  intoKeys(dK, made.transposed(dScores), q);

  const keys = made.keysByRow(k);
  if (isDeterministic) graph.matmul(dQ, dScores, keys, ofKeys);
  else graph.pointwise('copy', dQ, graph.matmul(made.headVectors('float32', ID.dQSums), dScores, keys, ofKeys));
  return graph.plan(isDeterministic);
}
