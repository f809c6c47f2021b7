import { type GemmOptions, type Matrix, part } from '../matrix.ts';
import type { Kernel } from './kernel.ts';

export interface GemmArgs {
  c: Matrix;
  a: Matrix;
  b: Matrix;
  options: GemmOptions;
  /** What a unit of the job is: so many rows or columns of c. */
  along: 'rows' | 'cols';
  unit: number;
}

export const gemmKernel: Kernel<GemmArgs> = (from, to, { c, a, b, options, along, unit }, workspace) => {
  const first = from * unit;
  if (along === 'rows') {
    const count = Math.min(to * unit, c.rows) - first;
    const rows = options.transposeA ? part(a, 0, a.rows, first, count) : part(a, first, count, 0, a.cols);
    workspace.multiply(part(c, first, count, 0, c.cols), rows, b, options);
    return;
  }
  const count = Math.min(to * unit, c.cols) - first;
  const cols = options.transposeB ? part(b, first, count, 0, b.cols) : part(b, 0, b.rows, first, count);
  workspace.multiply(part(c, 0, c.rows, first, count), a, cols, options);
};
