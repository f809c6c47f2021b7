import type { Backend, HeadShape, Projection, Rotation, StreamSum, Tensor } from '../backend/backend.ts';
import type { PackedBatch } from '../data/batch.ts';
import type { RecomputeMode } from '../engine/engine.ts';
import type { Block } from './lora.ts';
import type { TensorScope } from './scope.ts';
import type { ModelWeights } from './weights.ts';

/** What a pass over a pack works with. */
export interface Pass {
  backend: Backend;
  weights: ModelWeights;
  blocks: readonly Block[];
  batch: PackedBatch;
  rotation: Rotation;
  scope: TensorScope;
  /** What the forward pass leaves to the way back to compute again; `cheap` where left out. */
  recompute?: RecomputeMode;
  /** Told tensors under the names of Hugging Face's modules while they are there; for comparisons with other programs. */
  probe?: ((name: string, tensor: Tensor) => void) | undefined;
}

/** What the backward pass of one block needs. Parts that are null are computed again from the others. */
export interface BlockActivations {
  /** The residual stream that the block reads, [T, hidden]. */
  residualIn: Tensor;
  attention: AttentionActivations | null;
  gates: GateActivations | null;
  cheap: CheapActivations | null;
  /** x Aᵀ of the last product's adapter. */
  downLow: Tensor | null;
}

/** From the block's input to the norm behind its attention; `…Low` are x Aᵀ of the adapters of a product. */
export interface AttentionActivations {
  inputRstd: Tensor;
  /** Before head norms and rotation, [T, (heads + 2 kvHeads) headDim]. */
  qkv: Tensor;
  qkvLow: Tensor | null;
  headRstd: Tensor | null;
  /** What attention read, of the first block where activations are rounded: `qkv` does not give it again. */
  rotated: Tensor | null;
  output: Tensor;
  logSum: Tensor;
  outputLow: Tensor | null;
  /** The residual stream after the attention, [T, hidden], and 1 / rms of it. */
  residualMid: Tensor;
  postRstd: Tensor;
}

/** Gate and up, [T, 2 ffn]. */
export interface GateActivations {
  gateUp: Tensor;
  gateUpLow: Tensor | null;
}

/** What costs no matrix product: outputs of both norms, of the rotation and of SwiGLU. */
export interface CheapActivations {
  normedIn: Tensor;
  rotated: Tensor;
  normed: Tensor;
  active: Tensor;
}

export interface Activations {
  blocks: BlockActivations[];
  /** The residual stream after the last block, and 1 / rms of it. */
  residual: Tensor;
  finalRstd: Tensor;
  /** After the last norm, what the head reads, [T, hidden]. */
  hidden: Tensor;
}

/** The residual stream: its sum so far, what the last block still adds to it, and what rounding took from the sum. */
interface Stream {
  residual: Tensor;
  delta: Tensor | null;
  lost: Tensor | null;
}

export function headShape({ config }: ModelWeights): HeadShape {
  return { heads: config.heads, kvHeads: config.kvHeads, headDim: config.headDim };
}

/**
 * The model's forward pass over a pack, up to the last norm.
 *
 * @param keep whether a backward pass follows; else `blocks` of the result is empty and memory does not grow with the layers
 */
export function forward(pass: Pass, keep: boolean): Activations {
  const { backend, weights, batch, scope } = pass;
  const rows = batch.tokens.length;
  const { hidden: width, rmsEps } = weights.config;
  const embedded = scope.tensor(rows, width);
  backend.embed(embedded, weights.embed, batch.tokens);
  pass.probe?.('embed', embedded);
  let stream: Stream = { residual: embedded, delta: null, lost: backend.isRounding ? scope.tensor(rows, width) : null };
  const kept: BlockActivations[] = [];
  for (const [index, block] of pass.blocks.entries()) {
    const done = blockForward(pass, block, stream, keep, index);
    stream = done.stream;
    if (keep) kept.push(done.activations);
  }
  const residual = isStreamKept(pass, keep) ? scope.tensor(rows, width) : stream.residual;
  const finalRstd = scope.tensor(rows, 1, 'exact');
  const hidden = scope.tensor(rows, width);
  backend.rmsNorm(hidden, finalRstd, residual, sumOf(stream), weights.finalNorm, rmsEps);
  scope.free(stream.delta, stream.lost);
  pass.probe?.(`layer${pass.blocks.length - 1}.out`, residual);
  pass.probe?.('final_norm', hidden);
  return { blocks: kept, residual, finalRstd, hidden };
}

