import type { CatalogIndex, IndexedTable } from './catalog-index.ts';
import { BestWords, columnSignals } from './column-signals.ts';
import { type Matches, matchNames, standsWhole } from './match.ts';
import { meaningSignals } from './meanings.ts';
import type { QuestionWords } from './question.ts';
import type { Signals } from './signals.ts';

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
