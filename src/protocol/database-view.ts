import * as z from 'zod/mini';
import { Catalog } from './catalog.ts';
import type { Channel } from './channel.ts';
import { WireError } from './errors.ts';
import { GridColumn, Page, RequestNumber, RowRange } from './grid.ts';
import { JsonCell } from './value.ts';

/** What the database editor shows, but for rows: those are asked for by the page. */
export const DatabaseState = z.object({
  file: z.object({
    name: z.string(),
    /** The folder, as a person writes it (`~` for home). */
    folder: z.string(),
    /** null while it is not known. */
    bytes: z.nullable(z.number()),
  }),
  /** Grows with each reading of the schema; answers for an older one are dropped. */
  revision: z.int(),
  /** null while it is read, and where there is a problem. */
  catalog: z.nullable(Catalog),
  /** Why the file cannot be shown. */
  problem: z.nullable(WireError),
  /** The file changed on disk since it was read. */
  changed: z.boolean(),
});
export type DatabaseState = z.infer<typeof DatabaseState>;

/** How many rows a table has, as well as it is known. */
export const RowCount = z.object({ rows: z.number(), exact: z.boolean() });
export type RowCount = z.infer<typeof RowCount>;

/** What the view of a database asks for and does. */
export const DatabaseUp = z.discriminatedUnion('type', [
  /** The view listens: whatever was posted before is delivered, the state first. */
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('page'), request: RequestNumber, table: z.string(), ...RowRange }),
  z.strictObject({ type: z.literal('count'), request: RequestNumber, table: z.string() }),
  /** The whole of a cell that was cut in its page. */
  z.strictObject({
    type: z.literal('cell'),
    request: RequestNumber,
    table: z.string(),
    column: z.string(),
    row: z.int().check(z.nonnegative()),
  }),
  /** What a request would have answered is not wanted any more. */
  z.strictObject({ type: z.literal('cancel'), request: RequestNumber }),
  z.strictObject({ type: z.literal('reload') }),
  z.strictObject({ type: z.literal('ask') }),
  z.strictObject({ type: z.literal('copyText'), text: z.string() }),
  z.strictObject({ type: z.literal('reopenWith') }),
  z.strictObject({ type: z.literal('showLog') }),
]);
export type DatabaseUp = z.infer<typeof DatabaseUp>;

/** What the view of a database is told. */
export const DatabaseDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: DatabaseState }),
  z.object({
    type: z.literal('page'),
    request: RequestNumber,
    columns: z.array(GridColumn),
    page: Page,
    /** What is known of the row count without counting; null: nothing. */
    about: z.nullable(RowCount),
    notes: z.array(z.string()),
  }),
  z.object({ type: z.literal('count'), request: RequestNumber, count: RowCount }),
  z.object({ type: z.literal('cell'), request: RequestNumber, cell: JsonCell }),
  /** The request ended without what it asked for. */
  z.object({ type: z.literal('failed'), request: RequestNumber, error: WireError }),
  /** Shows a table. */
  z.object({ type: z.literal('reveal'), table: z.string() }),
]);
export type DatabaseDown = z.infer<typeof DatabaseDown>;

export const databaseChannel: Channel<DatabaseUp, DatabaseDown> = {
  name: 'database editor',
  up: DatabaseUp,
  down: DatabaseDown,
};
