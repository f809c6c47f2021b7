import type { AdamSettings } from '../backend/backend.ts';

type Floats = Float32Array | Float64Array;

/**
 * One update of AdamW (Loshchilov and Hutter, arXiv 1711.05101) in the order of operations of `torch.optim.AdamW`:
 *
 *     p ← p (1 - lr · decay)
 *     m ← m + (g - m)(1 - β₁);   v ← β₂ v + (1 - β₂) g²
 *     p ← p - lr / (1 - β₁ᵗ) · m / (√v / √(1 - β₂ᵗ) + ε)
 *
 * with g multiplied by `gradScale` first. All four arrays have one length and are of one kind; the first, third and fourth
 * are changed. Results are rounded to that kind where they are stored.
 */
export function adamwUpdate(
  parameter: Floats,
  gradient: Floats,
  first: Floats,
  second: Floats,
  settings: AdamSettings,
): void {
  const { lr, beta1, beta2, eps, weightDecay, gradScale, step } = settings;
  const decay = 1 - lr * weightDecay;
  const stepSize = lr / (1 - beta1 ** step);
  const correction = Math.sqrt(1 - beta2 ** step);
  for (let index = 0; index < parameter.length; index++) {
    const slope = (gradient[index] ?? 0) * gradScale;
    const moment = first[index] ?? 0;
    first[index] = moment + (slope - moment) * (1 - beta1);
    second[index] = (second[index] ?? 0) * beta2 + slope * slope * (1 - beta2);
    const scale = Math.sqrt(second[index] ?? 0) / correction + eps;
    parameter[index] = (parameter[index] ?? 0) * decay - (stepSize * (first[index] ?? 0)) / scale;
  }
}
