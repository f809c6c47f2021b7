import * as z from 'zod/mini';
import { DiagnosisVerdict, Finding, HintKind, Repair, TrailRow } from './diagnosis.ts';
import { WireError } from './errors.ts';
import { Position } from './query.ts';
import { JsonCell } from './value.ts';

/** A clause of a query as a view shows it. */
const StepFields = {
  /** The clause in SQL's words: `LEFT JOIN`, `UNION ALL` … */
  label: z.string(),
  /** The clause's own text, on one line. */
  text: z.string(),
  /** Rows after it; null where they were not counted. */
  rowCount: z.nullable(z.number()),
  /** What is to be watched: a join that multiplies, ties that LIMIT cuts. Sentences without a full stop. */
  flags: z.array(z.string()),
};

/** A clause of a subquery, view or common table expression; `depth` from 0; `parts`: the rows part here. */
export const InnerStepView = z.object({ ...StepFields, depth: z.int(), parts: z.boolean() });
export type InnerStepView = z.infer<typeof InnerStepView>;

export const StepView = z.object({
  ...StepFields,
  range: Position,
  /** The queries inside the clause, each with its steps. */
  inside: z.array(z.object({ title: z.string(), steps: z.array(InnerStepView) })),
});
export type StepView = z.infer<typeof StepView>;

/** Steps of both queries that stand on one line; `parts`: the rows part here. */
export const StepLine = z.object({ pred: z.nullable(StepView), gold: z.nullable(StepView), parts: z.boolean() });
export type StepLine = z.infer<typeof StepLine>;

export const FindingView = z.extend(
  z.pick(Finding, { class: true, sentence: true, range: true, goldRange: true, confidence: true }),
  {
    /** What shows it, a few words each. */
    evidence: z.array(z.string()),
  },
);
export type FindingView = z.infer<typeof FindingView>;

/** A diagnosis as a view shows it. */
export const DiagnosisView = z.object({
  verdict: DiagnosisVerdict,
  sentence: z.string(),
  /** Where the prediction parts from the gold, or has its error. */
  range: z.nullable(Position),
  goldRange: z.nullable(Position),
  lines: z.array(StepLine),
  missing: z.array(TrailRow),
  extra: z.array(TrailRow),
  totals: z.object({ missing: z.number(), extra: z.number() }),
  findings: z.array(FindingView),
  repair: z.nullable(Repair),
  /** Why it is not complete; null where it is. */
  incomplete: z.nullable(z.string()),
  /** SQLite's message where one of the queries does not run. */
  message: z.nullable(z.string()),
  /** Queries and milliseconds that it took. */
  queries: z.number(),
  ms: z.number(),
});
export type DiagnosisView = z.infer<typeof DiagnosisView>;

/** What a query alone shows, as a view shows it. */
export const InspectionView = z.object({
  sentence: z.string(),
  hints: z.array(z.object({ kind: HintKind, sentence: z.string(), range: z.nullable(Position) })),
  steps: z.array(StepView),
  incomplete: z.nullable(z.string()),
  /** Place of the error where it does not run. */
  range: z.nullable(Position),
});
export type InspectionView = z.infer<typeof InspectionView>;

/** A cell of both results; a value is left out where that result has no such cell. */
export const AlignedCell = z.object({
  gold: z.optional(JsonCell),
  pred: z.optional(JsonCell),
  differs: z.boolean(),
});
export type AlignedCell = z.infer<typeof AlignedCell>;

export const AlignedKind = z.enum(['missing', 'extra', 'changed', 'repeated', 'moved']);
export type AlignedKind = z.infer<typeof AlignedKind>;

/** A row of one result beside the one of the other that it stands for. */
export const AlignedRowView = z.object({
  kind: AlignedKind,
  /** Where it stands in its result, from 1; null where it is not there. */
  goldRow: z.nullable(z.int()),
  predRow: z.nullable(z.int()),
  goldTimes: z.int(),
  predTimes: z.int(),
  cells: z.array(AlignedCell),
});
export type AlignedRowView = z.infer<typeof AlignedRowView>;

/** The rows in which two results differ, beside each other. */
export const AlignedView = z.object({
  /** Names in the gold and in the prediction; null: it has no such column. */
  columns: z.array(z.object({ gold: z.nullable(z.string()), pred: z.nullable(z.string()) })),
  /** How the columns would have to be arranged; null where they are. */
  suggestion: z.nullable(z.string()),
  /** The first ones; `totals` counts all. */
  rows: z.array(AlignedRowView),
  totals: z.object({
    same: z.int(),
    changed: z.int(),
    missing: z.int(),
    extra: z.int(),
    repeated: z.int(),
    moved: z.int(),
  }),
  /** Only the first rows of a result were compared. */
  partial: z.boolean(),
});
export type AlignedView = z.infer<typeof AlignedView>;

/** How far a diagnosis is, and what it has found. */
export const DiagnosisState = z.object({
  /** `judging`: the queries are taken apart; `repairing`: what was found is there, a repair is looked for. */
  phase: z.enum(['judging', 'repairing', 'done', 'stopped', 'failed']),
  diagnosis: z.nullable(DiagnosisView),
  /** Of a query without a gold. */
  inspection: z.nullable(InspectionView),
  rows: z.nullable(AlignedView),
  /** Why it failed. */
  problem: z.nullable(WireError),
  /** The queries can be stepped through. */
  canDebug: z.boolean(),
});
export type DiagnosisState = z.infer<typeof DiagnosisState>;

/** What a view with a diagnosis asks for and does. */
export const DiagnosisUp = [
  /** Begins again what was stopped or failed. */
  z.strictObject({ type: z.literal('diagnose') }),
  z.strictObject({ type: z.literal('stopDiagnosis') }),
  /** Looks for the smallest rows on which the queries differ, and opens them as statements. */
  z.strictObject({ type: z.literal('smallestRows') }),
  z.strictObject({ type: z.literal('debug') }),
] as const;

export type DiagnosisMessage = z.infer<(typeof DiagnosisUp)[number]>;

/** What it is told. null: there is nothing to diagnose. */
export const DiagnosisDown = [z.object({ type: z.literal('diagnosis'), state: z.nullable(DiagnosisState) })] as const;
