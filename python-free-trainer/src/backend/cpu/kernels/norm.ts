import type { Floats } from '../matrix.ts';
import type { Kernel } from './kernel.ts';

export interface NormArgs {
  out: Floats;
  rstd: Floats;
  residual: Floats;
  /** residual = from + delta first. */
  sum: { from: Floats; delta: Floats } | null;
  weight: Floats;
  eps: number;
}

/**
 * RMSNorm (Zhang and Sennrich, arXiv 1910.07467): x / √(mean(x²) + eps) · weight. Sums in double precision. A unit is a row.
 */
export const normKernel: Kernel<NormArgs> = (from, to, { out, rstd, residual, sum, weight, eps }) => {
  const width = weight.length;
  if (sum !== null) {
    const { from: base, delta } = sum;
    for (let i = from * width; i < to * width; i++) residual[i] = (base[i] as number) + (delta[i] as number);
  }
  for (let row = from; row < to; row++) {
    const at = row * width;
    rstd[row] = inverseRms(residual, at, width, eps);
    const scale = rstd[row] as number;
    for (let i = 0; i < width; i++) out[at + i] = (residual[at + i] as number) * scale * (weight[i] as number);
  }
};

/** 1 / √(mean of squares + eps) of a run of values. */
export function inverseRms(values: Floats, at: number, width: number, eps: number): number {
  let squares = 0;
  for (let i = at; i < at + width; i++) squares += (values[i] as number) * (values[i] as number);
  return 1 / Math.sqrt(squares / width + eps);
}

export interface NormBackwardArgs {
  dResidual: Floats;
  dOut: Floats;
  residual: Floats;
  rstd: Floats;
  weight: Floats;
}

/**
 * With s = 1 / rms and g = dOut · weight: dx += s g - x s³ mean(g x). A unit is a row.
 */
export const normBackwardKernel: Kernel<NormBackwardArgs> = (from, to, { dResidual, dOut, residual, rstd, weight }) => {
  const width = weight.length;
  for (let row = from; row < to; row++) {
    const at = row * width;
    const scale = rstd[row] as number;
    let product = 0;
    for (let i = 0; i < width; i++)
      product += (dOut[at + i] as number) * (weight[i] as number) * (residual[at + i] as number);
    const common = (product * scale * scale * scale) / width;
    for (let i = 0; i < width; i++) {
      const direct = (dOut[at + i] as number) * (weight[i] as number) * scale;
      dResidual[at + i] = (dResidual[at + i] as number) + (direct - (residual[at + i] as number) * common);
    }
  }
};
