import type { Catalog, Table } from '../../protocol/catalog.ts';
import { isPromptTable } from '../schema/lines1-schema.ts';
import { joinsOf } from './joins.ts';
import { indexMeanings, type MeaningIndex } from './meanings.ts';
import { type IndexedName, NameReader } from './names.ts';

export interface IndexedTable {
  name: IndexedName;
  /** Rarity of each word of the name among the names of tables. */
  wordRarity: readonly number[];
  /** The visible columns. */
  columns: readonly IndexedName[];
  /** Which of them only refer to another table. */
  isReference: readonly boolean[];
  /** Whether it holds the names of people. */
  namesPeople: boolean;
  /** Whether its rows have a name or a title. */
  hasLabel: boolean;
  /** Positions of the tables that it can be joined with. */
  joins: readonly number[];
}

/** What linking needs of a catalog. Made once a catalog; a question then looks at no name again. */
export interface CatalogIndex {
  tables: readonly IndexedTable[];
  /** Distinct names of tables and columns, by id. */
  names: readonly IndexedName[];
  /** By id of a name: ln(1 + tables / tables with a column of that name). */
  columnRarity: readonly number[];
  /** Ids of the stems of all names. */
  words: ReadonlyMap<string, number>;
  /** By id of a stem: ln(1 + tables / tables with it in their name or a column). */
  wordRarity: readonly number[];
  meanings: MeaningIndex;
}

/** The tables that a prompt can show are linked; views, shadow tables and unreadable ones are not. */
export function linkableTables(catalog: Catalog): Table[] {
  return catalog.tables.filter(isPromptTable);
}

/** Reads the words, names and joins of a catalog. */
export function indexCatalog(catalog: Catalog): CatalogIndex {
  const tables = linkableTables(catalog);
  const reader = new NameReader();
  const tableNames = tables.map(({ name }) => reader.read(name));
  const columns = tables.map((table) =>
    table.columns.filter(({ hidden }) => !hidden).map(({ name }) => reader.read(name)),
  );
  const joins = joinsOf(tables, columns);
  const inTableNames = new Counter(reader.stems.size);
  const inAllNames = new Counter(reader.stems.size);
  const asColumn = new Counter(reader.names.length);
  for (const [at, { words }] of tableNames.entries()) {
    for (const word of words) inTableNames.add(word, at);
    for (const word of words) inAllNames.add(word, at);
    for (const column of columns[at] ?? []) {
      asColumn.add(column.id, at);
      for (const word of column.words) inAllNames.add(word, at);
    }
  }
  const hasInNames = (at: number, stem: string): boolean => {
    const id = reader.stems.get(stem);
    if (id === undefined) return false;
    return [tableNames[at], ...(columns[at] ?? [])].some((name) => name?.words.includes(id) ?? false);
  };
  return {
    tables: tableNames.map((name, at) => {
      const own = columns[at] ?? [];
      const isReference = own.map((column) => joins.references[at]?.has(column.name) ?? false);
      const described = own.filter((_, column) => !isReference[column]);
      return {
        name,
        wordRarity: name.words.map((word) => inTableNames.rarity(word, tables.length)),
        columns: own,
        isReference,
        namesPeople: described.some(({ isPersonName }) => isPersonName),
        hasLabel: described.some(({ isLabel }) => isLabel),
        joins: joins.of[at] ?? [],
      };
    }),
    names: reader.names,
    columnRarity: reader.names.map(({ id }) => asColumn.rarity(id, tables.length)),
    words: reader.stems,
    wordRarity: [...reader.stems.values()].map((word) => inAllNames.rarity(word, tables.length)),
    meanings: indexMeanings(tables, hasInNames),
  };
}

/** Keeps the index of a catalog for as long as the catalog is in use. */
export class IndexCache {
  readonly #indexes = new WeakMap<Catalog, CatalogIndex>();

  of(catalog: Catalog): CatalogIndex {
    const known = this.#indexes.get(catalog);
    if (known) return known;
    const index = indexCatalog(catalog);
    this.#indexes.set(catalog, index);
    return index;
  }
}

/** Counts in how many tables a name or stem stands, by its id. Tables come in order, so the last one seen tells a repeat. */
class Counter {
  readonly #tables: Int32Array;
  readonly #last: Int32Array;

  constructor(ids: number) {
    this.#tables = new Int32Array(ids);
    this.#last = new Int32Array(ids).fill(-1);
  }

  add(id: number, table: number): void {
    if (this.#last[id] === table) return;
    this.#last[id] = table;
    this.#tables[id] = (this.#tables[id] ?? 0) + 1;
  }

  /** ln(1 + all / tables with it); what stands nowhere counts as standing in one. */
  rarity(id: number, all: number): number {
    return Math.log(1 + all / Math.max(1, this.#tables[id] ?? 0));
  }
}
