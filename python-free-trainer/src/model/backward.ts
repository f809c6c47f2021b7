import type { Projection, Tensor } from '../backend/backend.ts';
import {
  type Activations,
  type AttentionActivations,
  attentionForward,
  type BlockActivations,
  freeAll,
  type GateActivations,
  gatesForward,
  headNorms,
  headShape,
  type Pass,
} from './forward.ts';
import type { Block } from './lora.ts';

/** The gradient by the residual stream, and what rounding took from it. */
interface StreamGradient {
  sum: Tensor;
  lost: Tensor | null;
}

/**
 * The backward pass: adds to the gradients of all adapters, from the last block to the first, and frees what the forward
 * pass kept as it goes.
 *
 * @param dHidden gradient of the loss by `kept.hidden`; freed
 */
export function backward(pass: Pass, kept: Activations, dHidden: Tensor): void {
  const { backend, weights, scope } = pass;
  const { rows, cols } = kept.residual;
  const stream = { sum: scope.tensor(rows, cols), lost: backend.isRounding ? scope.tensor(rows, cols) : null };
  backend.rmsNormBackward(stream.sum, dHidden, kept.residual, kept.finalRstd, weights.finalNorm, stream.lost);
  scope.free(dHidden, kept.hidden, kept.residual, kept.finalRstd);
  for (let index = pass.blocks.length - 1; index >= 0; index--) {
    const block = pass.blocks[index];
    const activations = kept.blocks[index];
    if (block === undefined || activations === undefined) continue;
    const { residualIn, downLow, cheap } = activations;
    const { attention, gates } = computedAgain(pass, block, activations);
    feedForwardBackward(pass, block, { ...attention, ...gates, downLow, cheap }, stream);
    freeAll(scope, { ...gates, downLow });
    attentionBackward(pass, block, { ...attention, residualIn, cheap }, stream, index > 0);
    freeAll(scope, { ...attention, residualIn });
  }
  scope.free(stream.sum, stream.lost);
}

/** What the forward pass did not keep, by the same operations on the same numbers. */
function computedAgain(
  pass: Pass,
  block: Block,
  { residualIn, attention, gates }: BlockActivations,
): { attention: AttentionActivations; gates: GateActivations } {
  const { backend, scope, weights } = pass;
  if (attention !== null && gates !== null) return { attention, gates };
  if (attention !== null) {
    const { residualMid, postRstd } = attention;
    const normed = scope.tensor(residualMid.rows, residualMid.cols);
    backend.rmsNorm(normed, postRstd, residualMid, null, block.weights.postNorm, weights.config.rmsEps);
    const again = gatesForward(pass, block, normed);
    scope.free(normed);
    return { attention, gates: again };
  }
  const stream = { residual: residualIn, delta: null, lost: null };
  const again = attentionForward(pass, block, stream, residualIn, { keep: true, index: null, isAllKept: false });
  const gatesAgain = gatesForward(pass, block, again.normed);
  scope.free(again.normed);
  return { attention: again.attention, gates: gatesAgain };
}

/** @param stream gradient after the feed-forward layer, and at the end before it */
function feedForwardBackward(
  pass: Pass,
  block: Block,
  kept: AttentionActivations & GateActivations & Pick<BlockActivations, 'downLow' | 'cheap'>,
  stream: StreamGradient,
): void {
  const { backend, scope, weights } = pass;
  const { ffn } = weights.config;
  const { rows } = stream.sum;
  const dActive = scope.tensor(rows, ffn);
  const dGateUp = scope.tensor(rows, 2 * ffn);
  // Adapters' gradients come last: where the output of SwiGLU was not kept, it takes the place of its own gradient by then.
  const active = () => {
    backend.swigluBackward(dGateUp, dActive, kept.gateUp, kept.cheap === null ? dActive : null);
    return kept.cheap?.active ?? dActive;
  };
  backend.projectBackward(dActive, stream.sum, kept.downLow, active, block.down);
  scope.free(dActive, kept.cheap?.active ?? null);
  const norm = { residual: kept.residualMid, rstd: kept.postRstd, weight: block.weights.postNorm };
  const normed = kept.cheap?.normed ?? null;
  normedProjectionBackward(pass, stream, dGateUp, kept.gateUpLow, block.gateUp, { ...norm, normed });
  scope.free(dGateUp);
}

/** @param further whether blocks before this one want their gradients */
function attentionBackward(
  pass: Pass,
  block: Block,
  kept: AttentionActivations & Pick<BlockActivations, 'residualIn' | 'cheap'>,
  stream: StreamGradient,
  further: boolean,
): void {
  const { backend, scope, rotation, batch } = pass;
  const { rows } = stream.sum;
  const shape = headShape(pass.weights);
  const norms = headNorms(pass, block);
  const dAttention = scope.tensor(rows, kept.output.cols);
  backend.projectBackward(dAttention, stream.sum, kept.outputLow, kept.output, block.output);
  if (further || block.qkv.adapters.length > 0) {
    const known = kept.cheap?.rotated ?? kept.rotated;
    const rotated = known ?? scope.tensor(rows, kept.qkv.cols);
    if (known === null) backend.rotate(rotated, kept.headRstd, kept.qkv, shape, rotation, norms);
    const dRotated = scope.tensor(rows, kept.qkv.cols);
    backend.attentionBackward(dRotated, dAttention, kept.output, kept.logSum, rotated, shape, batch.segments);
    const dQkv = rotated;
    backend.rotateBackward(dQkv, dRotated, kept.qkv, kept.headRstd, shape, rotation, norms);
    scope.free(dRotated);
    const norm = { residual: kept.residualIn, rstd: kept.inputRstd, weight: block.weights.inputNorm };
    const normed = kept.cheap?.normedIn ?? null;
    normedProjectionBackward(pass, further ? stream : null, dQkv, kept.qkvLow, block.qkv, { ...norm, normed });
    scope.free(dQkv);
  }
  scope.free(dAttention);
}

/**
 * Through a product that reads normed rows; these are computed again where they were not kept, and freed.
 * `stream` null: only adapters' gradients.
 */
function normedProjectionBackward(
  { backend, scope, weights }: Pass,
  stream: StreamGradient | null,
  dOut: Tensor,
  lowRank: Tensor | null,
  projection: Projection,
  { residual, rstd, weight, ...kept }: { residual: Tensor; rstd: Tensor; weight: Tensor; normed: Tensor | null },
): void {
  const normed = kept.normed ?? scope.tensor(residual.rows, residual.cols);
  if (kept.normed === null) backend.rmsNorm(normed, rstd, residual, null, weight, weights.config.rmsEps);
  const dNormed = stream === null ? null : scope.tensor(residual.rows, residual.cols);
  backend.projectBackward(dNormed, dOut, lowRank, normed, projection);
  if (stream !== null && dNormed !== null)
    backend.rmsNormBackward(stream.sum, dNormed, residual, rstd, weight, stream.lost);
  scope.free(normed, dNormed);
}
