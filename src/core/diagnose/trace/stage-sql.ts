import type { Cell } from '../../../protocol/value.ts';
import { joined } from './block.ts';
import { groupSql, tailOf } from './clauses.ts';
import { literalOf } from './literal.ts';
import type { KeyPlan, StageParts, StagePlan } from './plan.ts';

/** A page of a stage. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Rows whose alias has one of these keys (`group`: the groups of that key). One cell a column of the alias's key. */
export interface KeyFilter {
  readonly alias: string;
  readonly keys: readonly (readonly Cell[])[];
}

/** A query that gives a page of the rows after a stage, in the stage's order, with the columns of the stage's `sql`. */
export function stageRowsSql(stage: StagePlan, page: Page): string {
  const { count } = stage;
  if (count.by === 'limit') {
    const left = Math.max(0, Math.min(page.limit, count.count - page.offset));
    return paged(count.unlimited, { offset: count.offset + page.offset, limit: left }, true);
  }
  // LIMIT may stand only once, and not behind VALUES.
  const isOpen = stage.clause !== 'LIMIT' && (stage.parts !== null || stage.clause === 'ORDER BY');
  return paged(stage.sql, page, isOpen);
}

/**
 * A query that gives the keys of a stage's rows: for each of `stage.keys` its columns, in order. For groups the group's
 * size and the select items follow. null where the rows lead back to no keys (after DISTINCT or a set operation), or
 * where the filter cannot be applied.
 * @param filters all must hold
 */
export function stageKeysSql(stage: StagePlan, page: Page | null, filters: readonly KeyFilter[] = []): string | null {
  const hasKeys = stage.level === 'groups' || stage.keys.some(({ expressions }) => expressions.length > 0);
  if (stage.parts === null || !hasKeys) return null;
  const parts = filtered(stage, stage.parts, filters);
  if (parts === null) return null;
  const [group] = stage.keys;
  const sql =
    stage.level === 'groups' && group !== undefined
      ? groupSql(parts, group)
      : joined([
          `${parts.with}SELECT ${stage.keys.flatMap(({ expressions }) => expressions).join(', ')}`,
          tailOf(parts),
        ]);
  return page === null ? sql : paged(sql, page, parts.limit === '');
}

/**
 * A query that gives, for the rows (groups) that come to a WHERE, ON or HAVING, their keys as `stageKeysSql` does, and
 * behind them the truth of each of `stage.conjuncts`: 1 true, 0 false, NULL unknown. For groups the size stands between.
 * null where the stage has no condition.
 */
export function predicateTruthSql(
  stage: StagePlan,
  page: Page | null,
  filters: readonly KeyFilter[] = [],
): string | null {
  if (stage.parts === null || stage.conjuncts.length === 0) return null;
  const from = stage.join?.unconditioned ?? stage.parts.from;
  const before: StageParts =
    stage.level === 'groups' ? { ...stage.parts, having: '' } : { ...stage.parts, from, where: null };
  const parts = filtered(stage, before, filters);
  if (parts === null) return null;
  const truths = stage.conjuncts.map(({ sql }) => `CASE WHEN ${sql} THEN 1 WHEN NOT (${sql}) THEN 0 END`);
  const keys = stage.keys.flatMap(({ expressions }) => expressions);
  const items = stage.level === 'groups' ? [...keys, 'count(*)', ...truths, parts.groupItems] : [...keys, ...truths];
  const sql = joined([`${parts.with}SELECT ${items.join(', ')}`, tailOf(parts)]);
  return page === null ? sql : paged(sql, page, true);
}

/** A query that gives the keys of the rows (`stage.rowKeys`) of which a group is made. null for stages without groups. */
export function groupMembersSql(stage: StagePlan, key: readonly Cell[], page: Page | null): string | null {
  const [group] = stage.keys;
  if (stage.level !== 'groups' || stage.parts === null || group === undefined) return null;
  const condition = keyCondition(group, [key]);
  if (condition === null) return null;
  const expressions = stage.rowKeys.flatMap((plan) => plan.expressions);
  if (expressions.length === 0) return null;
  const none = { groupBy: '', having: '', windows: '', orderBy: '', limit: '' };
  const parts = { ...stage.parts, ...none, where: bothOf(stage.parts.where, condition) };
  const sql = joined([`${parts.with}SELECT ${expressions.join(', ')}`, tailOf(parts)]);
  return page === null ? sql : paged(sql, page, true);
}

/** A query that gives the number of rows after a stage. */
export function stageCountSql(stage: StagePlan): string {
  if (stage.count.by === 'query') return stage.count.sql;
  if (stage.level !== 'rows' || stage.parts === null || stage.clause === 'LIMIT')
    return `SELECT count(*) FROM (${stage.sql})`;
  return joined([`${stage.parts.with}SELECT count(*)`, tailOf({ ...stage.parts, orderBy: '' })]);
}

function paged(sql: string, { offset, limit }: Page, isOpen: boolean): string {
  const tail = `LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ''}`;
  return isOpen ? `${sql} ${tail}` : `SELECT * FROM (${sql}) ${tail}`;
}

/** What LIMIT has cut cannot be filtered before it is cut. */
function filtered(stage: StagePlan, parts: StageParts, filters: readonly KeyFilter[]): StageParts | null {
  if (filters.length === 0) return parts;
  if (parts.limit !== '') return null;
  let { where, having } = parts;
  for (const { alias, keys } of filters) {
    const key = stage.keys.find((plan) => plan.alias === alias);
    const condition = key === undefined ? null : keyCondition(key, keys);
    if (condition === null) return null;
    if (key?.kind === 'group') having = `HAVING ${bothOf(having === '' ? null : having.slice(7), condition)}`;
    else where = bothOf(where, condition);
  }
  return { ...parts, where, having };
}

function bothOf(first: string | null, second: string): string {
  return first === null ? second : `(${first}) AND (${second})`;
}

/** Whether a row has one of some keys. NULL is a value of a key like others. null where a value cannot be written. */
export function keyCondition({ kind, expressions }: KeyPlan, keys: readonly (readonly Cell[])[]): string | null {
  if (kind === 'none' || keys.length === 0) return kind === 'none' ? null : '0';
  const [only] = expressions;
  if (only === undefined) return '1';
  const literals = keys.map((key) => expressions.map((_, index) => literalOf(key[index] ?? null)));
  if (literals.some((key) => key.includes(null))) return null;
  const isPlain = expressions.length === 1 && keys.every(([cell]) => cell !== null && cell !== undefined);
  if (isPlain) return `${only} IN (${literals.map(([literal]) => literal).join(', ')})`;
  return literals
    .map((key) => `(${expressions.map((expression, index) => `${expression} IS ${key[index]}`).join(' AND ')})`)
    .join(' OR ');
}
