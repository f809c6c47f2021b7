import type { Catalog, Column, ColumnKind } from '../../../protocol/catalog.ts';
import type { Cell } from '../../../protocol/value.ts';
import { plainIdentifier } from '../../schema/identifiers.ts';
import type { Block, Expr, Query } from '../../sql/ast/query.ts';
import type { Source as Text } from '../../sql/ast/source.ts';
import { queriesIn } from '../../sql/ast/walk.ts';
import { tableOf } from '../../sql/scope/resolve.ts';
import type { BlockScope, Resolution, Source } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';
import { type Feature, orderSlots, type Slot, slotFeatures, slotsOf } from './features.ts';
import { columnForm, formOf, wordOf } from './forms.ts';
import type { GoldWords } from './gold-words.ts';

/** A column that a block can name. */
export interface BlockColumn {
  readonly source: Source;
  readonly name: string;
  readonly form: string;
  readonly kind: ColumnKind | null;
  /** Part of the table's primary key, or of a foreign key. */
  readonly key: boolean;
}

/** A SELECT block of the prediction with what edits of it need. */
export interface Place {
  readonly block: Block;
  readonly query: Query;
  readonly scope: BlockScope;
  /** Which arm of the outermost query it is; null for blocks inside others. */
  readonly arm: number | null;
  /** Its slots, and those of its query's ORDER BY where it is the only arm. */
  readonly slots: readonly Slot[];
  readonly columns: readonly BlockColumn[];
}

/** Distinct values of a column; null where they are not known. */
export type ValuesOf = (table: string, column: string) => readonly Cell[] | null;

/** The prediction, and all that edits of it may be made of. */
export interface RepairContext {
  readonly sql: string;
  readonly text: Text;
  readonly query: Query;
  readonly names: Resolution;
  readonly catalog: Catalog;
  readonly places: readonly Place[];
  readonly gold: GoldWords;
  readonly valuesOf: ValuesOf;
  /** Rows of the gold's result. */
  readonly goldRows: number;
}

/** All SELECT blocks of a query, the outermost first. */
export function placesOf(query: Query, names: Resolution): Place[] {
  const places = (inner: Query, outermost: boolean): Place[] => [
    ...inner.arms.flatMap(({ core }, index): Place[] => {
      if (core.kind !== 'select') return [];
      const scope = names.scopeOf(core);
      const slots = [...slotsOf(core), ...(inner.arms.length === 1 ? orderSlots(inner) : [])];
      const arm = outermost ? index : null;
      return [{ block: core, query: inner, scope, arm, slots, columns: columnsOf(scope) }];
    }),
    ...queriesIn(inner).flatMap((nested) => places(nested, false)),
  ];
  return places(query, true);
}

function columnsOf(scope: BlockScope): BlockColumn[] {
  return scope.sources.flatMap((source) => (source.columns ?? []).map((name) => columnIn(source, name)));
}

function columnIn(source: Source, name: string): BlockColumn {
  const { relation } = source;
  const table = relation.kind === 'table' || relation.kind === 'view' ? relation.table : null;
  const column = table?.columns.find((candidate) => foldName(candidate.name) === foldName(name)) ?? null;
  const isForeign = table?.foreignKeys.some(({ target }) => target !== null && target.column === column?.name) ?? false;
  return {
    source,
    name,
    form: columnForm(tableOf(relation), name),
    kind: kindOf(column),
    key: isForeign || (column !== null && column.primaryKey > 0),
  };
}

function kindOf(column: Column | null): ColumnKind | null {
  return column?.kind ?? null;
}

const NUMBERS: ReadonlySet<ColumnKind> = new Set(['integer', 'real', 'numeric', 'boolean']);

/** Whether two columns may hold the like: both numbers, or neither. */
export function areAlike(one: ColumnKind | null, other: ColumnKind | null): boolean {
  return one === null || other === null || NUMBERS.has(one) === NUMBERS.has(other);
}

/** Whether a column holds numbers. */
export function holdsNumbers(kind: ColumnKind | null): boolean {
  return kind !== null && NUMBERS.has(kind);
}

/** How a block names a column: with its table where there are several, or where the column's own name is not enough. */
export function columnText({ scope }: Place, { source, name }: Pick<BlockColumn, 'source' | 'name'>): string {
  const plain = plainIdentifier(name);
  return scope.sources.length > 1 && source.alias !== '' ? `${plainIdentifier(source.alias)}.${plain}` : plain;
}

/** What replacing a node of a slot does to the bag of features, its words left out. */
export function slotDelta(
  slot: Slot,
  node: Expr,
  form: string,
  names: Resolution,
): { drops: Feature[]; gains: Feature[] } {
  return { drops: slotFeatures(slot, names), gains: slotFeatures(slot, names, new Map([[node, form]])) };
}

/** The same for several nodes of a block at once, columns by their new forms, words included. */
export function columnsDelta(
  slots: readonly Slot[],
  instead: ReadonlyMap<Expr, string>,
  names: Resolution,
): { drops: Feature[]; gains: Feature[] } {
  const drops: Feature[] = [];
  const gains: Feature[] = [];
  for (const [node, form] of instead) {
    drops.push(wordOf(formOf(node, names)));
    gains.push(wordOf(form));
  }
  for (const slot of slots) {
    const [old] = slotFeatures(slot, names);
    const [made] = slotFeatures(slot, names, instead);
    if (old === undefined || made === undefined || old === made) continue;
    drops.push(old);
    gains.push(made);
  }
  return { drops, gains };
}
