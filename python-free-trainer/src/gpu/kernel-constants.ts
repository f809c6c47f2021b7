/** Widths that the kernels of norms are compiled for, in 256 elements (kernels/norm.cu). */
const NORM_PIECES = [1, 3, 4, 6, 8, 10, 12, 14, 16, 20];
/** Sizes of heads that are rotated (kernels/rotate.cu). */
const HEAD_DIMS = [16, 32, 64, 128];

/**
 * The sizes of a model that kernels gain by knowing when they are compiled: those by which every thread divides, or by which
 * it knows that no check is due. Others gain nothing: the norm's way back then takes 212 registers for 122, matrix products
 * and attention have tiles of fixed sizes, and a row of logits is one block's.
 */
export interface KernelConstants {
  hidden: number;
  ffn: number;
  heads: number;
  kvHeads: number;
  headDim: number;
}

/** The constants of a model, of all that is told of it; null where there are no kernels for its sizes. */
export function kernelConstants({ hidden, ffn, heads, kvHeads, headDim }: KernelConstants): KernelConstants | null {
  const isKnown = findNormPieces(hidden) !== undefined && ffn % 8 === 0 && HEAD_DIMS.includes(headDim);
  return isKnown ? { hidden, ffn, heads, kvHeads, headDim } : null;
}

/** As options of a compiler, under the names that kernels/common.cuh, norm.cu and rotate.cu look for. */
export function defines({ hidden, ffn, heads, kvHeads, headDim }: KernelConstants): string[] {
  const sizes = { HIDDEN: hidden, FFN: ffn, HEADS: heads, KV_HEADS: kvHeads };
  const kernels = { HEAD_DIM: headDim, NORM_PIECES: normPieces(hidden) };
  return Object.entries({ ...sizes, ...kernels }).map(([name, value]) => `-D${name}=${value}`);
}

/**
 * The kernels that are compiled for a model, and with what they may be launched: their last parameters, null where any value
 * will do.
 */
export function specialisedKernels({
  hidden,
  ffn,
  heads,
  kvHeads,
  headDim,
}: KernelConstants): Map<string, readonly (number | null)[]> {
  const pieces = normPieces(hidden);
  return new Map<string, readonly (number | null)[]>([
    // … rows, width, eps
    [`rms_norm_${pieces}`, [hidden, null]],
    // … rows, heads, kvHeads, eps
    [`rotate_${headDim}`, [heads, kvHeads, null]],
    [`rotate_backward_${headDim}`, [heads, kvHeads]],
    // … rows, width
    ['swiglu', [ffn]],
    ['swiglu_backward', [ffn]],
  ]);
}

/** Whether arguments of a launch end with those that a kernel was compiled for. */
export function fits(last: readonly (number | null)[], args: readonly (number | null)[]): boolean {
  const from = args.length - last.length;
  for (let i = 0; i < last.length; i++) if (last[i] !== null && last[i] !== args[from + i]) return false;
  return true;
}

/** Which kernel of norms takes rows of so many elements: its number. @throws RangeError where none does */
export function normPieces(width: number): number {
  const pieces = findNormPieces(width);
  if (pieces === undefined) throw new RangeError(`no kernel for rows of ${width} elements`);
  return pieces;
}

function findNormPieces(width: number): number | undefined {
  return width % 8 === 0 ? NORM_PIECES.find((count) => count * 256 >= width) : undefined;
}
