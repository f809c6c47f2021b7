import type { Arm, Limit, OrderBy, Query } from '../../sql/ast/query.ts';
import { between, endOf } from '../../sql/ast/source.ts';
import { BlockText, joined } from './block.ts';
import { limitCount } from './limit.ts';
import { type Place, withText } from './place.ts';
import { PLAIN_RESULT, type StagePlan, type TracePlan } from './plan.ts';
import { compoundTiesSql } from './ties.ts';

/**
 * The stages of a compound: one for each set operation, from left to right, then ORDER BY and LIMIT. VALUES alone is one
 * stage.
 * @param planArm plans one SELECT of it
 */
export function planCompound(
  query: Query,
  place: Place,
  planArm: (arm: Arm) => TracePlan,
): { stages: StagePlan[]; why: string | null } {
  const tables = withText(place);
  const pieces = query.arms.map((arm) => pieceOf(arm, query, place));
  const stages: StagePlan[] = [];
  const [first, ...others] = query.arms;
  if (first !== undefined && others.length === 0) stages.push(valuesStage(first, tables, pieces[0] ?? ''));
  for (const [index, arm] of others.entries()) {
    const sql = `${tables}${joined(pieces.slice(0, index + 2))}`;
    const nested = index === 0 && first !== undefined ? [planArm(first), planArm(arm)] : [planArm(arm)];
    const start = arm.operator?.range.offset ?? arm.range.offset;
    stages.push({
      ...PLAIN_RESULT,
      clause: 'SET OPERATION',
      label: arm.operator?.kind ?? 'UNION',
      range: between(start, endOf(arm.range)),
      sql,
      count: { by: 'query', sql: `SELECT count(*) FROM (${sql})` },
      nested,
    });
  }
  const last = stages.at(-1);
  if (last !== undefined) stages.push(...tailStages(query, place, last, joined(pieces)));
  return { stages, why: null };
}

function valuesStage(arm: Arm, tables: string, piece: string): StagePlan {
  const sql = `${tables}${piece}`;
  return {
    ...PLAIN_RESULT,
    clause: 'SELECT',
    label: 'VALUES',
    range: arm.range,
    sql,
    count: { by: 'query', sql: `SELECT count(*) FROM (${sql})` },
  };
}

function pieceOf({ operator, core, range }: Arm, query: Query, place: Place): string {
  const { renderer, outer } = place;
  const text =
    core.kind === 'select'
      ? new BlockText(core, query, place).core(true)
      : renderer.render(range, null, outer, { aliases: 'keep', outer: 'scalar' });
  return operator === null ? text : `${operator.kind} ${text}`;
}

function tailStages({ orderBy, limit, arms }: Query, place: Place, last: StagePlan, core: string): StagePlan[] {
  const { renderer } = place;
  const stages: StagePlan[] = [];
  let sql = last.sql;
  if (orderBy !== null) {
    sql = `${sql} ${renderer.text(orderBy.range)}`;
    stages.push({
      ...PLAIN_RESULT,
      clause: 'ORDER BY',
      label: 'ORDER BY',
      range: orderBy.range,
      sql,
      count: { by: 'same' },
    });
  }
  if (limit !== null) {
    const unlimited = sql;
    sql = `${sql} ${renderer.text(limit.range)}`;
    const count = limitCount(limit, unlimited, sql);
    const cut = count.by === 'limit' ? count.count + count.offset : 0;
    stages.push({
      ...PLAIN_RESULT,
      clause: 'LIMIT',
      label: labelOf(limit),
      range: limit.range,
      sql,
      count,
      tiesSql: orderBy === null ? null : ties(orderBy, arms[0], place, core, cut),
      notes: orderBy === null ? ['Without ORDER BY it is arbitrary which rows LIMIT keeps.'] : [],
    });
  }
  return stages;
}

function labelOf({ offset }: Limit): string {
  return offset === null ? 'LIMIT' : 'LIMIT … OFFSET';
}

/** null where a term is no number or name of a result column. */
function ties(orderBy: OrderBy, arm: Arm | undefined, place: Place, core: string, cut: number): string | null {
  const { renderer } = place;
  const scope = arm === undefined ? null : renderer.resolution.scopeOf(arm.core);
  const outputs = scope?.outputs ?? null;
  if (scope === null || outputs === null) return null;
  const terms = orderBy.items.map(({ expression, range }) => {
    const { node } = expression;
    const reference = node.type === 'Id' ? renderer.resolution.reference(node) : null;
    const named = reference?.kind === 'alias' ? outputs.indexOf(reference.output) : -1;
    return {
      index: renderer.resolution.outputOf(node, scope, 'ORDER BY') ?? named,
      suffix: renderer.text(between(endOf(expression.range), endOf(range))),
    };
  });
  return terms.some(({ index }) => index < 0)
    ? null
    : compoundTiesSql(withText(place), core, outputs.length, terms, cut);
}
