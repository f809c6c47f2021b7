import * as z from 'zod/mini';

/** Kind of a column in a prompt, from its declared type (prompt format `lines-1`). */
export const ColumnKind = z.enum(['datetime', 'date', 'boolean', 'integer', 'text', 'blob', 'real', 'numeric']);
export type ColumnKind = z.infer<typeof ColumnKind>;

export const Column = z.object({
  name: z.string(),
  /** The type as declared, '' when none. */
  declared: z.string(),
  kind: ColumnKind,
  notNull: z.boolean(),
  /** The default as SQL text. */
  defaultSql: z.nullable(z.string()),
  /** Position in the primary key from 1, 0 when not part of it. */
  primaryKey: z.number(),
  generated: z.nullable(z.enum(['virtual', 'stored'])),
  /** A hidden column of a virtual table (`hidden` = 1 of `table_xinfo`). */
  hidden: z.boolean(),
  /** What the column means, from a comment in the DDL or a description file. */
  meaning: z.nullable(z.string()),
});
export type Column = z.infer<typeof Column>;

/** One column pair of a foreign key. `target` is null where it points nowhere; `problem` says why. */
export const ForeignKey = z.object({
  id: z.number(),
  seq: z.number(),
  /** The names as written in the DDL; `toColumn` null means the primary key of the target. */
  from: z.string(),
  toTable: z.string(),
  toColumn: z.nullable(z.string()),
  /** The names as the tables spell them. */
  target: z.nullable(z.object({ column: z.string(), toTable: z.string(), toColumn: z.string() })),
  problem: z.nullable(z.string()),
});
export type ForeignKey = z.infer<typeof ForeignKey>;

export const Index = z.object({
  name: z.string(),
  unique: z.boolean(),
  origin: z.enum(['c', 'u', 'pk']),
  partial: z.boolean(),
  /** null stands for an expression. */
  columns: z.array(z.nullable(z.string())),
});
export type Index = z.infer<typeof Index>;

export const Table = z.object({
  name: z.string(),
  type: z.enum(['table', 'view', 'virtual', 'shadow']),
  columns: z.array(Column),
  foreignKeys: z.array(ForeignKey),
  indexes: z.array(Index),
  withoutRowid: z.boolean(),
  strict: z.boolean(),
  /** CREATE statement as stored; null for some virtual and internal tables. */
  sql: z.nullable(z.string()),
  /** Why the columns cannot be read, e.g. a view that no longer compiles; null when they can. */
  problem: z.nullable(z.string()),
});
export type Table = z.infer<typeof Table>;

/**
 * The schema of one database. `tables` is in order of `rowid` in `sqlite_schema`; tables named `sqlite_…` are left out.
 */
export const Catalog = z.object({
  tables: z.array(Table),
  /** Broken definitions, a sentence each. */
  problems: z.array(z.string()),
});
export type Catalog = z.infer<typeof Catalog>;

/** The text values of one column, for prompts and linking. */
export interface ColumnValues {
  table: string;
  column: string;
  /** Distinct non-blank text values, in the order SQLite gave them; null when there are more than 5,000. */
  values: string[] | null;
  /** How many values of more than 60 characters, which are never shown, were left out of `values`. */
  longer?: number;
  /** Count of non-NULL values of any type, counted no further than 12; null where nobody needed it. */
  nonNull: number | null;
}

/** What a scan of cell values found, and which columns it left out for want of time. */
export interface ValueScan {
  columns: ColumnValues[];
  /** `table.column` of columns that were not searched before the time budget ended. */
  skipped: string[];
}

/** Which tables a question needs. */
export const LinkMode = z.enum(['full', 'linked', 'oracle', 'auto']);
export type LinkMode = z.infer<typeof LinkMode>;

export const Linked = z.object({
  /** The mode that was applied: `auto` has become `full` or `linked`. */
  mode: LinkMode,
  kept: z.array(z.string()),
  left: z.array(z.string()),
  /** Score by table; higher is nearer to the question. Empty in mode `full`. */
  scores: z.record(z.string(), z.number()),
});
export type Linked = z.infer<typeof Linked>;
