// Spider's execution metric (Zhong, Yu, Klein 2020, "Semantic Evaluation for Text-to-SQL with Distilled Test Suites"),
// on one database, DISTINCT removed from both sides, values compared.
import type { Cell } from '../../src/protocol/value.ts';

type Row = readonly Cell[];

/** Takes every DISTINCT out of a statement, except inside quotes. */
export function withoutDistinct(sql: string): string {
  return sql.replaceAll(
    /('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])|\bdistinct\b/gi,
    (_all, quoted?: string) => quoted ?? '',
  );
}

/** What makes two values equal: numbers by value whatever their type, text, blobs, NULL. */
function keyOf(cell: Cell): string {
  if (cell === null) return 'null';
  if (typeof cell === 'number' || typeof cell === 'bigint') return `n${cell}`;
  if (typeof cell === 'string') return `t${cell}`;
  if (cell instanceof Uint8Array) return `b${Buffer.from(cell).toString('hex')}`;
  return 'blob' in cell ? `b${Buffer.from(cell.blob).toString('hex')}…${cell.bytes}` : `t${cell.text}`;
}

const SEPARATOR = '\u0000';

function counts(keys: readonly string[]): Map<string, number> {
  const result = new Map<string, number>();
  for (const key of keys) result.set(key, (result.get(key) ?? 0) + 1);
  return result;
}

function sameMultiset(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const left = counts(a);
  for (const key of b) {
    const count = left.get(key);
    if (!count) return false;
    left.set(key, count - 1);
  }
  return true;
}

function columnKeys(rows: readonly string[][], column: number): string[] {
  return rows.map((row) => row[column] ?? '');
}

function rowsUnder(rows: readonly string[][], order: readonly number[]): string[] {
  return rows.map((row) => order.map((column) => row[column] ?? '').join(SEPARATOR));
}

function isMatch(gold: readonly string[], predicted: readonly string[], ordered: boolean): boolean {
  return ordered ? gold.every((key, index) => key === predicted[index]) : sameMultiset(gold, predicted);
}

/** Tries, column by column of the gold, the predicted columns that hold the same values. */
function searchOrder(
  gold: string[][],
  predicted: string[][],
  ordered: boolean,
  order: number[],
  width: number,
): boolean {
  const column = order.length;
  if (column === width) {
    const identity = order.map((_, index) => index);
    return isMatch(rowsUnder(gold, identity), rowsUnder(predicted, order), ordered);
  }
  for (let candidate = 0; candidate < width; candidate += 1) {
    if (order.includes(candidate)) continue;
    if (!isMatch(columnKeys(gold, column), columnKeys(predicted, candidate), ordered)) continue;
    if (searchOrder(gold, predicted, ordered, [...order, candidate], width)) return true;
  }
  return false;
}

/** True where the two tables hold the same rows under some order of columns. @param ordered row order counts too. */
export function sameResult(gold: readonly Row[], predicted: readonly Row[], ordered: boolean): boolean {
  if (gold.length === 0 && predicted.length === 0) return true;
  if (gold.length !== predicted.length) return false;
  const width = gold[0]?.length ?? 0;
  if (width !== predicted[0]?.length) return false;
  const [goldKeys, predictedKeys] = [gold, predicted].map((rows) => rows.map((row) => row.map(keyOf)));
  return searchOrder(goldKeys ?? [], predictedKeys ?? [], ordered, [], width);
}

/** Row order counts where the gold says so. */
export function isOrdered(gold: string): boolean {
  return gold.toLowerCase().includes('order by');
}
