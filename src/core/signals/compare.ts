import type { ActualShape, ExpectedRows, ExpectedShape, ShapeKind } from '../../protocol/ask.ts';
import { countOf, kindInWords, rowsInWords } from './describe.ts';

/** Kinds of values that a column of an expected kind may hold. Years and time stamps are dates too, and 0 and 1 answer yes or no. */
const FITS: Record<ShapeKind, readonly ShapeKind[]> = {
  count: ['count'],
  number: ['count', 'number'],
  text: ['text', 'date', 'boolean'],
  date: ['date', 'text', 'count'],
  boolean: ['boolean', 'count', 'text'],
  any: ['count', 'number', 'text', 'date', 'boolean'],
};

function rowsFit(expected: ExpectedRows, { rows, truncated }: ActualShape): boolean {
  switch (expected.kind) {
    case 'one':
      return rows === 1 && !truncated;
    case 'exactly':
      return rows === expected.n && !truncated;
    case 'at_most':
      return rows <= expected.n && !truncated;
    case 'one_per':
      return rows > 0;
    case 'any':
      return true;
  }
}

function rowDifference(expected: ExpectedRows, actual: ActualShape): string[] {
  if (rowsFit(expected, actual)) return [];
  const count =
    actual.rows === 0 ? 'none' : `${actual.truncated ? 'more than ' : ''}${actual.rows.toLocaleString('en-US')}`;
  const verb = actual.rows === 1 && !actual.truncated ? 'is' : 'are';
  return [`The question asks for ${rowsInWords(expected)}; there ${verb} ${count}.`];
}

function columnDifferences(expected: NonNullable<ExpectedShape['columns']>, actual: ActualShape): string[] {
  if (expected.length !== actual.columns.length) {
    const wanted = expected.length === 1 ? 'one column' : countOf(expected.length, 'column');
    const names = actual.columns.map(({ name }) => name).join(', ');
    return [
      `The question asks for ${wanted}; there ${actual.columns.length === 1 ? 'is' : 'are'} ${actual.columns.length} (${names}).`,
    ];
  }
  return actual.columns.flatMap(({ name, kind }, index) => {
    const wanted = expected[index]?.kind ?? 'any';
    if (kind === 'any' || FITS[wanted].includes(kind)) return [];
    return [`Column ${name} should hold ${kindInWords(wanted)}; it holds ${kindInWords(kind)}.`];
  });
}

/**
 * Compares the shape that an answer should have with the one it has.
 *
 * @returns `agrees` null where either is unknown; `differences` a sentence each, none where they agree
 */
export function compareShapes(
  expected: ExpectedShape | null,
  actual: ActualShape | null,
): { agrees: boolean | null; differences: string[] } {
  if (expected === null || actual === null) return { agrees: null, differences: [] };
  const columns = expected.columns === null ? [] : columnDifferences(expected.columns, actual);
  const differences = [...rowDifference(expected.rows, actual), ...columns];
  return { agrees: differences.length === 0, differences };
}
