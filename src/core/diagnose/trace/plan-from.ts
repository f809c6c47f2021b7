import type { FromItem, Join } from '../../sql/ast/query.ts';
import { between, endOf } from '../../sql/ast/source.ts';
import { foldName } from '../../sql/tokens.ts';
import { type BlockText, joined } from './block.ts';
import { fromRows } from './clauses.ts';
import type { CountPlan, JoinPlan, StagePlan, TracePlan } from './plan.ts';

/** Plans what is nested in a clause: the item's own query and the subqueries of the conditions. */
export interface Nesting {
  ofItem(item: FromItem): TracePlan[];
  ofJoin(join: Join, index: number): TracePlan[];
}

export interface FromStages {
  readonly stages: StagePlan[];
  /** Why joins had to be taken together; null where each is a step. */
  readonly why: string | null;
}

/** One stage for the first item of FROM and one for each join. */
export function planFrom(text: BlockText, nesting: Nesting): FromStages {
  const { from } = text;
  if (from === null) return { stages: [], why: null };
  const stages = [firstStage(text, nesting.ofItem(from.first))];
  let why: string | null = null;
  for (let start = 0; start < from.joins.length; ) {
    const end = lastNeeded(text, start);
    if (end > start) why ??= laterReference(text, from.joins.slice(start, end + 1));
    const nested = from.joins
      .slice(start, end + 1)
      .flatMap((join, index) => [...nesting.ofItem(join.item), ...nesting.ofJoin(join, start + index)]);
    stages.push(joinStage(text, start, end, nested));
    start = end + 1;
  }
  return { stages, why };
}

function firstStage(text: BlockText, nested: TracePlan[]): StagePlan {
  const { from } = text;
  const range = from === null ? text.block.range : between(from.range.offset, endOf(from.first.range));
  return { ...fromRows(text, -1), clause: 'FROM', label: 'FROM', range, nested };
}

function joinStage(text: BlockText, start: number, end: number, nested: TracePlan[]): StagePlan {
  const joins = text.from?.joins.slice(start, end + 1) ?? [];
  const last = joins.at(-1);
  const first = joins[0];
  if (first === undefined || last === undefined) throw new RangeError('a join without a join');
  const rows = fromRows(text, end);
  const cartesian = joins.every((join) => join.on === null && join.using === null && !join.natural);
  const addsRows = joins.some(({ kind }) => kind === 'right' || kind === 'full');
  const isProduct =
    joins.length === 1 && cartesian && !addsRows && first.kind !== 'left' && first.item.kind !== 'function';
  const count: CountPlan = isProduct
    ? { by: 'product', sql: joined([`${text.with}SELECT count(*)`, `FROM ${text.itemText(first.item)}`]) }
    : rows.count;
  const unconditioned = [text.fromText(start - 1), ...joins.map(({ item }) => text.itemText(item))].join(
    ' CROSS JOIN ',
  );
  const join: JoinPlan = { driving: drivingAlias(text, first, start), cartesian, addsRows, unconditioned };
  return {
    ...rows,
    clause: 'JOIN',
    label: joins.map((part) => labelOf(text, part)).join(' … '),
    range: between(first.range.offset, endOf(last.range)),
    count,
    join,
    conjuncts: joins.flatMap(({ on }) =>
      (on?.conjuncts ?? []).map((conjunct) => ({ range: conjunct.range, sql: text.expression(conjunct) })),
    ),
    nested,
    notes: [
      ...(joins.length > 1 ? ['These joins are one step: the ON of one refers to a table that is joined later.'] : []),
      ...(cartesian ? ['Every row with every row: the join has no condition of its own.'] : []),
    ],
  };
}

function labelOf(text: BlockText, { kind, operator }: Join): string {
  if (kind === 'comma') return 'COMMA JOIN';
  return text.place.renderer.text(operator).replace(/\s+/g, ' ').toUpperCase();
}

/** The index of the last join that has to be there for the ON of `start` (and of those drawn in by it) to be built. */
function lastNeeded(text: BlockText, start: number): number {
  let end = start;
  for (let index = start; index <= end; index++) {
    const on = text.from?.joins[index]?.on ?? null;
    if (on === null) continue;
    for (const reference of text.place.renderer.referencesIn(on.range)) {
      if (reference.kind !== 'column' || reference.scope !== text.scope) continue;
      end = Math.max(end, joinOf(text, reference.source.item.range.offset));
    }
  }
  return end;
}

/** Index of the join whose item holds the source at an offset; -1 for the first item. */
function joinOf(text: BlockText, offset: number): number {
  const joins = text.from?.joins ?? [];
  return joins.findIndex(({ item }) => offset >= item.range.offset && offset < endOf(item.range));
}

function laterReference(text: BlockText, joins: readonly Join[]): string {
  const names = joins.map(({ item }) => text.place.renderer.text(item.range)).join(', ');
  return `The joins of ${names} are one step: the ON of one refers to a table that is joined later.`;
}

/** The earlier alias that a join's condition refers to, the nearest before it; the first alias where there is none. */
function drivingAlias(text: BlockText, join: Join, index: number): string {
  const before = text.keysUpTo(index - 1);
  const first = before[0]?.alias ?? '';
  if (join.using !== null || join.natural) return nearestWith(text, join, index) ?? first;
  if (join.on === null) return first;
  const sources = text.sourcesUpTo(index - 1);
  const indexes = text.place.renderer
    .referencesIn(join.on.range)
    .flatMap((reference) => (reference.kind === 'column' && reference.scope === text.scope ? [reference.source] : []))
    .map((source) => sources.indexOf(source))
    .filter((at) => at >= 0 && at < before.length);
  return indexes.length === 0 ? first : (before[Math.max(...indexes)]?.alias ?? first);
}

function nearestWith(text: BlockText, join: Join, index: number): string | null {
  const own = text.sourcesUpTo(index).at(-1);
  const names = new Set(join.using?.columns.map(({ text: name }) => foldName(name)) ?? own?.merged ?? []);
  const before = text.sourcesUpTo(index - 1);
  return before.findLast(({ columns }) => columns?.some((column) => names.has(foldName(column))))?.alias ?? null;
}
