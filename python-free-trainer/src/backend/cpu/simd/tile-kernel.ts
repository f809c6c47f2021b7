import { add, advance, assemble, type Code, get, i32, multiply, set, vectors, whileLess } from './assembler.ts';

export interface TileShape {
  /** Bytes of a number: 4 or 8. */
  width: 4 | 8;
  /** Rows of a tile, and its columns in vectors of 16 bytes. */
  rows: number;
  vectors: number;
  /** One instruction for product and sum, rounded once; not every engine has it. */
  fused: boolean;
}

/** Steps of the inner dimension in one turn of the innermost loop; panels are padded with zeros to a multiple. */
export const UNROLL = 4;

// Locals: parameters, then integers, then vectors.
const LEFT = 0;
const RIGHT = 1;
const RESULT = 2;
const LEFT_END = 3;
const RIGHT_END = 4;
const INNER = 5;
const ROW_BYTES = 6;
const A = 7;
const B = 8;
const C = 9;
const END = 10;
const COLUMN = 11;
const ROW = 12;
const PARAMETERS = 7;
const INTEGERS = 6;
const FIRST_VECTOR = PARAMETERS + INTEGERS;

/**
 * Bytes of `block(left, right, result, leftEnd, rightEnd, inner, rowBytes)`: adds the product of two packed blocks to
 * `result`, whose rows are `rowBytes` apart. Left: panels of [inner][rows] numbers, one behind the other; right: panels of
 * [inner][columns]; the two ends are the addresses behind the last panels. Every number of the result is the sum of its
 * products in order, added to what was there.
 */
export function tileKernel(shape: TileShape): Uint8Array<ArrayBuffer> {
  const { rows, vectors: perRow } = shape;
  const columnBytes = perRow * 16;
  const overRows: Code = [
    ...get(LEFT),
    ...set(ROW),
    ...get(RESULT),
    ...get(COLUMN),
    ...add,
    ...set(C),
    ...whileLess(ROW, get(LEFT_END), [
      ...get(ROW),
      ...set(A),
      ...get(RIGHT),
      ...set(B),
      ...tile(shape),
      ...get(A),
      ...set(ROW),
      ...advance(C, [...get(ROW_BYTES), ...i32(rows), ...multiply]),
    ]),
  ];
  const body: Code = [
    ...i32(0),
    ...set(COLUMN),
    ...whileLess(RIGHT, get(RIGHT_END), [
      ...overRows,
      ...advance(COLUMN, i32(columnBytes)),
      ...advance(RIGHT, [...get(INNER), ...i32(columnBytes), ...multiply]),
    ]),
  ];
  return assemble('block', PARAMETERS, { integers: INTEGERS, vectors: rows * perRow + perRow + 1 }, body);
}

/** One tile: sums from zero over the inner dimension, then added to the result. Leaves A behind its panel. */
function tile({ width, rows, vectors: perRow, fused }: TileShape): Code {
  const op = vectors(width);
  const sum = (row: number, v: number) => FIRST_VECTOR + row * perRow + v;
  const right = (v: number) => FIRST_VECTOR + rows * perRow + v;
  const left = FIRST_VECTOR + rows * perRow + perRow;
  const code: number[] = [];
  for (let i = 0; i < rows * perRow; i++) code.push(...op.zero, ...set(FIRST_VECTOR + i));
  const step: number[] = [];
  for (let k = 0; k < UNROLL; k++) {
    for (let v = 0; v < perRow; v++) step.push(...get(B), ...op.load((k * perRow + v) * 16), ...set(right(v)));
    for (let row = 0; row < rows; row++) {
      step.push(...get(A), ...op.loadSplat((k * rows + row) * width), ...set(left));
      for (let v = 0; v < perRow; v++) {
        const s = get(sum(row, v));
        if (fused) step.push(...get(left), ...get(right(v)), ...s, ...op.multiplyAdd, ...set(sum(row, v)));
        else step.push(...get(left), ...get(right(v)), ...op.multiply, ...s, ...op.add, ...set(sum(row, v)));
      }
    }
  }
  code.push(...get(A), ...get(INNER), ...i32(rows * width), ...multiply, ...add, ...set(END));
  const turn = [...step, ...advance(A, i32(UNROLL * rows * width)), ...advance(B, i32(UNROLL * perRow * 16))];
  code.push(...whileLess(A, get(END), turn));
  code.push(...get(C), ...set(B));
  for (let row = 0; row < rows; row++) {
    for (let v = 0; v < perRow; v++)
      code.push(...get(B), ...get(B), ...op.load(v * 16), ...get(sum(row, v)), ...op.add, ...op.store(v * 16));
    if (row + 1 < rows) code.push(...advance(B, get(ROW_BYTES)));
  }
  return code;
}
