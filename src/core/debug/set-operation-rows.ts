import type { StagePlan, TracePlan } from '../diagnose/trace/plan.ts';
import type { ChangedRows } from './changed-rows.ts';

/** The two results that a set operation puts together. */
export interface SetOperands {
  readonly left: StagePlan;
  readonly right: StagePlan;
  /** Where the left one's rows are counted. */
  readonly leftStep: { readonly plan: TracePlan; readonly index: number };
  readonly rightStep: { readonly plan: TracePlan; readonly index: number };
}

/** The left one is the result of the operation before, or of the first SELECT. null for other clauses. */
export function setOperands(plan: TracePlan, index: number): SetOperands | null {
  const stage = plan.stages[index];
  if (stage?.clause !== 'SET OPERATION') return null;
  const [first] = stage.nested;
  const last = stage.nested.at(-1);
  const leftStep = index > 0 ? { plan, index: index - 1 } : lastOf(first);
  const rightStep = lastOf(last);
  const left = leftStep?.plan.stages[leftStep.index];
  const right = rightStep?.plan.stages[rightStep.index];
  if (left === undefined || right === undefined || leftStep === null || rightStep === null) return null;
  return { left, right, leftStep, rightStep };
}

function lastOf(plan: TracePlan | undefined): SetOperands['leftStep'] | null {
  return plan === undefined || plan.stages.length === 0 ? null : { plan, index: plan.stages.length - 1 };
}

/** Column names that every operand can be read by. */
function columnsOf(width: number): string {
  return Array.from({ length: width }, (_, index) => `column_${index + 1}`).join(', ');
}

/**
 * The rows that a set operation takes away: of UNION those that repeat others of either side; of INTERSECT and EXCEPT those
 * of the left side that are not in the result, or repeat there. Equality is the operation's own: by the collation of the
 * left side, NULL equal to NULL. null for UNION ALL.
 */
export function lostBySetOperation({ left, right }: SetOperands, after: StagePlan, width: number): ChangedRows | null {
  if (width === 0 || after.label === 'UNION ALL') return null;
  const columns = columnsOf(width);
  const isUnion = after.label === 'UNION';
  const [other, mark] = isUnion ? [right.sql, 0] : [after.sql, 1];
  const rows = `WITH all_rows(${columns}, is_kept) AS (
SELECT *, 0 FROM (${left.sql}) UNION ALL SELECT *, ${mark} FROM (${other})
), numbered AS (
SELECT *, max(is_kept) OVER (PARTITION BY ${columns}) AS any_kept,
  row_number() OVER (PARTITION BY ${columns} ORDER BY is_kept) AS place FROM all_rows
) SELECT ${columns}, place FROM numbered WHERE is_kept = 0 AND (place > 1${isUnion ? '' : ' OR any_kept = 0'})`;
  return changed(rows, after);
}

/** The rows that the right side of a UNION adds; null for the others, which add none. */
export function addedBySetOperation({ left, right }: SetOperands, after: StagePlan, width: number): ChangedRows | null {
  if (width === 0) return null;
  if (after.label === 'UNION ALL') return changed(`SELECT *, 1 FROM (${right.sql})`, after);
  if (after.label !== 'UNION') return null;
  const columns = columnsOf(width);
  const rows = `WITH all_rows(${columns}, side) AS (
SELECT *, 0 FROM (${left.sql}) UNION ALL SELECT *, 1 FROM (${right.sql})
), numbered AS (
SELECT *, row_number() OVER (PARTITION BY ${columns} ORDER BY side) AS place FROM all_rows
) SELECT ${columns}, place FROM numbered WHERE side = 1 AND place = 1`;
  return changed(rows, after);
}

function changed(rows: string, named: StagePlan): ChangedRows {
  return {
    sql: ({ offset, limit }) => `${rows} LIMIT ${limit} OFFSET ${offset}`,
    truths: [],
    hidden: 1,
    named,
    isDifference: false,
  };
}
