import type { Catalog, Table } from '../../protocol/catalog.ts';
import { nameKey } from '../schema/identifiers.ts';
import { isPromptTable } from '../schema/lines1-schema.ts';
import { type Join, joinsOf } from './joins.ts';
import { isStopWord, joinedName, splitWords, stem } from './words.ts';

/** A name of tables or columns. `words` are ids of stems in `CatalogIndex.words`. */
export interface IndexedName {
  name: string;
  joined: string;
  /** The stem of `joined`. */
  joinedStem: string;
  words: readonly number[];
  /** Grows with the share of tables that have no such name: ln(1 + tables / tables with it). */
  rarity: number;
}

export interface IndexedTable {
  name: IndexedName;
  /** Rarity of each word of the name among the names of tables. */
  wordRarity: readonly number[];
  /** The visible columns: positions in `CatalogIndex.columnNames`. */
  columns: readonly number[];
  /** Which of them only refer to another table. */
  isReference: readonly boolean[];
  /** Whether it holds the names of people. */
  namesPeople: boolean;
  /** Whether its rows have a name or a title. */
  hasLabel: boolean;
  joins: readonly Join[];
}

/** What linking needs of a catalog. Made once a catalog; a question then looks at no name again. */
export interface CatalogIndex {
  tables: readonly IndexedTable[];
  /** Distinct names of columns. */
  columnNames: readonly IndexedName[];
  /** Ids of the stems of all names. */
  words: ReadonlyMap<string, number>;
  /** By id: ln(1 + tables / tables with the stem in their name or a column). */
  wordRarity: readonly number[];
}

/** The tables that a prompt can show are linked; views, shadow tables and unreadable ones are not. */
export function linkableTables(catalog: Catalog): Table[] {
  return catalog.tables.filter(isPromptTable);
}

/** Reads the words, names and joins of a catalog. */
export function indexCatalog(catalog: Catalog): CatalogIndex {
  const tables = linkableTables(catalog);
  const names = new NameReader();
  const columnsOf = tables.map(({ columns }) => columns.filter(({ hidden }) => !hidden).map(({ name }) => name));
  const tableNames = tables.map(({ name }) => names.read(name));
  const columnNames = [...new Set(columnsOf.flat())].map((name) => names.read(name));
  const position = new Map(columnNames.map(({ name }, at) => [name, at]));
  const columns = columnsOf.map((list) => list.flatMap((name) => position.get(name) ?? []));
  const joins = joinsOf(tables);

  const rarityOf = (counts: ReadonlyMap<number | string, number>, key: number | string): number =>
    Math.log(1 + tables.length / (counts.get(key) ?? 1));
  const inTableNames = countTables(tableNames.map(({ words }) => words));
  const inAllNames = countTables(
    tableNames.map(({ words }, at) => [...words, ...(columns[at] ?? []).flatMap((id) => columnNames[id]?.words ?? [])]),
  );
  const byColumnName = countTables(columns.map((list) => list.flatMap((id) => columnNames[id]?.joined ?? [])));
  const rare = columnNames.map((name) => ({ ...name, rarity: rarityOf(byColumnName, name.joined) }));
  return {
    tables: tableNames.map((name, at) => {
      const own = columns[at] ?? [];
      const isReference = own.map((id) => joins.references[at]?.has(nameKey(columnNames[id]?.name ?? '')) ?? false);
      const labels = own.filter((_, column) => !isReference[column]).map((id) => columnNames[id]?.joined ?? '');
      return {
        name,
        wordRarity: name.words.map((word) => rarityOf(inTableNames, word)),
        columns: own,
        isReference,
        namesPeople: labels.some((label) => PERSON_NAME.test(label)),
        hasLabel: labels.some((label) => LABEL.test(label)),
        joins: joins.of[at] ?? [],
      };
    }),
    columnNames: rare,
    words: names.words,
    wordRarity: [...names.words.values()].map((word) => rarityOf(inAllNames, word)),
  };
}

/** Columns for the name of a person, by their joined name. */
const PERSON_NAME =
  /^(?:first|last|given|family|full|middle|maiden|f|l)name$|surname|(?:first|last|full|person)name|name(?:first|last|full|given)/;
const LABEL = /name|title/;

class NameReader {
  readonly words = new Map<string, number>();

  read(name: string): IndexedName {
    const joined = joinedName(name);
    return { name, joined, joinedStem: stem(joined), words: this.#wordsOf(name), rarity: 0 };
  }

  #wordsOf(name: string): number[] {
    const all = splitWords(name);
    const telling = all.filter((word) => !isStopWord(word));
    return (telling.length > 0 ? telling : all).map((word) => {
      const form = stem(word);
      const id = this.words.get(form) ?? this.words.size;
      this.words.set(form, id);
      return id;
    });
  }
}

/** How many of the lists hold a key. */
function countTables<K>(lists: readonly (readonly K[])[]): Map<K, number> {
  const counts = new Map<K, number>();
  for (const list of lists) for (const key of new Set(list)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