/** Whether the residual stream behind each attention is kept; else the next block's input is written over it. */
function isStreamKept({ recompute }: Pass, keep: boolean): boolean {
  return keep && recompute !== 'block';
}

/** One block; what is not kept is freed. */
function blockForward(
  pass: Pass,
  block: Block,
  stream: Stream,
  keep: boolean,
  index: number,
): { activations: BlockActivations; stream: Stream } {
  const { scope, recompute = 'cheap' } = pass;
  const isAttentionKept = isStreamKept(pass, keep);
  const residualIn =
    isAttentionKept && stream.delta !== null
      ? scope.tensor(stream.residual.rows, stream.residual.cols)
      : stream.residual;
  const isAllKept = keep && recompute === 'none';
  const { attention, ...cheap } = attentionForward(pass, block, stream, residualIn, { keep, index, isAllKept });
  const { normed } = cheap;
  const gates = gatesForward(pass, block, normed);
  if (!isAllKept) scope.free(normed);
  const active = scope.tensor(normed.rows, pass.weights.config.ffn);
  pass.backend.swiglu(active, gates.gateUp);
  const { out: delta, low: downLow } = project(pass, active, block.down);
  if (!isAllKept) scope.free(active);
  pass.probe?.(`layer${index}.mlp_out`, delta);
  const areGatesKept = isAllKept || (keep && recompute === 'cheap');
  if (!areGatesKept) freeAll(scope, gates);
  if (!isAttentionKept) freeAll(scope, { ...attention, residualMid: null });
  if (!keep) scope.free(downLow);
  return {
    activations: {
      residualIn,
      attention: isAttentionKept ? attention : null,
      gates: areGatesKept ? gates : null,
      cheap: isAllKept ? { ...cheap, active } : null,
      downLow,
    },
    stream: { residual: attention.residualMid, delta, lost: stream.lost },
  };
}

/**
 * From a block's input to the norm behind its attention.
 *
 * What rounding takes from the stream is added where a block begins, not in its middle: so a block that is computed again from
 * its rounded input gives the same bits. In the first block all that the stream will be depends on few numbers; there the
 * rows behind the norm count in full, and q, k and v are rounded once, after their rotation.
 *
 * @param residualIn gets the stream; may be the stream's own tensor
 * @param keep whether `residualIn` must stay as it is; else the stream after the attention is written over it
 * @param index of the block, for probes; null: they know it already
 * @param isAllKept whether `normedIn` and `rotated` are not freed
 * @returns also the normed rows that q, k and v and that gate and up read, and what attention read
 */
