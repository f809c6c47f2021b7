import type { Backend, HeadShape, Projection, Rotation, Tensor } from '../backend/backend.ts';
import type { PackedBatch } from '../data/batch.ts';
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
  /** Told tensors under the names of Hugging Face's modules while they are there; for comparisons with other programs. */
  probe?: ((name: string, tensor: Tensor) => void) | undefined;
}

/**
 * What the backward pass of one block needs and cannot cheaply compute again. Outputs of norms, of the rotation and of
 * SwiGLU are computed again from these.
 */
export interface BlockActivations {
  /** The residual stream that the block reads, and after its attention, [T, hidden]. */
  residualIn: Tensor;
  residualMid: Tensor;
  inputRstd: Tensor;
  postRstd: Tensor;
  /** Before head norms and rotation, [T, (heads + 2 kvHeads) headDim]. */
  qkv: Tensor;
  headRstd: Tensor | null;
  attention: Tensor;
  logSum: Tensor;
  gateUp: Tensor;
  /** x Aᵀ of the adapters of each product. */
  qkvLow: Tensor | null;
  outputLow: Tensor | null;
  gateUpLow: Tensor | null;
  downLow: Tensor | null;
}

export interface Activations {
  blocks: BlockActivations[];
  /** The residual stream after the last block, and 1 / rms of it. */
  residual: Tensor;
  finalRstd: Tensor;
  /** After the last norm, what the head reads, [T, hidden]. */
  hidden: Tensor;
}

/** The residual stream: its sum so far, and what the last block still adds to it. */
interface Stream {
  residual: Tensor;
  delta: Tensor | null;
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
  let stream: Stream = { residual: embedded, delta: null };
  const kept: BlockActivations[] = [];
  for (const [index, block] of pass.blocks.entries()) {
    const { activations, delta } = blockForward(pass, block, stream, keep, index);
    stream = { residual: activations.residualMid, delta };
    if (keep) kept.push(activations);
    else freeBlock(scope, activations, stream.residual);
  }
  const residual = keep ? scope.tensor(rows, width) : stream.residual;
  const finalRstd = scope.tensor(rows, 1, 'exact');
  const hidden = scope.tensor(rows, width);
  backend.rmsNorm(hidden, finalRstd, residual, sumOf(stream), weights.finalNorm, rmsEps);
  scope.free(stream.delta);
  pass.probe?.(`layer${pass.blocks.length - 1}.out`, residual);
  pass.probe?.('final_norm', hidden);
  return { blocks: kept, residual, finalRstd, hidden };
}

function blockForward(
  pass: Pass,
  block: Block,
  stream: Stream,
  keep: boolean,
  index: number,
): { activations: BlockActivations; delta: Tensor } {
  const attention = attentionForward(pass, block, stream, keep, index);
  const gated = feedForward(pass, block, { residual: attention.residualIn, delta: attention.delta }, keep, index);
  const { delta: attentionDelta, ...attentionKept } = attention;
  const { delta, ...gatedKept } = gated;
  pass.scope.free(attentionDelta);
  return { activations: { ...attentionKept, ...gatedKept }, delta };
}

function attentionForward(pass: Pass, block: Block, stream: Stream, keep: boolean, index: number) {
  const { backend, scope, weights, batch } = pass;
  const { hidden, rmsEps, heads, kvHeads, headDim } = weights.config;
  const rows = batch.tokens.length;
  const shape = headShape(weights);
  const residualIn = keep && stream.delta !== null ? scope.tensor(rows, hidden) : stream.residual;
  const inputRstd = scope.tensor(rows, 1, 'exact');
  const normed = scope.tensor(rows, hidden);
  backend.rmsNorm(normed, inputRstd, residualIn, sumOf(stream), block.weights.inputNorm, rmsEps);
  scope.free(stream.delta);
  if (index > 0) pass.probe?.(`layer${index - 1}.out`, residualIn);
  pass.probe?.(`layer${index}.input_layernorm`, normed);
  const { out: qkv, low: qkvLow } = project(pass, normed, block.qkv);
  scope.free(normed);
  pass.probe?.(`layer${index}.qkv`, qkv);
  const headRstd = block.weights.headNorms === null ? null : scope.tensor(rows, heads + kvHeads, 'exact');
  const rotated = scope.tensor(rows, qkv.cols);
  backend.rotate(rotated, headRstd, qkv, shape, pass.rotation, headNorms(pass, block));
  const attention = scope.tensor(rows, heads * headDim);
  const logSum = scope.tensor(rows, heads, 'exact');
  backend.attention(attention, logSum, rotated, shape, batch.segments);
  scope.free(rotated);
  const { out: delta, low: outputLow } = project(pass, attention, block.output);
  pass.probe?.(`layer${index}.self_attn_out`, delta);
  return { residualIn, inputRstd, qkv, qkvLow, headRstd, attention, logSum, outputLow, delta };
}

function feedForward(pass: Pass, block: Block, stream: Stream, keep: boolean, index: number) {
  const { backend, scope, weights, batch } = pass;
  const { hidden, ffn, rmsEps } = weights.config;
  const rows = batch.tokens.length;
  const residualMid = keep ? scope.tensor(rows, hidden) : stream.residual;
  const postRstd = scope.tensor(rows, 1, 'exact');
  const normed = scope.tensor(rows, hidden);
  backend.rmsNorm(normed, postRstd, residualMid, sumOf(stream), block.weights.postNorm, rmsEps);
  pass.probe?.(`layer${index}.post_attention_layernorm`, normed);
  const { out: gateUp, low: gateUpLow } = project(pass, normed, block.gateUp);
  scope.free(normed);
  const active = scope.tensor(rows, ffn);
  backend.swiglu(active, gateUp);
  const { out: delta, low: downLow } = project(pass, active, block.down);
  scope.free(active);
  pass.probe?.(`layer${index}.mlp_out`, delta);
  return { residualMid, postRstd, gateUp, gateUpLow, downLow, delta };
}

function project(pass: Pass, x: Tensor, projection: Projection): { out: Tensor; low: Tensor | null } {
  const rank = projection.adapters.reduce((sum, adapter) => sum + adapter.a.rows, 0);
  const low = rank === 0 ? null : pass.scope.tensor(x.rows, rank);
  const out = pass.scope.tensor(x.rows, projection.weight.rows);
  pass.backend.project(out, low, x, projection);
  return { out, low };
}

function sumOf({ residual, delta }: Stream): { from: Tensor; delta: Tensor } | null {
  return delta === null ? null : { from: residual, delta };
}

export function headNorms({ weights }: Pass, block: Block) {
  const norms = block.weights.headNorms;
  return norms === null ? null : { ...norms, eps: weights.config.rmsEps };
}

/** Frees all that was kept of a block, except one tensor that goes on being used. */
export function freeBlock(scope: TensorScope, activations: BlockActivations, except: Tensor | null): void {
  scope.free(...Object.values(activations).filter((tensor) => tensor !== except));
}
