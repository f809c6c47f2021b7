import * as z from 'zod/mini';
import { Position } from './query.ts';
import { JsonCell } from './value.ts';

/**
 * The logical clauses of a query, in the order in which they work. `AGGREGATE` stands for aggregate functions without
 * GROUP BY (all rows are one group); `RECURSIVE` for the whole of a recursive common table expression.
 */
export const Clause = z.enum([
  'FROM',
  'JOIN',
  'WHERE',
  'GROUP BY',
  'AGGREGATE',
  'HAVING',
  'WINDOW',
  'SELECT',
  'DISTINCT',
  'SET OPERATION',
  'ORDER BY',
  'LIMIT',
  'RECURSIVE',
]);
export type Clause = z.infer<typeof Clause>;

/**
 * How a row of a FROM item is told from the others: by `rowid`, by the primary key of a WITHOUT ROWID table, or, where a
 * view, subquery or function has neither, by the values of all its columns (`values`: equal rows look like one, so the
 * key is unstable). `group` is the key of a group: the values of the GROUP BY terms. `none`: no key can be had.
 */
export const KeyKind = z.enum(['rowid', 'primary_key', 'values', 'group', 'none']);
export type KeyKind = z.infer<typeof KeyKind>;

/** The keys of one alias in the rows of a stage. */
export const StageKeys = z.object({
  /** The name by which the query calls the FROM item; `group` for groups. */
  alias: z.string(),
  /** The table or view behind the alias; null for subqueries and groups. */
  table: z.nullable(z.string()),
  kind: KeyKind,
  /** What the key is made of: column names, or the texts of the GROUP BY terms. */
  columns: z.array(z.string()),
  /** One key a row of the stage, in the stage's order, one cell a column; null where keys were not asked for. */
  values: z.nullable(z.array(z.array(JsonCell))),
});
export type StageKeys = z.infer<typeof StageKeys>;

/** Rows that share the sort key of the last row that LIMIT keeps: which of them appear is arbitrary. */
export const CutTies = z.object({
  /** Rows with that sort key, before LIMIT. */
  tied: z.number(),
  /** How many of them LIMIT (after OFFSET) lets through. */
  kept: z.number(),
});
export type CutTies = z.infer<typeof CutTies>;

/** What a trace is of. `arm`: one SELECT of a compound; `join`: a parenthesised join; `expression`: a subquery in one. */
export const TraceSource = z.object({
  kind: z.enum(['query', 'arm', 'subquery', 'cte', 'view', 'join', 'expression']),
  /** Name of the view, common table expression or alias; null where there is none. */
  name: z.nullable(z.string()),
});
export type TraceSource = z.infer<typeof TraceSource>;

/** One clause as a runnable step. */
export interface TraceStage {
  clause: Clause;
  /** The clause in SQL's words: `LEFT JOIN`, `UNION ALL` … */
  label: string;
  /** Place of the clause, keyword included, in the `text` of its trace. */
  range: Position;
  /** A query that gives the rows as they are after this clause. */
  sql: string;
  /** null where they were not or could not be counted; `notes` says why. */
  rowCount: number | null;
  keys: StageKeys[];
  /** Number of distinct keys by alias (rows that an outer join filled with NULL not counted); null where not counted. */
  distinct: Record<string, number | null>;
  /** Of a JOIN: rows after it per distinct key of the driving alias before it; null for other clauses. */
  fanout: number | null;
  /** Of a JOIN: rows after it per row before it; null for other clauses. */
  growth: number | null;
  /** Of a JOIN: the alias whose rows drive it. */
  driving: string | null;
  /** Of a JOIN with a condition: whether a row before it stands several times after it. null where unknown. */
  multiplies: boolean | null;
  /** Some alias has no stable key. */
  unstable: boolean;
  /** Of LIMIT: ties at the cut; null where nothing is tied there or the rows have no order. */
  ties: CutTies | null;
  notes: string[];
  /** Traces of the subqueries, common table expressions, views and compound arms of this clause. */
  nested?: Trace[] | undefined;
}

/** A query as ordered stages. */
export interface Trace {
  source: TraceSource;
  /** The text into which the ranges point: the query's, or the CREATE VIEW statement's. */
  text: string;
  stages: TraceStage[];
  /** False where some clause could not be built as a step; there are fewer stages then. */
  complete: boolean;
  why: string | null;
  /** Of a correlated subquery: the row of the outer block it was traced for. null: not correlated, or no outer row. */
  outer: { alias: string; columns: string[]; key: JsonCell[] }[] | null;
  /** Wall-clock time of the counting queries, in milliseconds. */
  ms: number;
}

const traceStage: z.ZodMiniType<TraceStage> = z.object({
  clause: Clause,
  label: z.string(),
  range: Position,
  sql: z.string(),
  rowCount: z.nullable(z.number()),
  keys: z.array(StageKeys),
  distinct: z.record(z.string(), z.nullable(z.number())),
  fanout: z.nullable(z.number()),
  growth: z.nullable(z.number()),
  driving: z.nullable(z.string()),
  multiplies: z.nullable(z.boolean()),
  unstable: z.boolean(),
  ties: z.nullable(CutTies),
  notes: z.array(z.string()),
  nested: z.optional(z.array(z.lazy(() => Trace))),
});
export const TraceStage = traceStage;

export const Trace: z.ZodMiniType<Trace> = z.object({
  source: TraceSource,
  text: z.string(),
  stages: z.array(traceStage),
  complete: z.boolean(),
  why: z.nullable(z.string()),
  outer: z.nullable(z.array(z.object({ alias: z.string(), columns: z.array(z.string()), key: z.array(JsonCell) }))),
  ms: z.number(),
});
