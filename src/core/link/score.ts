import type { CatalogIndex, IndexedTable } from './catalog-index.ts';
import type { IndexedName } from './names.ts';
import type { QuestionWords } from './question.ts';
import { similarity } from './words.ts';

/** What a question says of one table, each from 0 upwards. */
export interface Signals {
  /** Rarity of the words of its name that stand in the text, summed. */
  nameWords: number;
  /** The same as a share of the whole name, 0 to 1. */
  nameShare: number;
  /** Rarity of its whole name where that stands in the text, as a phrase or as one word. */
  wholeName: number;
  /** 1 where its name stands there exactly as spelled. */
  writtenName: number;
  /** Rarity of the words of its name that resemble a word of the text, times how much. */
  similarName: number;
  /** Rarity of the words of its name that are related to a word of the text. */
  relatedName: number;
  /** 1 where its name, or a word of it, is the initials of words of the text. */
  initials: number;
  /** Rarity of the words of its columns in the text, each times the share of the column's name that is. */
  columnWords: number;
  /** The same for columns that refer to another table. */
  referenceWords: number;
  /** Rarity of the column whose name stands there most, times the share of it. */
  bestColumn: number;
  /** Rarity of the columns whose whole names stand there, summed. */
  wholeColumns: number;
  /** Rarity of the columns whose names stand there exactly as spelled, summed. */
  writtenColumns: number;
  /** The best of the words of its columns that resemble a word of the text: rarity times how much. */
  similarColumn: number;
  /** 1 where the text names somebody and the table holds the names of people. */
  namedPerson: number;
  /** 1 where the text names something and the rows of the table have a name or title. */
  namedThing: number;
  /** Rarity of the cell values of the table that stand in the text, summed. */
  values: number;
}

/** A text matched with the words and column names of a catalog, before any table is looked at. */
interface Matches {
  /** By id of the word: 1 where it stands in the text. */
  hit: Uint8Array;
  /** By id: how much it resembles a word of the text, 0 to 1; 0 for hits. */
  similar: Float64Array;
  related: Uint8Array;
  /** By id of the name. */
  columns: ColumnMatch[];
  isNamed: boolean;
}

interface ColumnMatch {
  /** Share of the name, by rarity of its words, that stands in the text. */
  share: number;
  whole: boolean;
  written: boolean;
  /** Rarity times likeness of the word that resembles one of the text most. */
  similar: number;
}

/** The signals of every table of an index. @param values rarity of the cell values found, by name of the table */
export function readSignals(
  index: CatalogIndex,
  question: QuestionWords,
  values: ReadonlyMap<string, number>,
): Signals[] {
  const matches = matchWords(index, question);
  const scratch = new Scratch(index.words.size);
  return index.tables.map((table) => tableSignals(index, question, matches, table, scratch, values));
}

function matchWords(index: CatalogIndex, question: QuestionWords): Matches {
  const hit = new Uint8Array(index.words.size);
  const related = new Uint8Array(index.words.size);
  const similar = new Float64Array(index.words.size);
  for (const stem of question.stems) mark(hit, index.words.get(stem));
  for (const stem of question.related) mark(related, index.words.get(stem));
  for (const [word, id] of index.words) {
    if (hit[id]) continue;
    let most = 0;
    for (const stem of question.stems) most = Math.max(most, similarity(word, stem));
    similar[id] = most;
  }
  const columns = index.names.map((name) => matchColumn(index, question, name, hit, similar));
  const isNamed = question.properNames.some((name) => hasUnknownPair(name, index.words));
  return { hit, similar, related, columns, isNamed };
}

/** Whether two words side by side are none of the schema's. */
function hasUnknownPair(name: readonly string[], words: ReadonlyMap<string, number>): boolean {
  return name.some((word, at) => at > 0 && !words.has(word) && !words.has(name[at - 1] ?? ''));
}

function mark(flags: Uint8Array, id: number | undefined): void {
  if (id !== undefined) flags[id] = 1;
}

function matchColumn(
  index: CatalogIndex,
  question: QuestionWords,
  column: IndexedName,
  hit: Uint8Array,
  similar: Float64Array,
): ColumnMatch {
  let found = 0;
  let total = 0;
  let most = 0;
  for (const word of column.words) {
    const rarity = index.wordRarity[word] ?? 0;
    total += rarity;
    if (hit[word]) found += rarity;
    else most = Math.max(most, rarity * (similar[word] ?? 0));
  }
  return {
    share: total > 0 ? found / total : 0,
    whole: column.joined.length > 3 && standsWhole(column, question),
    written: (column.name.length > 3 || /[A-Z_]/.test(column.name)) && question.written.has(column.name),
    similar: most,
  };
}

