import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Row, Rows, Table } from '../../../src/core/score/rows.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
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

/** Numbers from 0 up to 1 that depend on the seed alone. */
export function randomFrom(seed: number): () => number {
  const random = new Random(seed);
  return () => random.uint32() / 2 ** 32;
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
