import type { Table } from '../../../protocol/catalog.ts';
import type { TraceSource } from '../../../protocol/diagnose.ts';
import { parseView } from '../../sql/ast/parse-query.ts';
import type { FromItem, Join, JoinItem, Query, Range, Subquery } from '../../sql/ast/query.ts';
import { endOf } from '../../sql/ast/source.ts';
import { resolveQuery } from '../../sql/scope/resolve.ts';
import type { Source } from '../../sql/scope/scope.ts';
import { BlockText } from './block.ts';
import { hasGroups, lastJoin } from './clauses.ts';
import { type OuterInput, outerKeysSql, outerRow } from './outer-row.ts';
import type { Place } from './place.ts';
import type { OuterKey, TracePlan } from './plan.ts';
import { type Nesting, planFrom } from './plan-from.ts';
import { recursivePlan } from './recursive.ts';
import { Renderer } from './render.ts';

/** Plans a query that stands at a place. */
export type PlanQuery = (query: Query, place: Place, source: TraceSource) => TracePlan;

/** What stands nested in the clauses of a block. */
export class BlockNesting implements Nesting {
  readonly #text: BlockText;
  readonly #planQuery: PlanQuery;

  constructor(text: BlockText, planQuery: PlanQuery) {
    this.#text = text;
    this.#planQuery = planQuery;
  }

  ofItem(item: FromItem): TracePlan[] {
    const { place, scope } = this.#text;
    if (item.kind === 'subquery')
      return [this.#planQuery(item.query, place, { kind: 'subquery', name: item.alias?.text ?? null })];
    if (item.kind === 'join') return [this.#parenthesised(item)];
    const own =
      item.kind === 'function'
        ? this.#subqueries(
            item.args.flatMap((arg) => arg.subqueries),
            this.#rows(-1),
          )
        : [];
    const source = scope.sources.find((candidate) => candidate.item === item);
    return source === undefined ? own : [...own, ...this.#ofRelation(source)];
  }

  ofJoin(join: Join, index: number): TracePlan[] {
    return this.#subqueries(join.on?.expression.subqueries ?? [], this.#rows(index));
  }

  ofWhere(): TracePlan[] {
    return this.#subqueries(this.#text.block.where?.expression.subqueries ?? [], this.#rows(lastJoin(this.#text)));
  }

  /** Of expressions that are worked out per row after WHERE, or per group where the block makes groups. */
  ofResult(subqueries: readonly Subquery[]): TracePlan[] {
    const text = this.#text;
    const rows: OuterInput = {
      parts: text.parts(lastJoin(text), { where: true }),
      keys: text.keys,
      grouped: false,
    };
    if (!hasGroups(text)) return this.#subqueries(subqueries, rows);
    const groups = this.#groups();
    const isInAggregate = ({ range }: Subquery) => text.scope.aggregates.some(({ span }) => holds(span, range));
    return subqueries.flatMap((subquery) => this.#subqueries([subquery], isInAggregate(subquery) ? rows : groups));
  }

  ofGroupBy(): TracePlan[] {
    const text = this.#text;
    const subqueries = (text.block.groupBy?.items ?? []).flatMap((item) => item.subqueries);
    const parts = text.parts(lastJoin(text), { where: true });
    return this.#subqueries(subqueries, { parts, keys: text.keys, grouped: false });
  }

  #rows(join: number): OuterInput {
    const text = this.#text;
    return { parts: text.parts(join, {}), keys: text.keysUpTo(join), grouped: false };
  }

  #groups(): OuterInput {
    const text = this.#text;
    const expressions = text.groupTerms();
    const key = { alias: 'group', table: null, kind: 'group' as const, columns: expressions, expressions };
    return { parts: text.parts(lastJoin(text), { where: true, group: true }), keys: [key], grouped: true };
  }

  #subqueries(subqueries: readonly Subquery[], input: OuterInput): TracePlan[] {
    return subqueries.map(({ query }) => this.#subquery(query, input, null));
  }

  #subquery(query: Query, input: OuterInput, row: readonly OuterKey[] | null): TracePlan {
    const { place } = this.#text;
    const source: TraceSource = { kind: 'expression', name: null };
    if (place.renderer.resolution.outerOf(query).length === 0) return this.#planQuery(query, place, source);
    const outer = outerRow(query, this.#text, input, row);
    // Planned again for another row, its common table expressions must be traced again.
    const traced = row === null ? place.traced : new Set<object | string>();
    const plan = this.#planQuery(query, { ...place, traced, outer }, source);
    const bind = (chosen: readonly OuterKey[]) => this.#subquery(query, input, chosen);
    return { ...plan, correlation: { keys: input.keys, keysSql: outerKeysSql(input), bind } };
  }

  #ofRelation({ relation, alias }: Source): TracePlan[] {
    const { place } = this.#text;
    if (relation.kind === 'view') return this.#ofView(relation.table);
    if (relation.kind !== 'cte' || place.traced.has(relation.cte)) return [];
    place.traced.add(relation.cte);
    const source: TraceSource = { kind: 'cte', name: relation.cte.name.text };
    if (relation.recursive) return [recursivePlan(relation.cte, place, source)];
    return [this.#planQuery(relation.cte.query, place, { ...source, name: source.name ?? alias })];
  }

  #ofView({ name, sql }: Table): TracePlan[] {
    const { place } = this.#text;
    const query = sql === null ? null : parseView(sql);
    if (sql === null || query === null || place.traced.has(name) || place.views.includes(name)) return [];
    place.traced.add(name);
    const renderer = new Renderer(resolveQuery(query, sql, place.catalog));
    const inner: Place = { ...place, renderer, tables: [], outer: null, views: [...place.views, name] };
    return [this.#planQuery(query, inner, { kind: 'view', name })];
  }

  /** The joins inside parentheses, as steps of their own. */
  #parenthesised(item: JoinItem): TracePlan {
    const { block, query, place } = this.#text;
    const source: TraceSource = { kind: 'join', name: item.alias?.text ?? null };
    const base = {
      source,
      text: place.renderer.resolution.sql,
      range: item.from.range,
      query: null,
      correlation: null,
    };
    // An alias hides the items inside from the block, so that their columns cannot be asked for one by one.
    if (item.alias !== null)
      return { ...base, stages: [], complete: false, why: 'A parenthesised join with an alias is not opened.' };
    const text = new BlockText(block, query, place, item.from);
    const { stages, why } = planFrom(text, new BlockNesting(text, this.#planQuery));
    return { ...base, stages, complete: why === null, why };
  }
}

function holds(span: { offset: number; length: number }, range: Range): boolean {
  return range.offset >= span.offset && endOf(range) <= span.offset + span.length;
}
