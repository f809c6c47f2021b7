import type { ErrorClass, Finding } from '../../../protocol/diagnosis.ts';
import type { Cell } from '../../../protocol/value.ts';
import type { Row, Rows, Table } from '../../score/rows.ts';
import { spiderEx } from '../../score/spider-ex.ts';
import { compareStrictly, strictKey } from '../../score/strict-ex.ts';

/** Results with more rows are not looked at. */
const MOST_ROWS = 5_000;
/** Decimal places to which results are rounded for comparison. */
const MOST_PLACES = 4;

/** What two results alone show, whatever their queries say. Each is proved by the rows. */
export function findingsFromResults(gold: Table, pred: Table, ordered: boolean): Finding[] {
  if (gold.rows.length > MOST_ROWS || pred.rows.length > MOST_ROWS) return [];
  const reason = compareStrictly(gold, pred, ordered);
  if (reason === 'row_order') return [found('wrong_order', 'The rows are the gold’s, in another order.', {})];
  if (gold.rows.length === 0 || pred.rows.length === 0) return [];
  if (reason === 'column_count') return ofColumns(gold, pred);
  return [...ofDuplicates(gold, pred, ordered), ...ofValues(gold, pred, ordered)];
}

function found(kind: ErrorClass, sentence: string, evidence: Finding['evidence']): Finding {
  return {
    class: kind,
    sentence,
    range: null,
    goldRange: null,
    confidence: 1,
    evidence: { ...evidence, shown_by: 'rows' },
  };
}

function ofColumns(gold: Table, pred: Table): Finding[] {
  const [few, many] = gold.columns.length < pred.columns.length ? [gold, pred] : [pred, gold];
  const isExtra = few === gold;
  const places = columnsWithin(few, many);
  if (places !== null) {
    const others = many.columns.filter((_, index) => !places.includes(index));
    const names = others.join(', ');
    return [
      isExtra
        ? found('extra_column', `The rows are the gold's with more columns: ${names}.`, { columns: others })
        : found('missing_column', `The rows are the gold's without columns: ${names}.`, { columns: others }),
    ];
  }
  if (isExtra || gold.rows.length !== pred.rows.length) return [];
  const joined = (rows: Rows) =>
    rows.map((row) =>
      row
        .map((cell) => (cell === null ? '' : String(cell)))
        .join('')
        .replace(/[^\p{L}\p{N}]/gu, ''),
    );
  const same = joined(gold.rows).sort().join('\n') === joined(pred.rows).sort().join('\n');
  return same
    ? [found('concatenation', 'The prediction puts into one column what the gold gives in several.', {})]
    : [];
}

const MOST_ASSIGNMENTS = 200;

/** Places in the wider result of columns that make up the narrower one; null where there are none. */
function columnsWithin(few: Table, many: Table): number[] | null {
  if (few.rows.length !== many.rows.length) return null;
  const keysOf = (rows: Rows, column: number) =>
    rows
      .map((row) => strictKey(row[column] ?? null))
      .sort()
      .join('');
  const wide = many.columns.map((_, column) => keysOf(many.rows, column));
  const candidates = few.columns.map((_, column) => {
    const key = keysOf(few.rows, column);
    return wide.flatMap((other, index) => (other === key ? [index] : []));
  });
  let tried = 0;
  const choose = (column: number, chosen: readonly number[]): number[] | null => {
    if (column === candidates.length) {
      tried++;
      const rows = many.rows.map((row) => chosen.map((index) => row[index] ?? null));
      return compareStrictly(few, { columns: few.columns, rows }, false) === null ? [...chosen] : null;
    }
    for (const index of candidates[column] ?? []) {
      if (chosen.includes(index) || tried > MOST_ASSIGNMENTS) continue;
      const rest = choose(column + 1, [...chosen, index]);
      if (rest !== null) return rest;
    }
    return null;
  };
  return choose(0, []);
}

