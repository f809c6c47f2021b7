import type { QueryOutcome, ResultTable, TableFormat } from '../../protocol/ask-panel.ts';
import { toWireError, type WireError } from '../../protocol/errors.ts';
import type { Page, RowMark } from '../../protocol/grid.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { ResultSide } from '../../protocol/result-side.ts';
import { type JsonCell, toJsonRows } from '../../protocol/value.ts';
import { cutCell } from '../ask/cut.ts';
import { pageGone } from '../ask/errors.ts';
import { tableText } from '../ask/export.ts';

/** What a view asks of the rows of a result. */
export type RowsRequest =
  | { type: 'page'; request: number; table: string; offset: number; limit: number }
  | { type: 'cell'; request: number; table: string; row: number; column: number };

/** What it is answered. */
export type RowsAnswer =
  | { type: 'page'; request: number; page: Page }
  | { type: 'cell'; request: number; cell: JsonCell }
  | { type: 'failed'; request: number; error: WireError };

interface Held {
  columns: readonly string[];
  rows: readonly JsonCell[][];
  /** null: the result was compared with none. */
  marks: readonly (RowMark | null)[] | null;
  truncated: boolean;
}

/** The rows of the results that a panel shows; each result has a number, so that a late request gets no other's rows. */
export class SideRows {
  readonly #held = new Map<string, Held>();
  #count = 0;

  /** Forgets all rows. */
  clear(): void {
    this.#held.clear();
  }

  #hold(held: Held, result: QueryResult): ResultTable {
    this.#count += 1;
    const id = `rows-${this.#count}`;
    this.#held.set(id, held);
    const columns = result.columns.map((name, index) => ({
      name,
      declared: result.origins[index]?.declared || null,
    }));
    return { id, columns, rows: held.rows.length, truncated: held.truncated };
  }

  /** A query and its result as a side of a view. @param marks one a row; null: it was compared with none */
  side(sql: string, result: QueryResult, marks: readonly (RowMark | null)[] | null): ResultSide {
    const { status, code, message, position, columns, truncated, ms } = result;
    const outcome: QueryOutcome = { status, code, message, position, table: null, ms };
    if (status !== 'ok') return { sql, outcome, differing: null };
    const rows = toJsonRows(result.rows);
    const all = { columns, rows, marks, truncated };
    outcome.table = this.#hold(all, result);
    if (marks === null) return { sql, outcome, differing: null };
    const some = { columns, rows: rows.filter((_, row) => marks[row]), marks: marks.filter(Boolean), truncated: false };
    return { sql, outcome, differing: this.#hold(some, result) };
  }

  /** Answers a request. Rows that are not kept any more are an answer too. */
  answer(ask: RowsRequest): RowsAnswer {
    const { request } = ask;
    const held = this.#held.get(ask.table);
    if (held === undefined) return { type: 'failed', request, error: toWireError(pageGone()) };
    if (ask.type === 'cell') return { type: 'cell', request, cell: held.rows[ask.row]?.[ask.column] ?? null };
    const { offset, limit } = ask;
    const end = offset + limit;
    const rows = held.rows.slice(offset, end).map((row) => row.map(cutCell));
    const page: Page = { offset, rows, more: end < held.rows.length };
    if (held.marks !== null) page.marks = held.marks.slice(offset, end);
    return { type: 'page', request, page };
  }

  /** A result as text with its column names, and a sentence that says what it is; null where it is not kept any more. */
  text(table: string, format: TableFormat): { text: string; said: string } | null {
    const held = this.#held.get(table);
    if (held === undefined) return null;
    const { columns, rows, truncated } = held;
    const count = `${truncated ? 'the first ' : ''}${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
    return { text: tableText(columns, rows, format), said: `Copied ${count} as ${format.toUpperCase()}.` };
  }
}

/** A side whose query was not run. */
export function unrunSide(sql: string | null): ResultSide {
  return { sql, outcome: null, differing: null };
}
