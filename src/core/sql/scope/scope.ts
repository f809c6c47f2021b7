import type { Catalog, Table } from '../../../protocol/catalog.ts';
import type { CommonTable, Core, Expr, FromItem, Query, SelectItem, Subquery } from '../ast/query.ts';
import type { Call, ColumnName } from '../ast/walk.ts';

/** What a FROM item stands for. */
export type Relation =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'view'; readonly table: Table }
  | { readonly kind: 'cte'; readonly cte: CommonTable; readonly recursive: boolean }
  | { readonly kind: 'subquery'; readonly query: Query }
  | { readonly kind: 'function'; readonly name: string }
  /** A parenthesised join that has an alias of its own. */
  | { readonly kind: 'join' }
  /** No such table in the catalog. */
  | { readonly kind: 'unknown'; readonly name: string };

/** A FROM item by the name under which columns refer to it. The items of parenthesised joins stand each for itself. */
export interface Source {
  readonly item: FromItem;
  /** Alias, else the table's name as written; '' for a subquery without alias. */
  readonly alias: string;
  readonly relation: Relation;
  /** Names of the columns that a star shows; null where they are not known (a function, an unknown table). */
  readonly columns: readonly string[] | null;
  /** Folded names of the columns that USING or NATURAL merged with a column further left. */
  readonly merged: ReadonlySet<string>;
}

/** One column of a block's result: a select item, or one of the columns of a star. */
export interface OutputColumn {
  readonly name: string;
  readonly item: SelectItem;
  /** Where it comes from a star: which column of which source. */
  readonly star: { readonly source: Source; readonly column: string } | null;
}

/** What a name in an expression means. `scope` is the block it belongs to, `depth` how many blocks further out that is. */
export type Reference =
  | {
      readonly kind: 'column';
      readonly scope: BlockScope;
      readonly depth: number;
      readonly source: Source;
      /** As the table spells it. */
      readonly column: string;
      /** The sources whose columns USING or NATURAL merged into this one; `source` is the first of them. */
      readonly sources: readonly Source[];
    }
  /** The alias of a select item. */
  | { readonly kind: 'alias'; readonly scope: BlockScope; readonly depth: number; readonly output: OutputColumn }
  /** A double-quoted name that is no column: SQLite takes it as a text. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'ambiguous'; readonly sources: readonly Source[] }
  | { readonly kind: 'unknown' };

/** One SELECT or VALUES with its names. */
export interface BlockScope {
  readonly core: Core;
  readonly query: Query;
  /** The block whose columns it may refer to, as a correlated subquery does. */
  readonly parent: BlockScope | null;
  readonly sources: readonly Source[];
  /** null where a star could not be expanded. */
  readonly outputs: readonly OutputColumn[] | null;
  /** The aggregates over its rows, wherever they stand. */
  readonly aggregates: readonly Call[];
  /** The calls with OVER in its items and ORDER BY. */
  readonly windows: readonly Call[];
}

/** A column reference that leads out of a query. */
export interface OuterReference {
  readonly node: ColumnName;
  readonly reference: Extract<Reference, { kind: 'column' | 'alias' }>;
}

/** All names of one SQL text (a query or the body of a view), resolved. */
export interface Resolution {
  readonly sql: string;
  readonly query: Query;
  readonly catalog: Catalog;
  /** All column names of the text with what they mean. */
  names(): ReadonlyMap<ColumnName, Reference>;
  /** What a column name means. */
  reference(node: ColumnName): Reference;
  scopeOf(core: Core): BlockScope;
  /** References in a query, and in what is nested in it, to columns of blocks outside of it. Empty: not correlated. */
  outerOf(query: Query): readonly OuterReference[];
  /** Names of a query's result columns; null where they are not known. */
  columnsOf(query: Query): readonly string[] | null;
  /** Which result column (from 0) a term of ORDER BY or GROUP BY names by number or alias; null: it is an expression. */
  outputOf(term: Expr, scope: BlockScope, clause: 'ORDER BY' | 'GROUP BY'): number | null;
  /** The expression subqueries of a block, ORDER BY and LIMIT of its query included where it is the only arm. */
  subqueriesOf(core: Core): readonly Subquery[];
}