function distinctRows(rows: Rows): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = row.map(strictKey).join('');
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function ofDuplicates(gold: Table, pred: Table, ordered: boolean): Finding[] {
  const unique = (table: Table): Table => ({ columns: table.columns, rows: distinctRows(table.rows) });
  const evidence = { gold_rows: gold.rows.length, pred_rows: pred.rows.length };
  if (compareStrictly(gold, unique(pred), ordered) === null) {
    const repeated = pred.rows.length - gold.rows.length;
    const sentence = `${repeated} rows of the prediction repeat others; without them the result is the gold's.`;
    return [found('missing_distinct', sentence, evidence)];
  }
  if (compareStrictly(unique(gold), pred, false) === null) {
    const dropped = gold.rows.length - pred.rows.length;
    return [found('extra_distinct', `The gold has ${dropped} more rows, which repeat others.`, evidence)];
  }
  return [];
}

function ofValues(gold: Table, pred: Table, ordered: boolean): Finding[] {
  if (gold.rows.length !== pred.rows.length) return ofNulls(gold, pred);
  if (spiderEx(gold.rows, pred.rows, ordered))
    return [found('swapped_columns', 'The columns are the gold’s in another order.', {})];
  const same = (change: (cell: Cell) => Cell) =>
    compareStrictly(changed(gold, change), changed(pred, change), false) === null;
  if (same(asNumber)) return [found('text_for_number', 'Numbers stand as text on one side.', {})];
  if (same(withoutCase)) return [found('filter_case_or_space', 'The values differ in case or white space alone.', {})];
  if (same((cell) => cell ?? 0) || same((cell) => cell ?? ''))
    return [found('null_handling', 'Where one side has NULL the other has 0 or an empty text.', {})];
  return ofNumbers(gold, pred);
}

function changed(table: Table, change: (cell: Cell) => Cell): Table {
  return { columns: table.columns, rows: table.rows.map((row) => row.map(change)) };
}

function asNumber(cell: Cell): Cell {
  return typeof cell === 'string' && cell.trim() !== '' && Number.isFinite(Number(cell)) ? Number(cell) : cell;
}

function withoutCase(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.trim().toLowerCase() : cell;
}

/** Numbers of results that are equal when rounded, or when the gold's fractions are dropped. */
function ofNumbers(gold: Table, pred: Table): Finding[] {
  const truncated = (table: Table) => changed(table, (cell) => (typeof cell === 'number' ? Math.trunc(cell) : cell));
  const isWhole = pred.rows.every((row) => row.every((cell) => typeof cell !== 'number' || Number.isInteger(cell)));
  if (isWhole && compareStrictly(truncated(gold), pred, false) === null)
    return [
      found('integer_division', 'The numbers are the gold’s without their fractions.', {}),
      found('rounding', 'The numbers are the gold’s without their fractions.', {}),
    ];
  for (let places = MOST_PLACES; places >= 0; places--) {
    const rounded = (table: Table) =>
      changed(table, (cell) => (typeof cell === 'number' ? Math.round(cell * 10 ** places) / 10 ** places : cell));
    if (compareStrictly(rounded(gold), rounded(pred), false) === null)
      return [found('rounding', `The numbers are equal to ${places} decimal places.`, { places })];
  }
  return [];
}

/** One side has the other's rows and, beside them, rows with NULL. */
function ofNulls(gold: Table, pred: Table): Finding[] {
  const withoutNull = (rows: Rows) => rows.filter((row) => !row.includes(null));
  const goldRows = withoutNull(gold.rows);
  const predRows = withoutNull(pred.rows);
  const isCut = goldRows.length < gold.rows.length || predRows.length < pred.rows.length;
  if (!isCut || goldRows.length === 0) return [];
  const same = compareStrictly({ ...gold, rows: goldRows }, { ...pred, rows: predRows }, false) === null;
  return same ? [found('null_handling', 'The results differ by rows that hold NULL.', {})] : [];
}
