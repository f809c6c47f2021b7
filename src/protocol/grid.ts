import * as z from 'zod/mini';
import { JsonCell } from './value.ts';

/** Most rows that one page may have: what a webview is sent at once stays small. */
export const MAX_PAGE_ROWS = 500;

/** A column of a grid; `declared` is its type in CREATE TABLE, null where it is an expression. */
export const GridColumn = z.object({ name: z.string(), declared: z.nullable(z.string()) });
export type GridColumn = z.infer<typeof GridColumn>;

/** The number of an answer's request, given by the view. */
export const RequestNumber = z.int().check(z.nonnegative());

/** Which rows a grid wants: rows are numbered from 0. */
export const RowRange = {
  offset: z.int().check(z.nonnegative()),
  limit: z.int().check(z.gte(1), z.lte(MAX_PAGE_ROWS)),
};

/**
 * How a row differs from the other of two results: it is `missing` there (a row of the gold), `extra` (a row of the
 * prediction), stands another number of times (`recounted`), or elsewhere (`moved`).
 */
export const RowMark = z.object({
  kind: z.enum(['missing', 'extra', 'recounted', 'moved']),
  /** Where the row stands in its result, from 0. */
  row: z.int().check(z.nonnegative()),
  /** How many times it stands in the gold's result and in the prediction's. */
  gold: z.int(),
  pred: z.int(),
});
export type RowMark = z.infer<typeof RowMark>;

/** One page of a table's rows. `more`: at least one row follows. */
export const Page = z.object({
  offset: z.int().check(z.nonnegative()),
  rows: z.array(z.array(JsonCell)).check(z.maxLength(MAX_PAGE_ROWS)),
  more: z.boolean(),
  /** One a row, where the result is compared with another; null: the row does not differ. */
  marks: z.optional(z.array(z.nullable(RowMark))),
});
export type Page = z.infer<typeof Page>;
