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

/** Rows that are copied together; a panel's side is a multiple. */
const TOGETHER = 4;

/** Writes panels of `side` rows as [padded][side], one behind the other from `to` on; zeros where the part has no row or column. */
export function packRows(panels: Floats, to: number, side: number, from: Strided, part: PackedPart): void {
  const { data, rowStride, colStride } = from;
  for (let first = 0; first < part.rows; first += side) {
    const count = Math.min(side, part.rows - first);
    const panel = to + first * part.padded;
    const at = from.offset + (part.row + first) * rowStride + part.col * colStride;
    if (count < side || part.cols < part.padded) panels.fill(0, panel, panel + side * part.padded);
    let row = 0;
    for (; row + TOGETHER <= count; row += TOGETHER)
      copyFour(panels, panel + row, side, data, at + row * rowStride, rowStride, colStride, part.cols);
    for (; row < count; row++) copyOne(panels, panel + row, side, data, at + row * rowStride, colStride, part.cols);
  }
}

function copyFour(
  panels: Floats,
  to: number,
  side: number,
  data: Floats,
  at: number,
  rowStride: number,
  colStride: number,
  cols: number,
): void {
  let source = at;
  let target = to;
  for (let k = 0; k < cols; k++) {
    panels[target] = data[source] as number;
    panels[target + 1] = data[source + rowStride] as number;
    panels[target + 2] = data[source + 2 * rowStride] as number;
    panels[target + 3] = data[source + 3 * rowStride] as number;
    source += colStride;
    target += side;
  }
}

function copyOne(
  panels: Floats,
  to: number,
  side: number,
  data: Floats,
  at: number,
  colStride: number,
  cols: number,
): void {
  for (let k = 0; k < cols; k++) panels[to + k * side] = data[at + k * colStride] as number;
}
