import type { Catalog } from '../../../protocol/catalog.ts';
import type { TraceSource } from '../../../protocol/diagnose.ts';
import type { Arm, Block, Limit, OrderBy, Query } from '../../sql/ast/query.ts';
import { tailExpressions } from '../../sql/ast/walk.ts';
import { resolveQuery } from '../../sql/scope/resolve.ts';
import { foldName } from '../../sql/tokens.ts';
import { BlockText } from './block.ts';
import { distinctStage, groupStage, hasGroups, havingStage, itemsStage, lastJoin, whereStage } from './clauses.ts';
import { planCompound } from './compound.ts';
import { limitCount } from './limit.ts';
import { BlockNesting } from './nested.ts';
import { inside, type Place } from './place.ts';
import type { StagePlan, TracePlan } from './plan.ts';
import { planFrom } from './plan-from.ts';
import { Renderer } from './render.ts';
import { tiesSql } from './ties.ts';

/**
 * The stages of a query, in the order in which SQL works. Nothing is run.
 * @param sql the text that `query` was parsed from
 */
export function planTrace(query: Query, sql: string, catalog: Catalog): TracePlan {
  const renderer = new Renderer(resolveQuery(query, sql, catalog));
  const place: Place = { catalog, renderer, tables: [], outer: null, traced: new Set(), views: [] };
  return planQuery(query, place, { kind: 'query', name: null });
}

/** The stages of a query that stands at a place. */
export function planQuery(query: Query, around: Place, source: TraceSource): TracePlan {
  const text = around.renderer.resolution.sql;
  const base = { source, text, range: query.range, query, correlation: null };
  const repeated = repeatedName(query, around);
  if (repeated !== null)
    return { ...base, stages: [], complete: false, why: `WITH gives the name ${repeated} a second meaning.` };
  const place = inside(around, query);
  const [first] = query.arms;
  const planned =
    query.arms.length > 1 || first === undefined || first.core.kind === 'values'
      ? planCompound(query, place, (arm) => planArm(arm, query, place))
      : planBlock(first.core, query, place);
  const stages = withUnused(query, place, planned.stages);
  return { ...base, stages, complete: planned.why === null, why: planned.why };
}

/**
 * A name that an inner WITH gives a second meaning. All that is in sight of a step stands in one WITH: what means the
 * outer table of that name there would mean the inner one.
 */
function repeatedName(query: Query, { tables, outer, catalog }: Place): string | null {
  if (tables.length === 0 && outer === null) return null;
  const known = new Set(
    [...tables.map(({ name }) => name.text), ...catalog.tables.map(({ name }) => name)].map(foldName),
  );
  return query.with?.items.find(({ name }) => known.has(foldName(name.text)))?.name.text ?? null;
}

/** Common table expressions that nothing refers to are shown with the first stage. */
function withUnused(query: Query, place: Place, stages: readonly StagePlan[]): StagePlan[] {
  const unused = query.with?.items.filter((item) => !place.traced.has(item)) ?? [];
  const [first, ...rest] = stages;
  if (first === undefined || unused.length === 0) return [...stages];
  const nested = unused.map((item) => planQuery(item.query, place, { kind: 'cte', name: item.name.text }));
  const notes = unused.map(({ name }) => `Nothing refers to ${name.text}.`);
  return [{ ...first, nested: [...first.nested, ...nested], notes: [...first.notes, ...notes] }, ...rest];
}

interface Stages {
  readonly stages: readonly StagePlan[];
  readonly why: string | null;
}

function planArm(arm: Arm, query: Query, place: Place): TracePlan {
  const source: TraceSource = { kind: 'arm', name: null };
  const base = { source, text: place.renderer.resolution.sql, range: arm.range, query: null, correlation: null };
  const planned =
    arm.core.kind === 'select'
      ? planCore(arm.core, query, place)
      : planCompound({ ...query, arms: [{ ...arm, operator: null }], orderBy: null, limit: null }, place, () => ({
          ...base,
          stages: [],
          complete: true,
          why: null,
        }));
  return { ...base, stages: planned.stages, complete: planned.why === null, why: planned.why };
}