/** Whether a name stands in the text as words side by side or as one word. */
function standsWhole({ joined, joinedStem }: IndexedName, { compounds }: QuestionWords): boolean {
  return compounds.has(joined) || compounds.has(joinedStem);
}

function tableSignals(
  index: CatalogIndex,
  question: QuestionWords,
  matches: Matches,
  table: IndexedTable,
  scratch: Scratch,
  values: ReadonlyMap<string, number>,
): Signals {
  return {
    ...nameSignals(question, matches, table),
    ...columnSignals(index, matches, table, scratch),
    namedPerson: matches.isNamed && table.namesPeople ? 1 : 0,
    namedThing: matches.isNamed && table.hasLabel ? 1 : 0,
    values: values.get(table.name.name) ?? 0,
  };
}

type NameSignals = Pick<
  Signals,
  'nameWords' | 'nameShare' | 'wholeName' | 'writtenName' | 'similarName' | 'relatedName' | 'initials'
>;

function nameSignals(question: QuestionWords, matches: Matches, { name, wordRarity }: IndexedTable): NameSignals {
  let found = 0;
  let total = 0;
  let similarName = 0;
  let relatedName = 0;
  for (const [at, word] of name.words.entries()) {
    const rarity = wordRarity[at] ?? 0;
    total += rarity;
    if (matches.hit[word]) found += rarity;
    else if (matches.similar[word]) similarName += rarity * matches.similar[word];
    else if (matches.related[word]) relatedName += rarity;
  }
  return {
    nameWords: found,
    nameShare: total > 0 ? found / total : 0,
    wholeName: standsWhole(name, question) ? total : 0,
    writtenName: question.written.has(name.name) ? 1 : 0,
    similarName,
    relatedName,
    initials: question.initials.has(name.joined) && !question.compounds.has(name.joined) ? 1 : 0,
  };
}

type ColumnSignals = Pick<
  Signals,
  'columnWords' | 'referenceWords' | 'bestColumn' | 'wholeColumns' | 'writtenColumns' | 'similarColumn'
>;

function columnSignals(index: CatalogIndex, matches: Matches, table: IndexedTable, scratch: Scratch): ColumnSignals {
  const sums = { bestColumn: 0, wholeColumns: 0, writtenColumns: 0, similarColumn: 0 };
  for (const [at, name] of table.columns.entries()) {
    const match = matches.columns[name.id];
    if (match === undefined) continue;
    const rarity = index.columnRarity[name.id] ?? 0;
    const isReference = table.isReference[at] ?? false;
    sums.similarColumn = Math.max(sums.similarColumn, match.similar);
    if (match.whole) sums.wholeColumns += rarity;
    if (match.written) sums.writtenColumns += rarity;
    if (match.share === 0) continue;
    if (!isReference) sums.bestColumn = Math.max(sums.bestColumn, match.share * rarity);
    for (const word of name.words)
      if (matches.hit[word]) scratch.raise(word, isReference, match.share * (index.wordRarity[word] ?? 0));
  }
  return { ...sums, ...scratch.take() };
}

/** The best weight of each word among the columns of one table, kept for all tables to save their making. */
class Scratch {
  readonly #own: Float64Array;
  readonly #references: Float64Array;
  readonly #touched: number[] = [];

  constructor(words: number) {
    this.#own = new Float64Array(words);
    this.#references = new Float64Array(words);
  }

  raise(word: number, isReference: boolean, weight: number): void {
    const weights = isReference ? this.#references : this.#own;
    if ((weights[word] ?? 0) >= weight) return;
    weights[word] = weight;
    this.#touched.push(word);
  }

  /** The sums, a word of both kinds counted for the table's own columns; empties the scratch. */
  take(): { columnWords: number; referenceWords: number } {
    let columnWords = 0;
    let referenceWords = 0;
    for (const word of this.#touched) {
      const own = this.#own[word] ?? 0;
      columnWords += own;
      if (own === 0) referenceWords += this.#references[word] ?? 0;
      this.#references[word] = 0;
      this.#own[word] = 0;
    }
    this.#touched.length = 0;
    return { columnWords, referenceWords };
  }
}
