import type { Projection, ProjectionAdapter, Tensor } from '../backend.ts';
import { gemm } from './gemm.ts';
import { type Matrix, part } from './matrix.ts';
import type { CpuTensor } from './memory.ts';
import type { Threads } from './threads.ts';

const FEW_ROWS = 32;

/** See `Backend.project`. */
export function project(
  threads: Threads,
  out: CpuTensor,
  lowRank: CpuTensor | null,
  x: CpuTensor,
  projection: Projection,
): void {
  gemm(threads, out, x, matrix(projection.weight), { transposeB: true });
  if (projection.bias !== null)
    threads.run('addBias', out.rows, { out: out.data, bias: matrix(projection.bias).data }, FEW_ROWS);
  if (lowRank === null) return;
  for (const { adapter, low, slice } of places(projection, out, lowRank)) {
    gemm(threads, low, x, matrix(adapter.a), { transposeB: true });
    gemm(threads, slice, low, matrix(adapter.b), { transposeB: true, alpha: projection.scale, accumulate: true });
  }
}

/**
 * See `Backend.projectBackward`. With y = x Wᵀ + s (x aᵀ) bᵀ: dx = dy W + d a, gradB = s dyᵀ (x aᵀ), gradA = dᵀ x, where
 * d = s dy b.
 *
 * @param scratch [T, largest r]
 */
export function projectBackward(
  threads: Threads,
  dX: CpuTensor | null,
  dOut: CpuTensor,
  lowRank: CpuTensor | null,
  x: CpuTensor,
  projection: Projection,
  scratch: CpuTensor,
): void {
  if (dX !== null) gemm(threads, dX, dOut, matrix(projection.weight), { accumulate: true });
  if (lowRank === null) return;
  const alpha = projection.scale;
  for (const { adapter, low, slice } of places(projection, dOut, lowRank)) {
    gemm(threads, matrix(adapter.gradB), slice, low, { transposeA: true, alpha, accumulate: true });
    const dLow = part(scratch, 0, x.rows, 0, adapter.a.rows);
    gemm(threads, dLow, slice, matrix(adapter.b), { alpha });
    gemm(threads, matrix(adapter.gradA), dLow, x, { transposeA: true, accumulate: true });
    if (dX !== null) gemm(threads, dX, dLow, matrix(adapter.a), { accumulate: true });
  }
}

/** Each adapter with its columns of the output and of the low-rank product. */
function places(projection: Projection, output: Matrix, lowRank: Matrix) {
  let rank = 0;
  return projection.adapters.map((adapter: ProjectionAdapter) => {
    const low = part(lowRank, 0, lowRank.rows, rank, adapter.a.rows);
    rank += adapter.a.rows;
    return { adapter, low, slice: part(output, 0, output.rows, adapter.from, adapter.b.rows) };
  });
}

function matrix(tensor: Tensor): CpuTensor {
  return tensor as CpuTensor;
}
