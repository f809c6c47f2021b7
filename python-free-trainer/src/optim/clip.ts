/**
 * What a gradient is multiplied with so that its norm stays under `limit`: min(1, limit / (norm + 1e-6)), as torch's
 * `clip_grad_norm_` does.
 *
 * @param norm L2 norm over all gradients together
 * @param limit null: not clipped
 */
export function clipFactor(norm: number, limit: number | null): number {
  return limit === null ? 1 : Math.min(1, limit / (norm + 1e-6));
}
