import { tokensOf } from './tokens.ts';

const READERS = new Set(['SELECT', 'VALUES', 'WITH']);

/**
 * A query that gives the rows of `sql` and, behind them, the bytes of some of its columns as blobs. The caller must check
 * that the rows are the same: a query with random() gives others each time.
 * @param width number of columns of `sql`
 * @param columns indexes of the columns whose bytes are wanted
 * @returns null where `sql` is not a SELECT, VALUES or WITH
 */
export function withBytes(sql: string, width: number, columns: readonly number[]): string | null {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== 'SEMI');
  const first = tokens.at(0);
  const last = tokens.at(-1);
  if (!first || !last || !READERS.has(first.kind)) return null;
  const names = Array.from({ length: width }, (_, index) => `"${index}"`);
  const bytes = columns.map((index) => `CAST("${index}" AS BLOB)`);
  const name = unusedName(sql);
  const query = sql.slice(first.offset, last.end);
  return `WITH ${name}(${names.join(', ')}) AS (${query}) SELECT ${[...names, ...bytes].join(', ')} FROM ${name}`;
}

function unusedName(sql: string): string {
  const lower = sql.toLowerCase();
  let count = 0;
  while (lower.includes(`rows_${count}`)) count++;
  return `rows_${count}`;
}
