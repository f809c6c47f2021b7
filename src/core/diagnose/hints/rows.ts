import type { Hint } from '../../../protocol/diagnosis.ts';
import { toJsonRows } from '../../../protocol/value.ts';
import { duplicateRows } from '../../signals/duplicates.ts';
import { rangeOf } from '../../sql/ast/build-expression.ts';
import type { Expr } from '../../sql/ast/query.ts';
import { callsIn, columnNamesIn } from '../../sql/ast/walk.ts';
import { isAggregateCall } from '../../sql/scope/functions.ts';
import { blocksOf, type CountedStage, type HintContext, hintAt, said } from './context.ts';

/** Aggregates that a repeated row changes. */
const COUNTING = /^(?:count|sum|avg|total|group_concat|string_agg)$/i;

/** Joins that repeat rows of which a column is then summed, averaged or counted. */
export function multipliedAggregates(context: HintContext): Hint[] {
  const { names, sql } = context;
  return blocksOf(context.query).flatMap((block) => {
    const scope = names.scopeOf(block);
    const rows = lastRows(context, block.range);
    if (rows === null) return [];
    return scope.aggregates.flatMap((call) => {
      if (!isAggregateCall(call) || !COUNTING.test(call.name.name)) return [];
      if (call.type !== 'FunctionCallExpr' || call.distinctness === 'Distinct') return [];
      const alias = aliasOf(context, call);
      const distinct = alias === null ? null : (rows.trace.distinct[alias] ?? null);
      const { rowCount } = rows.trace;
      if (alias === null || distinct === null || rowCount === null || distinct === 0 || rowCount <= distinct) return [];
      const times = Number((rowCount / distinct).toFixed(2));
      const sentence = `The join repeats rows of ${alias}: ${said(sql, rangeOf(call))} takes each of them ${times} times on average.`;
      return [hintAt(context, 'join_multiplies_rows', rangeOf(call), sentence, { alias, rows: rowCount, distinct })];
    });
  });
}

/** The stage after which the rows stand that a block groups. */
function lastRows({ stages }: HintContext, block: { offset: number; length: number }): CountedStage | null {
  const own = stages.filter(
    ({ plan }) => plan.range.offset >= block.offset && plan.range.offset < block.offset + block.length,
  );
  const joined = own.find(({ plan }) => plan.clause === 'JOIN');
  return (
    joined?.siblings.findLast(({ plan }) => plan.level === 'rows' && ['JOIN', 'WHERE'].includes(plan.clause)) ?? null
  );
}

/** The alias whose column an aggregate takes, where it is one. */
function aliasOf({ names }: HintContext, call: Expr): string | null {
  const aliases = columnNamesIn(call).map((name) => {
    const reference = names.reference(name);
    return reference.kind === 'column' ? reference.source.alias : null;
  });
  const [first] = aliases;
  return first !== undefined && aliases.every((alias) => alias === first) ? first : null;
}

/** Rows of the result that repeat an earlier one. */
export function duplicatedRows(context: HintContext): Hint[] {
  const { result, stages, query } = context;
  const duplicates = result.truncated ? null : duplicateRows(toJsonRows(result.rows));
  if (duplicates === null) return [];
  const block = query.arms[0]?.core;
  const range = block?.kind === 'select' ? block.itemsRange : query.range;
  const join = stages.find(({ trace }) => trace.multiplies === true);
  const why = join === undefined ? '' : ` ${join.trace.label} gives rows of before several times.`;
  const sentence = `${duplicates.rows} of ${duplicates.total} rows repeat an earlier one.${why}`;
  return [hintAt(context, 'duplicate_rows', range, sentence, { ...duplicates })];
}

/** Rows whose order, or whose being there at all, SQLite is free to choose. */
export function arbitraryRows(context: HintContext): Hint[] {
  return context.stages.flatMap(({ plan, trace, siblings }) => {
    if (plan.clause !== 'LIMIT') return [];
    const before = siblings[siblings.findIndex((stage) => stage.plan === plan) - 1];
    const cuts = (before?.trace.rowCount ?? 0) > (trace.rowCount ?? 0);
    if (trace.ties !== null) {
      const { tied, kept } = trace.ties;
      const sentence = `${tied} rows are tied where LIMIT cuts, of which it keeps ${kept}: which is arbitrary.`;
      return [hintAt(context, 'arbitrary_order', plan.range, sentence, { tied, kept })];
    }
    if (!cuts || siblings.some((stage) => stage.plan.clause === 'ORDER BY')) return [];
    return [
      hintAt(context, 'arbitrary_order', plan.range, 'LIMIT without ORDER BY: which rows it keeps is arbitrary.'),
    ];
  });
}

/** The first clause of each SELECT after which nothing is left. */
export function emptyClauses(context: HintContext): Hint[] {
  const isFirst = ({ siblings }: CountedStage, plan: CountedStage['plan']) =>
    siblings.find(({ trace }) => trace.rowCount === 0)?.plan === plan;
  return context.stages.flatMap((stage) => {
    const { plan, trace } = stage;
    if (trace.rowCount !== 0 || !isFirst(stage, plan)) return [];
    return [hintAt(context, 'no_rows', plan.range, `No rows are left after ${trace.label}.`)];
  });
}

/** Columns beside aggregates that have several values in a group, of which SQLite takes any. */
export async function bareColumns(context: HintContext): Promise<Hint[]> {
  const { names, sql, session } = context;
  const hints: Hint[] = [];
  for (const { plan } of context.stages.filter(
    ({ plan: { clause } }) => clause === 'GROUP BY' || clause === 'AGGREGATE',
  )) {
    const block = blocksOf(context.query).find(({ range }) => holds(range, plan.range));
    if (block === undefined || plan.parts === null) continue;
    const { aggregates } = names.scopeOf(block);
    const extremes = aggregates.filter(({ name }) => /^(?:min|max)$/i.test(name.name));
    // Bare columns follow the row of a single min() or max().
    if (extremes.length === 1 && aggregates.length === 1) continue;
    for (const item of block.items) {
      if (item.kind === 'star' || callsIn(item.expression.node).some(isAggregateCall)) continue;
      if (item.expression.subqueries.length > 0 || columnNamesIn(item.expression.node).length === 0) continue;
      const text = said(sql, item.expression.range);
      const { with: tables, from, where, groupBy } = plan.parts;
      const condition = where === null ? '' : `WHERE ${where}`;
      const groups = `SELECT 1 ${from} ${condition} ${groupBy} HAVING count(DISTINCT ${text}) > 1`;
      const several = Number((await session.rows(`${tables}SELECT count(*) FROM (${groups})`, 1))?.[0]?.[0] ?? 0);
      if (several === 0) continue;
      const where_ =
        plan.clause === 'AGGREGATE'
          ? 'has several values, of which SQLite takes any'
          : `has several values in ${several} of the groups, of which SQLite takes any`;
      hints.push(
        hintAt(context, 'bare_column', item.range, `${text} is not grouped by: it ${where_}.`, { groups: several }),
      );
    }
  }
  return hints;
}

function holds(outer: { offset: number; length: number }, inner: { offset: number; length: number }): boolean {
  return inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length;
}