/** The stages of a SELECT up to DISTINCT. */
function planCore(block: Block, query: Query, place: Place): Stages {
  const text = new BlockText(block, query, place);
  const nesting = new BlockNesting(text, planQuery);
  const { stages, why } = planFrom(text, nesting);
  const { where, groupBy, having, distinct, items, windows } = block;
  if (where !== null) stages.push({ ...whereStage(text, where), nested: nesting.ofWhere() });
  if (hasGroups(text) && (groupBy !== null || text.scope.aggregates.length > 0))
    stages.push({ ...groupStage(text), nested: nesting.ofGroupBy() });
  if (having !== null)
    stages.push({ ...havingStage(text, having), nested: nesting.ofResult(having.expression.subqueries) });
  const [call] = text.scope.windows;
  if (call !== undefined) {
    const range = windows?.range ?? { offset: call.span.offset, length: call.span.length };
    stages.push(itemsStage(text, 'WINDOW', range));
  }
  const subqueries = items.flatMap((item) => (item.kind === 'expression' ? item.expression.subqueries : []));
  stages.push({ ...itemsStage(text, 'SELECT', selectRange(block)), nested: nesting.ofResult(subqueries) });
  if (distinct?.kind === 'DISTINCT') stages.push(distinctStage(text, distinct.range));
  return { stages, why };
}

/** From SELECT to the last item. */
function selectRange({ range, itemsRange }: Block) {
  return { offset: range.offset, length: itemsRange.offset + itemsRange.length - range.offset };
}

/** The stages of a query that is one SELECT. */
function planBlock(block: Block, query: Query, place: Place): Stages {
  const { stages, why } = planCore(block, query, place);
  const text = new BlockText(block, query, place);
  const nesting = new BlockNesting(text, planQuery);
  const last = stages.at(-1);
  if (last === undefined) return { stages, why };
  const { orderBy, limit } = query;
  const own = tailExpressions({ ...query, limit: null }).flatMap(({ subqueries }) => subqueries);
  const all: StagePlan[] = [...stages];
  let before = last;
  if (orderBy !== null) {
    before = { ...orderStage(text, orderBy, last), nested: nesting.ofResult(own) };
    all.push(before);
  }
  if (limit !== null) {
    const inLimit = [limit.count, limit.offset].flatMap((expression) => expression?.subqueries ?? []);
    all.push({ ...limitStage(text, limit, orderBy, before), nested: nesting.ofResult(inLimit) });
  }
  return { stages: all, why };
}

function orderStage(text: BlockText, orderBy: OrderBy, last: StagePlan): StagePlan {
  const terms = text.orderTerms(orderBy).map(({ sql, suffix }) => `${sql}${suffix}`);
  return {
    ...last,
    clause: 'ORDER BY',
    label: 'ORDER BY',
    range: orderBy.range,
    sql: `${last.sql} ${text.kept(orderBy.range)}`,
    parts: last.parts === null ? null : { ...last.parts, orderBy: `ORDER BY ${terms.join(', ')}` },
    count: { by: 'same' },
    notes: [],
  };
}

function limitStage(text: BlockText, limit: Limit, orderBy: OrderBy | null, last: StagePlan): StagePlan {
  const sql = `${last.sql} ${text.kept(limit.range)}`;
  const count = limitCount(limit, last.sql, sql);
  const parts = last.parts ?? text.parts(lastJoin(text), { where: true, group: true, having: true, windows: true });
  return {
    ...last,
    clause: 'LIMIT',
    label: limit.offset === null ? 'LIMIT' : 'LIMIT … OFFSET',
    range: limit.range,
    sql,
    parts: last.parts === null ? null : { ...last.parts, limit: text.kept(limit.range) },
    count,
    tiesSql:
      orderBy !== null && count.by === 'limit' ? tiesSql(text, parts, orderBy, count.count + count.offset) : null,
    notes: orderBy === null ? ['Without ORDER BY it is arbitrary which rows LIMIT keeps.'] : [],
  };
}
