import type { Catalog } from '../../../protocol/catalog.ts';
import type { Block, CommonTable, Core, Expr, Expression, Query, Subquery } from '../ast/query.ts';
import {
  type Call,
  type ColumnName,
  callsIn,
  columnNamesIn,
  expressionsOf,
  tailExpressions,
  withoutParentheses,
} from '../ast/walk.ts';
import { foldName } from '../tokens.ts';
import { isAggregateCall, isWindowCall } from './functions.ts';
import { type Level, lookUp } from './lookup.ts';
import { indexOfAlias, indexOfName, nameOf, outputsOf, uniqueNames } from './outputs.ts';
import type { BlockScope, OuterReference, OutputColumn, Reference, Relation, Resolution, Source } from './scope.ts';
import { buildSources } from './sources.ts';

/**
 * Resolves all names of a query: which FROM item each column reference means, by SQLite's rules. Names that mean nothing
 * are marked, not refused: whether a query is valid is for SQLite to say.
 */
export function resolveQuery(query: Query, sql: string, catalog: Catalog): Resolution {
  const resolver = new Resolver(query, sql, catalog);
  resolver.resolve(query, { tables: null, levels: [], queries: [] });
  return resolver;
}

/** The common table expressions known at a place. */
interface Tables {
  readonly items: ReadonlyMap<string, CommonTable>;
  readonly outer: Tables | null;
  /** Where their bodies are resolved. */
  readonly place: Place;
}

interface Place {
  readonly tables: Tables | null;
  readonly levels: readonly Level[];
  /** The queries around, the outermost first. */
  readonly queries: readonly Query[];
}

/** A block while its names are being resolved. */
interface OpenScope extends BlockScope {
  sources: readonly Source[];
  outputs: readonly OutputColumn[] | null;
  aggregates: Call[];
  windows: Call[];
}

interface TableState {
  done: boolean;
  recursive: boolean;
  columns: readonly string[] | null;
}

class Resolver implements Resolution {
  readonly query: Query;
  readonly sql: string;
  readonly catalog: Catalog;
  readonly #references = new Map<ColumnName, Reference>();
  readonly #scopes = new Map<Core, OpenScope>();
  readonly #outer = new Map<Query, OuterReference[]>();
  readonly #columns = new Map<Query, readonly string[] | null>();
  readonly #tables = new Map<CommonTable, TableState>();

  constructor(query: Query, sql: string, catalog: Catalog) {
    this.query = query;
    this.sql = sql;
    this.catalog = catalog;
  }

  names(): ReadonlyMap<ColumnName, Reference> {
    return this.#references;
  }

  reference(node: ColumnName): Reference {
    return this.#references.get(node) ?? { kind: 'unknown' };
  }

  scopeOf(core: Core): BlockScope {
    const scope = this.#scopes.get(core);
    if (scope === undefined) throw new RangeError('The block belongs to another query.');
    return scope;
  }

  outerOf(query: Query): readonly OuterReference[] {
    return this.#outer.get(query) ?? [];
  }

  columnsOf(query: Query): readonly string[] | null {
    return this.#columns.get(query) ?? null;
  }

  outputOf(given: Expr, scope: BlockScope, clause: 'ORDER BY' | 'GROUP BY'): number | null {
    const { outputs } = scope;
    const term = withoutParentheses(given);
    if (outputs === null) return null;
    if (term.type === 'NumericLiteral' && /^\d+$/.test(term.value)) {
      const index = Number(term.value) - 1;
      return index >= 0 && index < outputs.length ? index : null;
    }
    if (clause === 'GROUP BY' || term.type !== 'Id') return null;
    return indexOfAlias(outputs, term.name);
  }

  subqueriesOf(core: Core): readonly Subquery[] {
    const { query } = this.scopeOf(core);
    const tail = query.arms.length === 1 ? tailExpressions(query) : [];
    return [...expressionsOf(core), ...tail].flatMap(({ subqueries }) => subqueries);
  }

  /** @param place where the query stands */
  resolve(query: Query, place: Place): void {
    this.#outer.set(query, []);
    const queries = [...place.queries, query];
    const inside = this.#withTables(query, { ...place, queries });
    for (const { core } of query.arms) this.#core(core, query, inside);
    this.#columns.set(query, this.#resultColumns(query));
    this.#tail(query, inside);
  }

