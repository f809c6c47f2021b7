import * as z from 'zod/mini';
import { Clause, TraceStage } from './diagnose.ts';
import { Position } from './query.ts';
import { JsonCell } from './value.ts';

/**
 * `equal`: the rows are the gold's, under `strict_ex` with the order policy `gold_order_by`; `different`: they are not;
 * `error`: the prediction does not run; `gold_error`: the gold does not.
 */
export const DiagnosisVerdict = z.enum(['equal', 'different', 'error', 'gold_error']);
export type DiagnosisVerdict = z.infer<typeof DiagnosisVerdict>;

/** What went wrong, by kind. */
export const ErrorClass = z.enum([
  'wrong_table',
  'missing_join',
  'extra_join',
  'wrong_join_condition',
  'join_multiplies_rows',
  'wrong_filter_column',
  'wrong_filter_operator',
  'wrong_filter_value',
  'filter_case_or_space',
  'missing_filter',
  'extra_filter',
  'wrong_column',
  'wrong_aggregate',
  'distinct_in_aggregate',
  'wrong_grouping',
  'missing_distinct',
  'extra_distinct',
  'wrong_set_operation',
  'wrong_order',
  'ties_cut_at_limit',
  'limit_off',
  'extra_column',
  'missing_column',
  'swapped_columns',
  'rounding',
  'concatenation',
  'text_for_number',
  'null_handling',
  'integer_division',
  /** The gold itself is suspicious: ties at its cut, numbers in text compared as text, no rows. */
  'gold_suspicious',
]);
export type ErrorClass = z.infer<typeof ErrorClass>;

/** One finding of the taxonomy, the likeliest first. */
export const Finding = z.object({
  class: ErrorClass,
  /** What, where and why, for people: "COUNT(*) counts rows; the gold counts each T1.id once". */
  sentence: z.string(),
  /** Place in the prediction; null where it lacks something. */
  range: z.nullable(Position),
  /** Place in the gold; null where it has nothing there. */
  goldRange: z.nullable(Position),
  /** From 0 to 1: 1 where it was proved by running a query. */
  confidence: z.number(),
  /** What shows it: counts, values, truth values. */
  evidence: z.record(z.string(), z.unknown()),
});
export type Finding = z.infer<typeof Finding>;

/** Truth of a conjunct for one row. */
export const Truth = z.enum(['true', 'false', 'null', 'unknown']);
export type Truth = z.infer<typeof Truth>;

/** A source row (one key an alias) that one query keeps at the diverging stage and the other does not. */
export const TrailRow = z.object({
  /** Key by table: in which tables' rows it consists. */
  key: z.array(
    z.object({ table: z.string(), alias: z.string(), columns: z.array(z.string()), values: z.array(JsonCell) }),
  ),
  /** Its cells, a few of each table, for people. */
  cells: z.array(z.object({ name: z.string(), value: JsonCell })),
  /** The stage of the other query where it dies; null where that cannot be told. */
  dies: z.nullable(z.object({ stage: z.number(), clause: Clause })),
  /** Of that stage's condition: each conjunct with its truth for this row. */
  conjuncts: z.array(z.object({ text: z.string(), range: Position, truth: Truth })),
});
export type TrailRow = z.infer<typeof TrailRow>;

/** Kinds of edit that the search for a repair may make. */
export const EditKind = z.enum([
  'literal',
  'operator',
  'column',
  'aggregate',
  'distinct',
  'join',
  'conjunct',
  'group_by',
  'order_by',
  'limit',
  'select_item',
  'set_operation',
]);
export type EditKind = z.infer<typeof EditKind>;

/** Replaces `before` at `range` by `after`. Ranges of a list of edits are those of the unedited text. */
export const Edit = z.object({
  kind: EditKind,
  range: Position,
  before: z.string(),
  after: z.string(),
  /** "COUNT(*) should be COUNT(DISTINCT T1.id)" */
  sentence: z.string(),
});
export type Edit = z.infer<typeof Edit>;

/** The smallest edits found that make the prediction's result equal the gold's. Their ranges do not overlap. */
export const Repair = z.object({
  sql: z.string(),
  edits: z.array(Edit),
  sentence: z.string(),
  /** False where the rows may agree by chance: few or none to compare, and nothing else speaks for the edits. */
  certain: z.boolean(),
});
export type Repair = z.infer<typeof Repair>;

