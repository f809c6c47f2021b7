import type { Duplicates, ExpectedRows, ExpectedShape, ShapeKind } from '../../protocol/ask.ts';

/** `1 row`, `5 rows`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A kind in words: what one value of the column is. */
export function kindInWords(kind: ShapeKind): string {
  const words: Record<ShapeKind, string> = {
    count: 'a whole number',
    number: 'a number',
    text: 'text',
    date: 'a date',
    boolean: 'yes or no',
    any: 'any value',
  };
  return words[kind];
}

/** The number of rows in words, such as `at most 3 rows`. */
export function rowsInWords(rows: ExpectedRows): string {
  switch (rows.kind) {
    case 'one':
      return 'one row';
    case 'at_most':
      return `at most ${countOf(rows.n, 'row')}`;
    case 'exactly':
      return countOf(rows.n, 'row');
    case 'one_per':
      return `one row per ${rows.of}`;
    case 'any':
      return 'any number of rows';
  }
}

/** An expected shape in words, such as `one row with one column (a whole number)`. */
export function shapeInWords(shape: ExpectedShape): string {
  const rows = rowsInWords(shape.rows);
  if (shape.columns === null) return rows;
  const columns = shape.columns.map(({ name, kind }) =>
    name === null ? kindInWords(kind) : `${name}: ${kindInWords(kind)}`,
  );
  const count = shape.columns.length === 1 ? 'one column' : countOf(shape.columns.length, 'column');
  return `${rows} with ${count} (${columns.join('; ')})`;
}

/**
 * What the comparison of shapes leaves open, as a sentence: for "one row per team" only whether there are rows is
 * compared, since nothing counts the teams. Null where nothing is open.
 */
export function uncheckedInWords({ rows }: ExpectedShape): string | null {
  return rows.kind === 'one_per' ? `Whether every ${rows.of} has its row was not counted.` : null;
}

/** The flag of duplicated rows as a sentence. */
export function duplicatesInWords({ rows, total }: Duplicates): string {
  const are = rows === 1 ? 'is' : 'are';
  return `${rows.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} rows ${are} equal to an earlier row: a join may multiply rows, or DISTINCT is missing.`;
}
