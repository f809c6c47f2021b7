import type { LoraTarget } from '../../../src/protocol/training.ts';

/** The LoRA of one linear layer: y = x Wᵀ + scale · (x Aᵀ) Bᵀ. `a` is [r, in], `b` [out, r], row-major. */
export interface LoraPair {
  layer: number;
  target: LoraTarget;
  in: number;
  out: number;
  a: Float32Array;
  b: Float32Array;
}

/** A whole adapter; pairs ordered by layer, then as in `LoraTarget`. */
export interface Adapter {
  r: number;
  alpha: number;
  rslora: boolean;
  pairs: LoraPair[];
}

/** What the product of A and B is multiplied with: alpha / r, or alpha / sqrt(r) (rank-stabilised, arXiv 2312.03732). */
export function loraScale({ r, alpha, rslora }: { r: number; alpha: number; rslora: boolean }): number {
  return rslora ? alpha / Math.sqrt(r) : alpha / r;
}
