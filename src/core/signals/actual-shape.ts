import type { ActualShape, ShapeKind } from '../../protocol/ask.ts';
import type { JsonCell } from '../../protocol/value.ts';

const DATE = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const BOOLEAN = /^(?:true|false|yes|no)$/i;

function kindOfText(text: string): ShapeKind {
  if (DATE.test(text)) return 'date';
  return BOOLEAN.test(text) ? 'boolean' : 'text';
}

/** Kind of one value; null for NULL, which says nothing. A blob fits everything. */
function kindOfCell(cell: JsonCell): ShapeKind | null {
  if (cell === null) return null;
  if (typeof cell === 'number') return Number.isInteger(cell) ? 'count' : 'number';
  if (typeof cell === 'string') return kindOfText(cell);
  if ('int' in cell) return 'count';
  if ('real' in cell) return 'number';
  return 'text' in cell ? 'text' : 'any';
}

const isNumeric = (kind: ShapeKind) => kind === 'count' || kind === 'number';
const isTextual = (kind: ShapeKind) => kind === 'text' || kind === 'date' || kind === 'boolean';

/** The kind that holds both: whole numbers are numbers, dates and truth values are text, and all else is `any`. */
function join(a: ShapeKind, b: ShapeKind): ShapeKind {
  if (a === b) return a;
  if (isNumeric(a) && isNumeric(b)) return 'number';
  return isTextual(a) && isTextual(b) ? 'text' : 'any';
}

/** Kind of a column by its values, not by its declared type; `any` for a column without values. */
function kindOfColumn(rows: readonly (readonly JsonCell[])[], index: number): ShapeKind {
  let kind: ShapeKind | null = null;
  for (const row of rows) {
    const next = kindOfCell(row[index] ?? null);
    if (next === null) continue;
    kind = kind === null ? next : join(kind, next);
    if (kind === 'any') break;
  }
  return kind ?? 'any';
}

/**
 * The shape that a result has.
 *
 * @param result `rows` is what was returned; where `truncated`, the number of rows is a lower bound
 */
export function actualShape(result: {
  columns: readonly string[];
  rows: readonly (readonly JsonCell[])[];
  truncated: boolean;
}): ActualShape {
  const { rows, truncated } = result;
  const columns = result.columns.map((name, index) => ({ name, kind: kindOfColumn(rows, index) }));
  return { rows: rows.length, truncated, columns };
}
