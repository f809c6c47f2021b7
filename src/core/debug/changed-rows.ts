import { tailOf } from '../diagnose/trace/clauses.ts';
import { keyValueSql } from '../diagnose/trace/keys.ts';
import type { KeyPlan, StageParts, StagePlan } from '../diagnose/trace/plan.ts';
import { type Page, stageRowsSql } from '../diagnose/trace/stage-sql.ts';
import { tokensOf } from '../sql/tokens.ts';

/** Rows that a clause takes away or adds. */
export interface ChangedRows {
  /** A query for a page of them. */
  sql(page: Page): string;
  /**
   * The conditions whose truth (1, 0, NULL) stands behind the columns of each row, as places in the plan's text; the last
   * columns are theirs.
   */
  readonly truths: readonly { readonly offset: number; readonly length: number }[];
  /** How many more columns behind the row's own say nothing to people. */
  readonly hidden: number;
  /** The stage whose column names are theirs, where the query does not tell them; null where it does. */
  readonly named: StagePlan | null;
  /** Whether their number is the difference of the rows before and after. */
  readonly isDifference: boolean;
}

/** The query of a stage cut before its FROM; null where it is not put together of its parts. */
function split({ sql, parts }: StagePlan): { head: string; parts: StageParts } | null {
  if (parts === null) return null;
  const tail = tailOf(parts);
  return tail !== '' && sql.endsWith(` ${tail}`) ? { head: sql.slice(0, -tail.length - 1), parts } : null;
}

function page(sql: string, { offset, limit }: Page): string {
  return `${sql} LIMIT ${limit} OFFSET ${offset}`;
}

/**
 * The rows of a stage with the keys of its rows behind their columns, for the stable keys; null where they cannot be had.
 */
export function keyedRows(stage: StagePlan): { sql(page: Page): string; keys: readonly KeyPlan[] } | null {
  const keys = stage.keys.filter(({ kind }) => kind === 'rowid' || kind === 'primary_key');
  const pieces = stage.level === 'rows' && stage.clause !== 'LIMIT' ? split(stage) : null;
  if (pieces === null || keys.length === 0) return null;
  const expressions = keys.flatMap((key) => key.expressions).join(', ');
  const sql = `${pieces.head}, ${expressions} ${tailOf(pieces.parts)}`;
  return { sql: (wanted) => page(sql, wanted), keys };
}

/** The rows that are there before a clause and not after it; null where it takes none away, or they cannot be told. */
export function lostRows(before: StagePlan, after: StagePlan, width: number): ChangedRows | null {
  if (after.clause === 'WHERE' || after.clause === 'HAVING') return refused(before, after);
  if (after.clause === 'JOIN') return withoutPartner(before, after);
  if (after.clause === 'DISTINCT') return repeated(before, width);
  if (after.clause === 'LIMIT') return cut(before, after);
  return null;
}

function refused(before: StagePlan, after: StagePlan): ChangedRows | null {
  const { clause, conjuncts } = after;
  const pieces = split(before);
  if (pieces === null || conjuncts.length === 0) return null;
  // Full-text search can be asked for in WHERE alone, not worked out for a row.
  if (conjuncts.some(({ sql }) => tokensOf(sql).some(({ kind }) => kind === 'MATCH')))
    return withoutPartner(before, after);
  const truths = conjuncts.map(({ sql }) => `CASE WHEN ${sql} THEN 1 WHEN NOT (${sql}) THEN 0 END`);
  const isFalse = `NOT coalesce(${conjuncts.map(({ sql }) => `(${sql})`).join(' AND ')}, 0)`;
  const { head, parts } = pieces;
  const tail = tailOf(clause === 'WHERE' ? { ...parts, where: isFalse } : { ...parts, having: `HAVING ${isFalse}` });
  const sql = `${head}, ${truths.join(', ')} ${tail}`;
  return {
    sql: (wanted) => page(sql, wanted),
    truths: conjuncts.map(({ range }) => range),
    hidden: 0,
    named: null,
    isDifference: true,
  };
}

/** One value for the keys of a row, never NULL; null where some alias has no key. */
function identityOf(keys: readonly KeyPlan[]): string | null {
  const values = keys.map(keyValueSql);
  if (values.length === 0 || values.includes(null)) return null;
  return values.map((value) => `quote(${value})`).join(` || ',' || `);
}

/** The rows whose keys are not among those of the clause behind. */
function withoutPartner(before: StagePlan, after: StagePlan): ChangedRows | null {
  const pieces = split(before);
  const identity = identityOf(before.keys);
  if (pieces === null || identity === null || after.parts === null) return null;
  const joined = `SELECT ${identity} ${tailOf(after.parts)}`;
  const sql = `${pieces.head} ${tailOf({ ...pieces.parts, where: `${identity} NOT IN (${joined})` })}`;
  return { sql: (wanted) => page(sql, wanted), truths: [], hidden: 0, named: null, isDifference: false };
}

/** Equal rows but the first of them. */
function repeated(before: StagePlan, width: number): ChangedRows | null {
  if (width === 0) return null;
  const { sql } = before;
  const columns = Array.from({ length: width }, (_, index) => `column_${index + 1}`).join(', ');
  const numbered = `SELECT *, row_number() OVER (PARTITION BY ${columns}) AS place FROM all_rows`;
  const rows = `WITH all_rows(${columns}) AS (${sql}) SELECT * FROM (${numbered}) WHERE place > 1`;
  return { sql: (wanted) => page(rows, wanted), truths: [], hidden: 1, named: before, isDifference: true };
}

/** What OFFSET skips, then what is behind the cut. */
function cut(before: StagePlan, { count }: StagePlan): ChangedRows | null {
  if (count.by !== 'limit') return null;
  const skipped = count.offset;
  const sql = ({ offset, limit }: Page) => {
    const first = Math.max(0, Math.min(limit, skipped - offset));
    const rest = stageRowsSql(before, {
      offset: Math.max(offset, skipped) + count.count,
      limit: limit - first,
    });
    if (first === 0) return rest;
    return `SELECT * FROM (${stageRowsSql(before, { offset, limit: first })}) UNION ALL SELECT * FROM (${rest})`;
  };
  return { sql, truths: [], hidden: 0, named: null, isDifference: true };
}

/**
 * The rows that a join makes beyond one for each row before it; those that a RIGHT or FULL join adds stand among them. null
 * for other clauses, joins without a condition, and where they cannot be told.
 */
export function addedRows(before: StagePlan, after: StagePlan): ChangedRows | null {
  if (after.clause !== 'JOIN' || after.join === null || after.join.cartesian) return null;
  const pieces = split(after);
  const identity = identityOf(before.keys);
  if (pieces === null || identity === null) return null;
  const isNew = before.keys
    .flatMap(({ expressions }) => expressions)
    .map((expression) => `${expression} IS NULL`)
    .join(' AND ');
  const place = `row_number() OVER (PARTITION BY ${identity})`;
  const numbered = after.join.addsRows ? `CASE WHEN ${isNew} THEN 2 ELSE ${place} END` : place;
  const { head, parts } = pieces;
  const start = parts.with.length;
  const inner = `${head.slice(start)}, ${numbered} AS place_among_equals ${tailOf(parts)}`;
  const sql = `${parts.with}SELECT * FROM (${inner}) WHERE place_among_equals > 1`;
  return { sql: (wanted) => page(sql, wanted), truths: [], hidden: 1, named: after, isDifference: false };
}
