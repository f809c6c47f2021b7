import type { HeadShape } from '../../backend.ts';
import type { Floats } from '../matrix.ts';
import type { Kernel } from './kernel.ts';
import { inverseRms } from './norm.ts';

interface HeadArgs {
  shape: HeadShape;
  /** [positions, headDim / 2]. */
  cos: Floats;
  sin: Floats;
  positions: Int32Array;
  norms: { q: Floats; k: Floats; eps: number } | null;
}

export interface RotateArgs extends HeadArgs {
  out: Floats;
  /** [T, heads + kvHeads]; there with `norms`. */
  rstd: Floats | null;
  qkv: Floats;
}

/**
 * RMSNorm of each head of q and k where the model has it, then rotary position embedding (arXiv 2104.09864) in its
 * half-split form; values are copied. A unit is a row.
 */
export const rotateKernel: Kernel<RotateArgs> = (from, to, args) => {
  const { out, qkv, shape } = args;
  const rotated = shape.heads + shape.kvHeads;
  const width = (rotated + shape.kvHeads) * shape.headDim;
  for (let row = from; row < to; row++) {
    for (let head = 0; head < rotated; head++) rotateHead(args, row, head, row * width + head * shape.headDim);
    for (let i = row * width + rotated * shape.headDim; i < (row + 1) * width; i++) out[i] = qkv[i] as number;
  }
};

function rotateHead(args: RotateArgs, row: number, head: number, at: number): void {
  const { out, rstd, qkv, shape, cos, sin, norms } = args;
  const half = shape.headDim / 2;
  const angle = (args.positions[row] as number) * half;
  const weight = norms === null ? null : head < shape.heads ? norms.q : norms.k;
  let scale = 1;
  if (norms !== null && rstd !== null) {
    const place = row * (shape.heads + shape.kvHeads) + head;
    rstd[place] = inverseRms(qkv, at, shape.headDim, norms.eps);
    scale = rstd[place] as number;
  }
  for (let i = 0; i < half; i++) {
    const first = (qkv[at + i] as number) * (weight === null ? 1 : scale * (weight[i] as number));
    const second = (qkv[at + half + i] as number) * (weight === null ? 1 : scale * (weight[half + i] as number));
    const c = cos[angle + i] as number;
    const s = sin[angle + i] as number;
    out[at + i] = first * c - second * s;
    out[at + half + i] = second * c + first * s;
  }
}

export interface RotateBackwardArgs extends HeadArgs {
  dQkv: Floats;
  dOut: Floats;
  qkv: Floats;
  rstd: Floats | null;
}

/** Rotation by the opposite angle, then the gradient of the norm as in `normBackwardKernel`. A unit is a row. */
export const rotateBackwardKernel: Kernel<RotateBackwardArgs> = (from, to, args) => {
  const { dQkv, dOut, shape } = args;
  const rotated = shape.heads + shape.kvHeads;
  const width = (rotated + shape.kvHeads) * shape.headDim;
  for (let row = from; row < to; row++) {
    for (let head = 0; head < rotated; head++) rotateHeadBack(args, row, head, row * width + head * shape.headDim);
    for (let i = row * width + rotated * shape.headDim; i < (row + 1) * width; i++) dQkv[i] = dOut[i] as number;
  }
};

function rotateHeadBack(args: RotateBackwardArgs, row: number, head: number, at: number): void {
  const { dQkv, dOut, qkv, rstd, shape, cos, sin, norms } = args;
  const half = shape.headDim / 2;
  const angle = (args.positions[row] as number) * half;
  for (let i = 0; i < half; i++) {
    const first = dOut[at + i] as number;
    const second = dOut[at + half + i] as number;
    const c = cos[angle + i] as number;
    const s = sin[angle + i] as number;
    dQkv[at + i] = first * c + second * s;
    dQkv[at + half + i] = second * c - first * s;
  }
  if (norms === null || rstd === null) return;
  const weight = head < shape.heads ? norms.q : norms.k;
  const scale = rstd[row * (shape.heads + shape.kvHeads) + head] as number;
  let product = 0;
  for (let i = 0; i < shape.headDim; i++)
    product += (dQkv[at + i] as number) * (weight[i] as number) * (qkv[at + i] as number);
  const common = (product * scale * scale * scale) / shape.headDim;
  for (let i = 0; i < shape.headDim; i++)
    dQkv[at + i] = (dQkv[at + i] as number) * (weight[i] as number) * scale - (qkv[at + i] as number) * common;
}
