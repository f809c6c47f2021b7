import * as z from 'zod/mini';
import { QueryOutcome, ResultTable, TableFormat } from './ask-panel.ts';
import { WireError } from './errors.ts';
import { Page, RequestNumber, RowRange } from './grid.ts';
import { JsonCell } from './value.ts';

/** A query of an item with what it gave, beside others. Its rows are asked for by the page. */
export const ResultSide = z.object({
  /** null: there is none. */
  sql: z.nullable(z.string()),
  /** null while it runs, and where it cannot be run. */
  outcome: z.nullable(QueryOutcome),
  /** The rows that differ from the other result, as a table of their own; null where nothing was compared. */
  differing: z.nullable(ResultTable),
});
export type ResultSide = z.infer<typeof ResultSide>;

/** How two results differ, in rows; `recounted` counts equal rows once. */
export const SideDifference = z.object({
  missing: z.number(),
  extra: z.number(),
  recounted: z.number(),
  moved: z.number(),
  /** The order of rows counted. */
  ordered: z.boolean(),
  /** Only the first rows of a result were compared. */
  partial: z.boolean(),
  goldColumns: z.number(),
  predColumns: z.number(),
});
export type SideDifference = z.infer<typeof SideDifference>;

/** What a view with results of queries asks for and does. */
export const SideUp = [
  z.strictObject({ type: z.literal('page'), request: RequestNumber, table: z.string(), ...RowRange }),
  /** The whole of a cell that was cut in its page. */
  z.strictObject({
    type: z.literal('cell'),
    request: RequestNumber,
    table: z.string(),
    row: z.int().check(z.nonnegative()),
    column: z.int().check(z.nonnegative()),
  }),
  z.strictObject({ type: z.literal('copyText'), text: z.string() }),
  z.strictObject({ type: z.literal('copyTable'), table: z.string(), format: TableFormat }),
  z.strictObject({ type: z.literal('openSql'), sql: z.string() }),
  /** Lets the user say in which folder the databases of the run are. */
  z.strictObject({ type: z.literal('chooseFolder') }),
  z.strictObject({ type: z.literal('showLog') }),
] as const;

/** What it is told beside its own state. */
export const SideDown = [
  z.object({ type: z.literal('page'), request: RequestNumber, page: Page }),
  z.object({ type: z.literal('cell'), request: RequestNumber, cell: JsonCell }),
  /** The request ended without what it asked for. */
  z.object({ type: z.literal('failed'), request: RequestNumber, error: WireError }),
  /** Something was done that has no other sign: said to the user. */
  z.object({ type: z.literal('done'), text: z.string() }),
] as const;
export type SideMessage = z.infer<(typeof SideDown)[number]>;