  /** The place inside a query that has WITH; each of its tables is resolved when it is first met, or here at last. */
  #withTables(query: Query, place: Place): Place {
    if (query.with === null) return place;
    const items = new Map(query.with.items.map((item) => [foldName(item.name.text), item]));
    const tables: Tables = { items, outer: place.tables, place };
    for (const item of query.with.items) this.#commonTable(item, tables);
    return { ...place, tables };
  }

  #commonTable(item: CommonTable, tables: Tables): TableState {
    const known = this.#tables.get(item);
    if (known !== undefined) {
      if (!known.done) known.recursive = true;
      return known;
    }
    const given = item.columns?.map(({ text }) => text) ?? null;
    const state: TableState = { done: false, recursive: false, columns: given };
    this.#tables.set(item, state);
    this.resolve(item.query, { ...tables.place, tables });
    state.columns = given ?? this.columnsOf(item.query);
    state.done = true;
    return state;
  }

  #findTable(name: string, tables: Tables | null) {
    const key = foldName(name);
    for (let frame = tables; frame !== null; frame = frame.outer) {
      const cte = frame.items.get(key);
      if (cte === undefined) continue;
      const state = this.#commonTable(cte, frame);
      const open = !state.done && state.columns === null;
      const columns = open ? this.#firstArmColumns(cte) : state.columns;
      return { cte, recursive: state.recursive, columns };
    }
    return null;
  }

  /** The columns of a recursive table while its own body is being resolved: those of its first arm. */
  #firstArmColumns({ query }: CommonTable): readonly string[] | null {
    const first = query.arms[0];
    const scope = first === undefined ? undefined : this.#scopes.get(first.core);
    return scope?.outputs?.map(({ name }) => name) ?? null;
  }

  #core(core: Core, query: Query, place: Place): void {
    const parent = place.levels[0]?.scope ?? null;
    const scope: OpenScope = { core, query, parent, sources: [], outputs: null, aggregates: [], windows: [] };
    this.#scopes.set(core, scope);
    const inner = (aliases: boolean): Place => ({ ...place, levels: [{ scope, aliases }, ...place.levels] });
    if (core.kind === 'values') {
      for (const expression of core.rows.flat()) this.#expression(expression, inner(false));
      return;
    }
    scope.sources = this.#sources(core, place);
    for (const item of core.items) if (item.kind === 'expression') this.#expression(item.expression, inner(false));
    scope.outputs = outputsOf(core, scope.sources, (item) => nameOf(item, this.sql, this));
    const items = new Set(core.items.flatMap((item) => (item.kind === 'expression' ? [item.expression] : [])));
    for (const expression of expressionsOf(core)) if (!items.has(expression)) this.#expression(expression, inner(true));
  }

  #sources(block: Block, place: Place): Source[] {
    const sources = buildSources(block.from, {
      catalog: this.catalog,
      commonTable: (name) => this.#findTable(name, place.tables),
      columnsOf: (query) => {
        this.resolve(query, place);
        return this.columnsOf(query);
      },
    });
    return sources;
  }

  /** ORDER BY and LIMIT. Terms of a compound name result columns; they are looked up in its first arm. */
  #tail(query: Query, place: Place): void {
    const first = query.arms[0]?.core;
    const scope = first === undefined ? undefined : this.#scopes.get(first);
    if (scope === undefined) return;
    const inner: Place = { ...place, levels: [{ scope, aliases: true }, ...place.levels] };
    for (const { expression } of query.orderBy?.items ?? []) {
      const term = withoutParentheses(expression.node);
      const output = term.type === 'Id' ? this.#orderOutput(query, scope, term.name) : null;
      if (output !== null && term.type === 'Id') this.#note(term, { kind: 'alias', scope, depth: 0, output }, inner);
      else this.#expression(expression, inner);
    }
    if (query.limit !== null) this.#expression(query.limit.count, inner);
    if (query.limit?.offset) this.#expression(query.limit.offset, inner);
  }

  #orderOutput(query: Query, scope: BlockScope, name: string): OutputColumn | null {
    const outputs = scope.outputs ?? [];
    const index = indexOfAlias(outputs, name) ?? (query.arms.length > 1 ? indexOfName(outputs, name) : null);
    return index === null ? null : (outputs[index] ?? null);
  }

  #expression(expression: Expression, place: Place): void {
    for (const node of columnNamesIn(expression.node)) this.#note(node, lookUp(node, this.sql, place.levels), place);
    for (const { query } of expression.subqueries) this.resolve(query, place);
    for (const call of callsIn(expression.node)) this.#call(call, place);
  }

  #note(node: ColumnName, reference: Reference, place: Place): void {
    this.#references.set(node, reference);
    if ((reference.kind !== 'column' && reference.kind !== 'alias') || reference.depth === 0) return;
    const home = place.queries.lastIndexOf(reference.scope.query);
    for (const query of place.queries.slice(home + 1)) this.#outer.get(query)?.push({ node, reference });
  }

  #call(call: Call, place: Place): void {
    const own = this.#scopes.get(place.levels[0]?.scope.core as Core);
    if (isWindowCall(call)) own?.windows.push(call);
    if (!isAggregateCall(call)) return;
    const owner = place.levels[this.#ownerDepth(call)]?.scope;
    const scope = owner === undefined ? own : this.#scopes.get(owner.core);
    scope?.aggregates.push(call);
  }

  /** An aggregate works over the rows of the innermost block that its arguments refer to. */
  #ownerDepth(call: Call): number {
    const depths = columnNamesIn(call).flatMap((node) => {
      const reference = this.reference(node);
      return reference.kind === 'column' || reference.kind === 'alias' ? [reference.depth] : [];
    });
    return depths.length === 0 ? 0 : Math.min(...depths);
  }

  #resultColumns(query: Query): readonly string[] | null {
    const first = query.arms[0]?.core;
    if (first === undefined) return null;
    if (first.kind === 'values') return (first.rows[0] ?? []).map((_, index) => `column${index + 1}`);
    const names = this.#scopes.get(first)?.outputs?.map(({ name }) => name);
    return names === undefined ? null : uniqueNames(names);
  }
}

/** The table behind a relation, or null. */
export function tableOf(relation: Relation): string | null {
  return relation.kind === 'table' || relation.kind === 'view' ? relation.table.name : null;
}
