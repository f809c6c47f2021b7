import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Row, Rows, Table } from '../../../src/core/score/rows.ts';
import type { Cell } from '../../../src/protocol/value.ts';

/** Lines of a fixture of this area, parsed. */
export function fixtureLines<Line>(name: string): Line[] {
  const file = new URL(`../../fixtures/score/${name}`, import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines.map((line): Line => JSON.parse(line));
}

/** A result whose columns are called a, b, c …; `width` where there are no rows. */
export function tableOf(rows: Rows, width = rows[0]?.length ?? 1): Table {
  return { columns: Array.from({ length: width }, (_, index) => String.fromCharCode(97 + index)), rows };
}

/** Numbers from 0 up to 1 that depend on the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same values in another order. */
export function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  const order = values.map((value) => ({ value, at: random() })).sort((a, b) => a.at - b.at);
  return order.map(({ value }) => value);
}

/** Rows with their columns in the order given. */
export function withColumns(rows: Rows, order: readonly number[]): Row[] {
  return rows.map((row) => order.map((column): Cell => row[column] ?? null));
}
