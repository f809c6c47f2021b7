import type { Floats, Strided } from '../matrix.ts';

/** A part of a matrix whose rows go into panels. */
export interface PackedPart {
  /** First row, and rows. */
  row: number;
  rows: number;
  /** First column, columns, and columns with padding. */
  col: number;
  cols: number;
  padded: number;
}

/** Writes panels of `side` rows as [padded][side], one behind the other, zeros where the part has no row or column. */
export function packRows(panels: Floats, side: number, from: Strided, part: PackedPart): void {
  const { row, rows, col, padded } = part;
  for (let first = 0; first < rows; first += side) {
    const count = Math.min(side, rows - first);
    const to = first * padded;
    const at = from.offset + (row + first) * from.rowStride + col * from.colStride;
    if (count < side || part.cols < padded) panels.fill(0, to, to + side * padded);
    if (from.rowStride === 1) copyColumns(panels, to, side, from.data, at, from.colStride, count, part.cols);
    else transpose(panels, to, side, from.data, at, from, count, part.cols);
  }
}

function copyColumns(
  panels: Floats,
  to: number,
  side: number,
  data: Floats,
  at: number,
  colStride: number,
  count: number,
  cols: number,
): void {
  for (let k = 0; k < cols; k++) {
    const target = to + k * side;
    const source = at + k * colStride;
    for (let i = 0; i < count; i++) panels[target + i] = data[source + i] as number;
  }
}

function transpose(
  panels: Floats,
  to: number,
  side: number,
  data: Floats,
  at: number,
  { rowStride, colStride }: Strided,
  count: number,
  cols: number,
): void {
  for (let i = 0; i < count; i++) {
    let target = to + i;
    let source = at + i * rowStride;
    for (let k = 0; k < cols; k++, target += side, source += colStride) panels[target] = data[source] as number;
  }
}
