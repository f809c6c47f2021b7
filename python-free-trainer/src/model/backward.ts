import type { Projection, Tensor } from '../backend/backend.ts';
import { type Activations, type BlockActivations, freeBlock, headNorms, headShape, type Pass } from './forward.ts';
import type { Block } from './lora.ts';

/**
 * The backward pass: adds to the gradients of all adapters, from the last block to the first, and frees what the forward
 * pass kept as it goes.
 *
 * @param dHidden gradient of the loss by `kept.hidden`; freed
 */
export function backward(pass: Pass, kept: Activations, dHidden: Tensor): void {
  const { backend, weights, scope } = pass;
  const dResidual = scope.tensor(kept.residual.rows, kept.residual.cols);
  backend.rmsNormBackward(dResidual, dHidden, kept.residual, kept.finalRstd, weights.finalNorm);
  scope.free(dHidden, kept.hidden, kept.residual, kept.finalRstd);
  for (let index = pass.blocks.length - 1; index >= 0; index--) {
    const block = pass.blocks[index];
    const activations = kept.blocks[index];
    if (block === undefined || activations === undefined) continue;
    feedForwardBackward(pass, block, activations, dResidual);
    attentionBackward(pass, block, activations, dResidual, index > 0);
    freeBlock(scope, activations, null);
  }
  scope.free(dResidual);
}

/** dResidual: gradient by the residual stream after the feed-forward layer, and at the end before it. */
function feedForwardBackward(pass: Pass, block: Block, kept: BlockActivations, dResidual: Tensor): void {
  const { backend, scope, weights } = pass;
  const { ffn } = weights.config;
  const rows = dResidual.rows;
  const active = scope.tensor(rows, ffn);
  backend.swiglu(active, kept.gateUp);
  const dActive = scope.tensor(rows, ffn);
  backend.projectBackward(dActive, dResidual, kept.downLow, active, block.down);
  scope.free(active);
  const dGateUp = scope.tensor(rows, 2 * ffn);
  backend.swigluBackward(dGateUp, dActive, kept.gateUp);
  scope.free(dActive);
  const norm = { residual: kept.residualMid, rstd: kept.postRstd, weight: block.weights.postNorm };
  normedProjectionBackward(pass, dResidual, dGateUp, kept.gateUpLow, block.gateUp, norm);
  scope.free(dGateUp);
}

/** @param further whether blocks before this one want their gradients */
function attentionBackward(
  pass: Pass,
  block: Block,
  kept: BlockActivations,
  dResidual: Tensor,
  further: boolean,
): void {
  const { backend, scope, rotation, batch } = pass;
  const rows = dResidual.rows;
  const shape = headShape(pass.weights);
  const norms = headNorms(pass, block);
  const dAttention = scope.tensor(rows, kept.attention.cols);
  backend.projectBackward(dAttention, dResidual, kept.outputLow, kept.attention, block.output);
  if (further || block.qkv.adapters.length > 0) {
    const rotated = scope.tensor(rows, kept.qkv.cols);
    backend.rotate(rotated, kept.headRstd, kept.qkv, shape, rotation, norms);
    const dRotated = scope.tensor(rows, kept.qkv.cols);
    backend.attentionBackward(dRotated, dAttention, kept.attention, kept.logSum, rotated, shape, batch.segments);
    const dQkv = rotated;
    backend.rotateBackward(dQkv, dRotated, kept.qkv, kept.headRstd, shape, rotation, norms);
    scope.free(dRotated);
    const norm = { residual: kept.residualIn, rstd: kept.inputRstd, weight: block.weights.inputNorm };
    normedProjectionBackward(pass, further ? dResidual : null, dQkv, kept.qkvLow, block.qkv, norm);
    scope.free(dQkv);
  }
  scope.free(dAttention);
}

/** Through a product that reads normed rows, whose norm is computed again. `dResidual` null: only adapters' gradients. */
function normedProjectionBackward(
  { backend, scope, weights }: Pass,
  dResidual: Tensor | null,
  dOut: Tensor,
  lowRank: Tensor | null,
  projection: Projection,
  { residual, rstd, weight }: { residual: Tensor; rstd: Tensor; weight: Tensor },
): void {
  const normed = scope.tensor(residual.rows, residual.cols);
  backend.rmsNorm(normed, rstd, residual, null, weight, weights.config.rmsEps);
  const dNormed = dResidual === null ? null : scope.tensor(residual.rows, residual.cols);
  backend.projectBackward(dNormed, dOut, lowRank, normed, projection);
  if (dResidual !== null && dNormed !== null) backend.rmsNormBackward(dResidual, dNormed, residual, rstd, weight);
  scope.free(normed, dNormed);
}