/** How far a search went. `exhausted`: its budget ended before it had tried all it could. */
export const SearchEffort = z.object({ queries: z.number(), ms: z.number(), exhausted: z.boolean() });
export type SearchEffort = z.infer<typeof SearchEffort>;

/** One of two results on the smallest rows. */
const SmallResult = z.object({ columns: z.array(z.string()), rows: z.array(z.array(JsonCell)) });

/** The smallest rows found on which two queries still differ. */
export const Minimised = z.object({
  /** How many rows of each table are left; tables without rows are named too where a query reads them. */
  tables: z.array(z.object({ table: z.string(), rows: z.number() })),
  rows: z.number(),
  /** CREATE TABLE, CREATE VIEW and INSERT statements that make a database of them. */
  sql: z.string(),
  gold: SmallResult,
  pred: SmallResult,
  /** No single row can be left out any more. */
  minimal: z.boolean(),
  effort: SearchEffort,
});
export type Minimised = z.infer<typeof Minimised>;

/** A stage in what is nested in a stage: `trace` counts its `nested`, `stage` the stages there. */
const NestedStage = z.object({ trace: z.number(), stage: z.number() });

/** One level of the way to stages that part inside a SELECT of a compound, a WITH or a subquery. */
export const NestedPart = z.object({
  pred: NestedStage,
  /** null where the gold has no such stage. */
  gold: z.nullable(NestedStage),
});
export type NestedPart = z.infer<typeof NestedPart>;

/** Why the rows of a prediction are not the gold's. */
export const Diagnosis = z.object({
  verdict: DiagnosisVerdict,
  /** One sentence for the top of a view. */
  sentence: z.string(),
  /** Index into `stages.pred` of the first stage that diverges, or in which one does; null where none could be found. */
  stage: z.nullable(z.number()),
  /** The same in `stages.gold`; null where the gold has no such stage. */
  goldStage: z.nullable(z.number()),
  /** From `stage` and `goldStage` to the stages nested in them that part; empty where those two do themselves. */
  nested: z.array(NestedPart),
  clause: z.nullable(Clause),
  /** Place of that stage in the prediction, or of the error where it does not run. */
  range: z.nullable(Position),
  /** Rows that the gold has at that stage and the prediction has not, and the other way round; at most 20 each. */
  missing: z.array(TrailRow),
  extra: z.array(TrailRow),
  totals: z.object({ missing: z.number(), extra: z.number() }),
  taxonomy: z.array(Finding),
  repair: z.nullable(Repair),
  effort: SearchEffort,
  stages: z.object({ gold: z.array(TraceStage), pred: z.array(TraceStage) }),
  /** False where a trace could not be built whole; `why` says what is missing. */
  complete: z.boolean(),
  why: z.nullable(z.string()),
  /** SQLite's message where one of the queries does not run. */
  message: z.nullable(z.string()),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

/** What is suspicious in a query that has no gold. */
export const HintKind = z.enum([
  /** A join repeats the rows of a table whose column is summed, averaged or counted. */
  'join_multiplies_rows',
  /** A join without a condition: every row beside every row. */
  'cartesian_product',
  'duplicate_rows',
  /** A column beside aggregates that is neither grouped by nor the same in all rows of a group. */
  'bare_column',
  'arbitrary_order',
  'condition_never_true',
  'condition_always_null',
  'no_rows',
  /** No row holds the value that a filter asks for. */
  'value_not_found',
  /** A double-quoted name that SQLite reads as a text. */
  'name_as_text',
  'integer_division',
  'text_with_number',
]);
export type HintKind = z.infer<typeof HintKind>;

export const Hint = z.object({
  kind: HintKind,
  sentence: z.string(),
  range: z.nullable(Position),
  /** Counts and values that show it. */
  evidence: z.record(z.string(), z.unknown()),
});
export type Hint = z.infer<typeof Hint>;

/** What a query alone shows. */
export const Inspection = z.object({
  /** `error`: it does not run. */
  status: z.enum(['ok', 'error']),
  sentence: z.string(),
  rowCount: z.nullable(z.number()),
  hints: z.array(Hint),
  stages: z.array(TraceStage),
  complete: z.boolean(),
  why: z.nullable(z.string()),
  /** Place of the error. */
  range: z.nullable(Position),
  message: z.nullable(z.string()),
});
export type Inspection = z.infer<typeof Inspection>;
