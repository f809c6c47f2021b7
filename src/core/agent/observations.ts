import type { Signals } from '../../protocol/ask.ts';
import type { JsonQueryResult } from '../../protocol/query.ts';
import type { JsonCell } from '../../protocol/value.ts';
import { countOf, duplicatesInWords } from '../signals/describe.ts';
import type { TableAnswer } from './effects.ts';

const SHOWN_ROWS = 8;
const SHOWN_COLUMNS = 20;
const CELL_CHARACTERS = 60;
const LINE_CHARACTERS = 600;
const DDL_CHARACTERS = 4000;

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** One cell for a model: on one line, clipped; NULL apart from the text 'NULL' is of no use to it. */
function cellText(cell: JsonCell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'string') return clip(cell.replaceAll(/\s+/g, ' '), CELL_CHARACTERS);
  if ('int' in cell) return cell.int;
  if ('real' in cell) return cell.real;
  if ('hex' in cell) return `blob of ${countOf(cell.bytes, 'byte')}`;
  return clip(cell.text.replaceAll(/\s+/g, ' '), CELL_CHARACTERS);
}

function line(cells: readonly string[]): string {
  const more = cells.length > SHOWN_COLUMNS ? ` | … ${cells.length - SHOWN_COLUMNS} more columns` : '';
  return clip(cells.slice(0, SHOWN_COLUMNS).join(' | '), LINE_CHARACTERS) + more;
}

/** Header and first rows of a result, a line each. */
export function rowLines(result: JsonQueryResult): string[] {
  const rows = result.rows.slice(0, SHOWN_ROWS).map((row) => line(row.map(cellText)));
  return rows.length === 0 ? [] : [line(result.columns), ...rows];
}

function okLines(result: JsonQueryResult): string[] {
  const count = countOf(result.rows.length, 'row');
  const shown = result.rows.length > SHOWN_ROWS ? `, the first ${SHOWN_ROWS}` : '';
  return [
    `${result.truncated ? 'More than ' : ''}${count}${shown}${result.rows.length === 0 ? '.' : ':'}`,
    ...rowLines(result),
  ];
}

function failedLine(result: JsonQueryResult): string {
  const at = result.position ? ` at line ${result.position.line}, column ${result.position.column}` : '';
  switch (result.status) {
    case 'rejected':
      return `The query was refused: ${result.message ?? result.code}. Only a single statement that reads this database is run.`;
    case 'timeout':
      return 'The query ran too long and was stopped. Make it cheaper: filter before joining, avoid joins without a condition.';
    case 'oom':
      return 'The query needed too much memory and was stopped. Select fewer rows or columns.';
    default:
      return `The query failed${at}: ${result.message ?? result.code}.`;
  }
}

/** What a model is told of a query: count, header and first rows, or the error with its position and hints. */
export function queryObservation(result: JsonQueryResult, hints: readonly string[]): string {
  const lines = result.status === 'ok' ? okLines(result) : [failedLine(result), ...hints];
  return [...lines, ...result.notes].join('\n');
}

const EMPTY = 'No row fits: check the values and their spelling in the conditions, and the joins.';

/** What a model should think of before it gives this result as its answer; none where nothing is odd. */
export function concerns(signals: Signals): string[] {
  const empty = signals.actual?.rows === 0 ? [EMPTY] : [];
  const duplicates = signals.duplicates === null ? [] : [duplicatesInWords(signals.duplicates)];
  return [...signals.differences, ...duplicates, ...empty];
}

/** The definition of a table that was asked for, or which names are like it. */
export function tableObservation({ asked, found, similar }: TableAnswer): string {
  if (found !== null) return clip(found.ddl, DDL_CHARACTERS);
  const meant = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  return `There is no table "${clip(asked, CELL_CHARACTERS)}".${meant}`;
}
