import type { CatalogIndex } from './catalog-index.ts';
import type { IndexedName } from './names.ts';
import type { QuestionWords } from './question.ts';
import { similarity } from './words.ts';

/** A text matched with the words and column names of a catalog, before any table is looked at. */
export interface Matches {
  /** By id of the word: 1 where it stands in the text. */
  hit: Uint8Array;
  /** By id: how much it resembles a word of the text, 0 to 1; 0 for hits. */
  similar: Float64Array;
  related: Uint8Array;
  /** By id of the name. */
  columns: readonly ColumnMatch[];
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

/** Shared by the many names that have nothing in common with the text. */
export const NO_MATCH: ColumnMatch = { share: 0, whole: false, written: false, similar: 0 };

/** Looks up the words of a text among those of a catalog, and what that means for each name. */
export function matchNames(index: CatalogIndex, question: QuestionWords): Matches {
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
  const written = (column.name.length > 3 || /[A-Z_]/.test(column.name)) && question.written.has(column.name);
  const whole = column.joined.length > 3 && standsWhole(column, question);
  if (!written && !whole && found === 0 && most === 0) return NO_MATCH;
  return {
    share: total > 0 ? found / total : 0,
    whole,
    written,
    similar: most,
  };
}

/** Whether a name stands in the text as words side by side or as one word. */
export function standsWhole({ joined, joinedStem }: IndexedName, { compounds }: QuestionWords): boolean {
  return compounds.has(joined) || compounds.has(joinedStem);
}
