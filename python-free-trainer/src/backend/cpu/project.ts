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
  for (const { adapter, slice, low } of places(projection, out, lowRank)) {
    gemm(threads, low, x, matrix(adapter.a), { transposeB: true });
    gemm(threads, slice, low, matrix(adapter.b), { transposeB: true, alpha: projection.scale, accumulate: true });
  }
}

/**
 * See `Backend.projectBackward`. With y = x Wᵀ + s (x aᵀ) bᵀ: dx = dy W + d a, gradB = s dyᵀ (x aᵀ), gradA = dᵀ x, where
 * d = s dy b.
 *
 * @param low x aᵀ of all adapters (`rank`), and what gets d, both [T, sum of r]; null: without adapters
 * @param x called once dX is written
 */
export function projectBackward(
  threads: Threads,
  dX: CpuTensor | null,
  dOut: CpuTensor,
  low: { rank: CpuTensor; d: CpuTensor } | null,
  x: () => CpuTensor,
  projection: Projection,
): void {
  if (dX !== null) gemm(threads, dX, dOut, matrix(projection.weight), { accumulate: true });
  const alpha = projection.scale;
  const adapters = low === null ? [] : places(projection, dOut, low.rank, low.d);
  for (const { adapter, slice, d } of adapters) {
    gemm(threads, d, slice, matrix(adapter.b), { alpha });
    if (dX !== null) gemm(threads, dX, d, matrix(adapter.a), { accumulate: true });
  }
  const inputs = x();
  for (const { adapter, slice, low, d } of adapters) {
    gemm(threads, matrix(adapter.gradB), slice, low, { transposeA: true, alpha, accumulate: true });
    gemm(threads, matrix(adapter.gradA), d, inputs, { transposeA: true, accumulate: true });
  }
}

/** Each adapter with its columns of the output, of the low-rank product, and of the gradient by that. */
function places(projection: Projection, output: Matrix, lowRank: Matrix, gradient: Matrix = lowRank) {
  let rank = 0;
  return projection.adapters.map((adapter: ProjectionAdapter) => {
    const columns = (of: Matrix) => part(of, 0, of.rows, rank, adapter.a.rows);
    const [low, d] = [columns(lowRank), columns(gradient)];
    rank += adapter.a.rows;
    return { adapter, low, d, slice: part(output, 0, output.rows, adapter.from, adapter.b.rows) };
  });
}

function matrix(tensor: Tensor): CpuTensor {
  return tensor as CpuTensor;
}
