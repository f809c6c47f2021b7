import type { TraceSource } from '../../protocol/diagnose.ts';
import type { Cell } from '../../protocol/value.ts';
import type { StagePlan } from '../diagnose/trace/plan.ts';
import { printable } from '../text/cells.ts';

/** Characters of a row that are shown on one line. */
const MOST_OF_ROW = 240;
/** Bytes of a blob that are shown. */
const MOST_OF_BLOB = 16;

/** A value as SQL writes it: texts in quotes, NULL, blobs as their first bytes. */
export function cellWords(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return quoted(cell);
  if (typeof cell !== 'object') return String(cell);
  if (cell instanceof Uint8Array) return blobWords(cell, cell.length);
  if ('blob' in cell) return blobWords(cell.blob, cell.bytes);
  const notes = [cell.invalid ? 'not UTF-8' : '', cell.chars === undefined ? '' : `${cell.chars} characters`];
  return `${quoted(cell.text)} (${notes.filter((note) => note !== '').join(', ')})`;
}

function quoted(text: string): string {
  return `'${printable(text).replaceAll("'", "''")}'`;
}

function blobWords(bytes: Uint8Array, length: number): string {
  const hex = Array.from(bytes.subarray(0, MOST_OF_BLOB), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `x'${hex}${length > MOST_OF_BLOB ? '…' : ''}' (${length} bytes)`;
}

/** The storage class of a value. */
export function cellType(cell: Cell): string {
  if (cell === null) return 'null';
  if (typeof cell === 'bigint') return 'integer';
  if (typeof cell === 'number') return Number.isInteger(cell) ? 'integer' : 'real';
  if (typeof cell === 'string') return 'text';
  return cell instanceof Uint8Array || 'blob' in cell ? 'blob' : 'text';
}

/** A row on one line: `AlbumId 1, Title 'Facelift'`. */
export function rowWords(columns: readonly string[], row: readonly Cell[]): string {
  const text = row.map((cell, index) => `${columns[index] ?? ''} ${cellWords(cell)}`).join(', ');
  return text.length > MOST_OF_ROW ? `${text.slice(0, MOST_OF_ROW - 1)}…` : text;
}

/** Column names, each once: variables of one parent must have different names. */
export function uniqueNames(columns: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return columns.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  });
}

/** A number of rows, or of groups where the clause makes them. */
export function countWords(count: number | null, { level }: StagePlan): string {
  const word = level === 'groups' ? 'group' : 'row';
  if (count === null) return `? ${word}s`;
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
}

/** A clause with the name of the table that it brings in. */
export function stageWords({ clause, label, keys }: StagePlan): string {
  const key = clause === 'FROM' || clause === 'JOIN' ? keys.at(-1) : undefined;
  if (key === undefined) return label;
  const table = key.table ?? key.alias;
  const isAliased = key.alias !== '' && key.alias.toLowerCase() !== table.toLowerCase();
  return `${label} ${table}${isAliased ? ` ${key.alias}` : ''}`.trim();
}

/** What a nested trace is of. */
export function sourceWords({ kind, name }: TraceSource): string {
  const words: Record<TraceSource['kind'], string> = {
    query: 'query',
    arm: 'SELECT of a compound',
    subquery: 'subquery',
    cte: 'WITH',
    view: 'view',
    join: 'parenthesised join',
    expression: 'subquery',
  };
  return name === null || name === '' ? words[kind] : `${words[kind]} ${name}`;
}
