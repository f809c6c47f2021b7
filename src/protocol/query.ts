import * as z from 'zod/mini';
import { type Cell, JsonCell, toJsonRows } from './value.ts';

/** How a query ended. `rejected`: not allowed by the sandbox; `error`: SQLite refused or failed. */
export const QueryStatus = z.enum(['ok', 'rejected', 'error', 'timeout', 'oom', 'cancelled']);
export type QueryStatus = z.infer<typeof QueryStatus>;

/** A place in a SQL text: `offset` and `length` in UTF-16 units from 0, `line` and `column` from 1. */
export const Position = z.object({ offset: z.number(), length: z.number(), line: z.number(), column: z.number() });
export type Position = z.infer<typeof Position>;

/** Where a result column comes from; null where it is an expression. `declared` is the type in CREATE TABLE. */
export const ColumnOrigin = z.object({
  table: z.nullable(z.string()),
  column: z.nullable(z.string()),
  declared: z.nullable(z.string()),
});
export type ColumnOrigin = z.infer<typeof ColumnOrigin>;

/**
 * A table or view that a query read, with the columns it read, as SQLite's authorizer named them. A view stands beside
 * the tables that its body reads; a table of which only the rows count has no columns.
 */
export const Touched = z.object({ table: z.string(), columns: z.array(z.string()) });
export type Touched = z.infer<typeof Touched>;

/** A request to the sandbox. Limits are hard: what goes beyond them is cut and `truncated` is set. */
export interface QueryRequest {
  /** Absolute path of the database file. */
  db: string;
  sql: string;
  /**
   * Wall-clock limit of the query in milliseconds, kept by the parent process, from when a child gets the query: waiting
   * for a free child does not count. Default 30,000.
   */
  timeoutMs?: number;
  /** Default 1,000. */
  maxRows?: number;
  /** Cap of the whole result in bytes. Default 16 MiB. */
  maxBytes?: number;
  /** Cap of one text or blob in bytes. Default 1 MiB. */
  maxCellBytes?: number;
  /**
   * Leaves out each row that repeats an earlier one, so that a result of any length with few different rows can be held:
   * integers and reals are equal by exact value, NULL equals NULL, text and blobs are apart. Default false.
   */
  distinct?: boolean;
}

/** What the sandbox answers. It never throws for what a query does; only for what the database file is. */
export interface QueryResult {
  status: QueryStatus;
  /** Stable reason: `SQLITE_ERROR`, `write`, `second_statement`, `attach`, `deadline` …; null when ok. */
  code: string | null;
  message: string | null;
  /** From the parser; null when unknown, never guessed. */
  position: Position | null;
  /** Result column names, duplicates kept. */
  columns: string[];
  /** One a column. */
  origins: ColumnOrigin[];
  rows: Cell[][];
  truncated: boolean;
  /** Wall-clock time of prepare and all steps, in milliseconds. */
  ms: number;
  touched: Touched[];
  /** Things the user should know, such as "read from a snapshot, because …". */
  notes: string[];
}

/** A `QueryResult` in JSON (`sql-agent run --json`). */
export const JsonQueryResult = z.object({
  status: QueryStatus,
  code: z.nullable(z.string()),
  message: z.nullable(z.string()),
  position: z.nullable(Position),
  columns: z.array(z.string()),
  origins: z.array(ColumnOrigin),
  rows: z.array(z.array(JsonCell)),
  truncated: z.boolean(),
  ms: z.number(),
  touched: z.array(Touched),
  notes: z.array(z.string()),
});
export type JsonQueryResult = z.infer<typeof JsonQueryResult>;

/** JSON form of a result, its fields always in the same order. */
export function toJsonResult(result: QueryResult): JsonQueryResult {
  const { status, code, message, position, columns, origins, rows, truncated, ms, touched, notes } = result;
  return { status, code, message, position, columns, origins, rows: toJsonRows(rows), truncated, ms, touched, notes };
}