export function attentionForward(
  pass: Pass,
  block: Block,
  stream: Stream,
  residualIn: Tensor,
  { keep, index, isAllKept }: { keep: boolean; index: number | null; isAllKept: boolean },
): { attention: AttentionActivations } & Omit<CheapActivations, 'active'> {
  const { backend, scope, weights, batch } = pass;
  const { hidden, rmsEps, heads, kvHeads, headDim } = weights.config;
  const probe = (name: string, tensor: Tensor) => {
    if (index !== null) pass.probe?.(`layer${index}.${name}`, tensor);
  };
  const { rows } = residualIn;
  const shape = headShape(weights);
  const inputRstd = scope.tensor(rows, 1, 'exact');
  const normedIn = scope.tensor(rows, hidden);
  const isExact = backend.isRounding && block === pass.blocks[0];
  const rest = isExact ? scope.tensor(rows, hidden) : null;
  backend.rmsNorm(normedIn, inputRstd, residualIn, sumOf(stream), block.weights.inputNorm, rmsEps, rest);
  scope.free(stream.delta);
  if (index !== null && index > 0) pass.probe?.(`layer${index - 1}.out`, residualIn);
  probe('input_layernorm', normedIn);
  const { out: product, low: qkvLow } = project(pass, normedIn, block.qkv, rest);
  scope.free(rest, isAllKept ? null : normedIn);
  probe('qkv', product);
  const headRstd = block.weights.headNorms === null ? null : scope.tensor(rows, heads + kvHeads, 'exact');
  const rotated = scope.tensor(rows, product.cols);
  const qkv = isExact ? scope.tensor(rows, product.cols) : product;
  const norms = headNorms(pass, block);
  backend.rotate(rotated, headRstd, product, shape, pass.rotation, norms, isExact ? qkv : null);
  if (isExact) scope.free(product);
  const output = scope.tensor(rows, heads * headDim);
  const logSum = scope.tensor(rows, heads, 'exact');
  backend.attention(output, logSum, rotated, shape, batch.segments);
  if (!isAllKept && !isExact) scope.free(rotated);
  const { out: delta, low: outputLow } = project(pass, output, block.output);
  probe('self_attn_out', delta);
  const residualMid = keep ? scope.tensor(rows, hidden) : residualIn;
  const postRstd = scope.tensor(rows, 1, 'exact');
  const normed = scope.tensor(rows, hidden);
  const lost = stream.lost === null ? null : { tensor: stream.lost, isAdded: false };
  const sum = { from: residualIn, delta, lost };
  backend.rmsNorm(normed, postRstd, residualMid, sum, block.weights.postNorm, rmsEps);
  scope.free(delta);
  probe('post_attention_layernorm', normed);
  const again = { qkv, qkvLow, headRstd, rotated: isExact ? rotated : null };
  const kept = { inputRstd, ...again, output, logSum, outputLow, residualMid, postRstd };
  return { attention: kept, normedIn, rotated, normed };
}

/** @param normed the rows behind the norm after the attention */
export function gatesForward(pass: Pass, block: Block, normed: Tensor): GateActivations {
  const { out: gateUp, low: gateUpLow } = project(pass, normed, block.gateUp);
  return { gateUp, gateUpLow };
}

/** @param rest what rounding took from x; where it is given, the output is exact */
function project(
  pass: Pass,
  x: Tensor,
  projection: Projection,
  rest: Tensor | null = null,
): { out: Tensor; low: Tensor | null } {
  const rank = projection.adapters.reduce((sum, adapter) => sum + adapter.a.rows, 0);
  const low = rank === 0 ? null : pass.scope.tensor(x.rows, rank);
  const out = pass.scope.tensor(x.rows, projection.weight.rows, rest === null ? 'activation' : 'exact');
  pass.backend.project(out, low, x, projection, rest);
  return { out, low };
}

function sumOf({ residual, delta, lost }: Stream): StreamSum | null {
  return delta === null
    ? null
    : { from: residual, delta, lost: lost === null ? null : { tensor: lost, isAdded: true } };
}

export function headNorms({ weights }: Pass, block: Block) {
  const norms = block.weights.headNorms;
  return norms === null ? null : { ...norms, eps: weights.config.rmsEps };
}

type KeptName = keyof (AttentionActivations & GateActivations & CheapActivations) | 'residualIn' | 'downLow';

/** Frees tensors that were kept of a block. */
export function freeAll(scope: TensorScope, tensors: Readonly<Partial<Record<KeptName, Tensor | null>>>): void {
  scope.free(...Object.values(tensors));
}
