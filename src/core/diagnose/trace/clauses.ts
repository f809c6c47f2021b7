import { quoteIdentifier } from '../../schema/identifiers.ts';
import type { Condition, Range } from '../../sql/ast/query.ts';
import { type BlockText, joined } from './block.ts';
import { type ConjunctPlan, type CountPlan, type KeyPlan, PLAIN, type StageParts, type StagePlan } from './plan.ts';

type Unnamed = Omit<StagePlan, 'clause' | 'label' | 'range'>;

/** The rows of FROM up to a join (-1: the first item). */
export function fromRows(text: BlockText, join: number): Unnamed {
  const parts = text.parts(join, {});
  const star = text.star(text.sourcesUpTo(join));
  return {
    ...PLAIN,
    level: 'rows',
    keys: text.keysUpTo(join),
    sql: `${parts.with}SELECT ${star} ${parts.from}`,
    parts,
    count: { by: 'query', sql: rowCountSql(parts) },
  };
}

/** `SELECT count(*)` over the rows of a stage. */
function rowCountSql({ with: tables, from, where }: StageParts): string {
  return joined([`${tables}SELECT count(*)`, from, where === null ? '' : `WHERE ${where}`]);
}

/** Index of a block's last join. */
export function lastJoin(text: BlockText): number {
  return (text.from?.joins.length ?? 0) - 1;
}

export function whereStage(text: BlockText, where: Condition): StagePlan {
  const parts = text.parts(lastJoin(text), { where: true });
  const star = text.block.from === null ? '1' : text.star(text.scope.sources);
  return {
    ...PLAIN,
    clause: 'WHERE',
    label: 'WHERE',
    range: where.range,
    level: 'rows',
    keys: text.keys,
    sql: joined([`${parts.with}SELECT ${star}`, parts.from, `WHERE ${parts.where}`]),
    parts,
    count: { by: 'query', sql: rowCountSql(parts) },
    conjuncts: conjunctsOf(text, where),
  };
}

function conjunctsOf(text: BlockText, condition: Condition): ConjunctPlan[] {
  return condition.conjuncts.map((conjunct) => ({ range: conjunct.range, sql: text.expression(conjunct) }));
}

/** The key of a group: the values of the GROUP BY terms. */
function groupKey(text: BlockText): KeyPlan {
  const expressions = text.groupTerms();
  const columns = (text.block.groupBy?.items ?? []).map(({ range }, index) => {
    const written = text.place.renderer.text(range);
    return /^\d+$/.test(written) ? (expressions[index] ?? written) : written;
  });
  return { alias: 'group', table: null, kind: 'group', columns, expressions };
}

/** A query that gives each group's key, its size and the select items. */
export function groupSql(parts: StageParts, key: KeyPlan): string {
  const own = key.expressions.map((sql, index) => `${sql} AS ${quoteIdentifier(key.columns[index] ?? sql)}`);
  const items = [...own, 'count(*) AS "count(*)"', parts.groupItems];
  return joined([`${parts.with}SELECT ${items.join(', ')}`, tailOf(parts)]);
}

/** What stands behind the select items in the query of a stage. */
export function tailOf(parts: StageParts): string {
  const where = parts.where === null ? '' : `WHERE ${parts.where}`;
  return joined([parts.from, where, parts.groupBy, parts.having, parts.windows, parts.orderBy, parts.limit]);
}

/** GROUP BY, or AGGREGATE: the one group of all rows that aggregates make without it. */
export function groupStage(text: BlockText): StagePlan {
  const parts = text.parts(lastJoin(text), { where: true, group: true });
  const key = groupKey(text);
  const { groupBy } = text.block;
  const count: CountPlan =
    groupBy === null
      ? { by: 'one' }
      : { by: 'query', sql: `${parts.with}SELECT count(*) FROM (SELECT 1 ${tailOf(parts)})` };
  return {
    ...PLAIN,
    clause: groupBy === null ? 'AGGREGATE' : 'GROUP BY',
    label: groupBy === null ? 'AGGREGATE' : 'GROUP BY',
    range: groupBy?.range ?? aggregateRange(text),
    level: 'groups',
    keys: [key],
    rowKeys: text.keys,
    sql: groupSql(parts, key),
    parts,
    count,
  };
}

/** The first aggregate of a block that has no GROUP BY. */
function aggregateRange(text: BlockText): Range {
  const first = text.scope.aggregates[0];
  if (first === undefined) return text.block.having?.range ?? text.block.itemsRange;
  return { offset: first.span.offset, length: first.span.length };
}

export function havingStage(text: BlockText, having: Condition): StagePlan {
  const parts = text.parts(lastJoin(text), { where: true, group: true, having: true });
  const key = groupKey(text);
  return {
    ...PLAIN,
    clause: 'HAVING',
    label: 'HAVING',
    range: having.range,
    level: 'groups',
    keys: [key],
    rowKeys: text.keys,
    sql: groupSql(parts, key),
    parts,
    // The items stay: a bare column in HAVING follows the row of the only max() or min() among them.
    count: { by: 'query', sql: `${parts.with}SELECT count(*) FROM (SELECT ${parts.groupItems} ${tailOf(parts)})` },
    conjuncts: conjunctsOf(text, having),
  };
}

/** WINDOW and SELECT: the rows or groups of before with the select items worked out; nothing is added or dropped. */
export function itemsStage(text: BlockText, clause: 'WINDOW' | 'SELECT', range: Range): StagePlan {
  const isGrouped = hasGroups(text);
  const isPlain = text.block.from === null && text.block.where === null && text.place.outer === null;
  const parts = text.parts(lastJoin(text), { where: true, group: isGrouped, having: true, windows: true });
  const isFirst = text.block.from === null && text.block.where === null && !isGrouped;
  const count: CountPlan = isFirst
    ? isPlain
      ? { by: 'one' }
      : { by: 'query', sql: rowCountSql(parts) }
    : { by: 'same' };
  return {
    ...PLAIN,
    clause,
    label: clause,
    range,
    level: isGrouped ? 'groups' : 'rows',
    keys: isGrouped ? [groupKey(text)] : text.keys,
    rowKeys: isGrouped ? text.keys : [],
    sql: `${text.with}${text.core(false)}`,
    parts: isGrouped ? { ...parts, groupItems: text.groupItems() } : parts,
    count,
  };
}

/** Whether a block makes groups of its rows. */
export function hasGroups({ block, scope }: BlockText): boolean {
  return block.groupBy !== null || block.having !== null || scope.aggregates.length > 0;
}

export function distinctStage(text: BlockText, range: Range): StagePlan {
  const sql = text.core(true);
  return {
    ...PLAIN,
    clause: 'DISTINCT',
    label: 'DISTINCT',
    range,
    level: 'result',
    keys: [],
    sql: `${text.with}${sql}`,
    parts: null,
    count: { by: 'query', sql: `${text.with}SELECT count(*) FROM (${sql})` },
  };
}
