import type { CatalogIndex, IndexedTable } from './catalog-index.ts';
import { BestWords, columnSignals } from './column-signals.ts';
import { type Matches, matchNames, standsWhole } from './match.ts';
import { meaningSignals } from './meanings.ts';
import type { QuestionWords } from './question.ts';

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
  /** 1 where its name is the initials of words side by side in the text. */
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
  /** Rarity of the words in the text that meanings of its columns have and its names have not, summed. */
  meaningWords: number;
  /** For each cell value of the table that stands in the text: 1 / tables that hold it, summed. */
  values: number;
}

/** The signals of every table of an index. @param values the signal `values`, by name of the table */
export function readSignals(
  index: CatalogIndex,
  question: QuestionWords,
  values: ReadonlyMap<string, number>,
): Signals[] {
  const matches = matchNames(index, question);
  const best = new BestWords(index.words.size);
  const meanings = meaningSignals(index.meanings, question.stems, index.tables.length);
  return index.tables.map((table, at) => ({
    ...nameSignals(question, matches, table),
    ...columnSignals(index, matches, table, best),
    namedPerson: matches.isNamed && table.namesPeople ? 1 : 0,
    namedThing: matches.isNamed && table.hasLabel ? 1 : 0,
    meaningWords: meanings[at] ?? 0,
    values: values.get(table.name.name) ?? 0,
  }));
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
