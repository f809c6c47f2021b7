import type { ColumnValues, ValueScan } from '../../protocol/catalog.ts';
import { codePoints, isDigits, isStopWord, wordsOf } from './words.ts';

/** Longer values are never looked up; a scan may cut them to one character more. */
export const LONGEST_VALUE = 60;

/** A value that stands in a text. `words` are its words joined by one space. */
export interface ValueHit {
  value: string;
  words: string;
}

/** Whether words say enough to be looked up: two characters, one word that is no stop word, three digits if only digits. */
function areTelling(words: readonly string[]): boolean {
  if (codePoints(words.join(' ')) < 2 || words.every(isStopWord)) return false;
  return !words.every(isDigits) || codePoints(words.join('')) >= 3;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** `wordsOf(text)[0]`, without the work for the rest of the text where the beginning is ASCII. */
function firstWord(text: string): string | undefined {
  let start = -1;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code > 127) return wordsOf(text)[0];
    if (isLetterOrDigit(code)) start = start < 0 ? position : start;
    else if (start >= 0) return text.slice(start, position).toLowerCase();
  }
  return start < 0 ? undefined : text.slice(start).toLowerCase();
}

/** Words of a value, joined; null where the value is not looked up. */
function lookedUpWords(text: string): string | null {
  if (text.length > LONGEST_VALUE && codePoints(text) > LONGEST_VALUE) return null;
  const words = wordsOf(text);
  return areTelling(words) ? words.join(' ') : null;
}

/** Places of values that begin with the same word: a column of the scan, a value of the column. */
interface Postings {
  columns: number[];
  values: number[];
  /** Words of each value, filled in when it is first compared; null: it is not looked up. */
  words: (string | null | undefined)[];
}

/** Runs of words up to this long are looked up, longer ones searched for. */
const MOST_WORDS = 12;

/** A text in which runs of words are looked for. */
class WordRuns {
  readonly words: readonly string[];
  readonly #spaced: string;
  readonly #runs = new Set<string>();

  constructor(text: string) {
    this.words = wordsOf(text);
    this.#spaced = ` ${this.words.join(' ')} `;
    for (let start = 0; start < this.words.length; start += 1) {
      let run = '';
      for (let next = start; next < Math.min(this.words.length, start + MOST_WORDS); next += 1) {
        run = next === start ? (this.words[next] ?? '') : `${run} ${this.words[next]}`;
        this.#runs.add(run);
      }
    }
  }

  /** Whether words, joined by one space, stand in the text contiguously. */
  has(words: string): boolean {
    if (this.#runs.has(words)) return true;
    // A run that is not in the set is none, unless it is longer than those of the set.
    return words.length >= 2 * MOST_WORDS && this.#spaced.includes(` ${words} `);
  }
}

/**
 * Finds which values of a scan stand in a text as contiguous whole words, by prompt format `lines-1`. The index is by
 * first word: it is cheap to make for a single question, and a question looks only at values that begin with one of its
 * own words.
 */
export class ValueIndex {
  readonly #columns: readonly ColumnValues[];
  readonly #byFirstWord = new Map<string, Postings>();

  constructor(columns: readonly ColumnValues[]) {
    this.#columns = columns;
    for (const [column, { values }] of columns.entries())
      if (values) for (let value = 0; value < values.length; value += 1) this.#add(column, value, values[value] ?? '');
  }

  #add(column: number, value: number, text: string): void {
    const word = firstWord(text);
    if (word === undefined) return;
    const postings = this.#byFirstWord.get(word);
    if (postings) {
      postings.columns.push(column);
      postings.values.push(value);
    } else {
      this.#byFirstWord.set(word, { columns: [column], values: [value], words: [] });
    }
  }

  /** The values that stand in `text`, by the position of their column in the scan. */
  find(text: string): Map<number, ValueHit[]> {
    const hits = new Map<number, ValueHit[]>();
    const runs = new WordRuns(text);
    for (const word of new Set(runs.words)) {
      const postings = this.#byFirstWord.get(word);
      if (postings) this.#compare(postings, runs, hits);
    }
    return hits;
  }

  #compare(postings: Postings, runs: WordRuns, hits: Map<number, ValueHit[]>): void {
    for (let position = 0; position < postings.columns.length; position += 1) {
      const words = this.#wordsAt(postings, position);
      if (words === null || !runs.has(words)) continue;
      const column = postings.columns[position] ?? -1;
      const hit = { value: this.#valueAt(postings, position), words };
      const ofColumn = hits.get(column);
      if (ofColumn) ofColumn.push(hit);
      else hits.set(column, [hit]);
    }
  }

  #valueAt({ columns, values }: Postings, position: number): string {
    return this.#columns[columns[position] ?? -1]?.values?.[values[position] ?? -1] ?? '';
  }

  #wordsAt(postings: Postings, position: number): string | null {
    const known = postings.words[position];
    if (known !== undefined) return known;
    const words = lookedUpWords(this.#valueAt(postings, position));
    postings.words[position] = words;
    return words;
  }
}

/** A scan that makes its index on first use and keeps it. */
export class IndexedScan implements ValueScan {
  readonly columns: ColumnValues[];
  readonly skipped: string[];
  #index: ValueIndex | null = null;

  constructor(scan: ValueScan) {
    this.columns = scan.columns;
    this.skipped = scan.skipped;
  }

  get index(): ValueIndex {
    this.#index ??= new ValueIndex(this.columns);
    return this.#index;
  }
}

/** The index of a scan: the kept one of an `IndexedScan`, else a new one. */
export function valueIndexOf(scan: ValueScan): ValueIndex {
  return scan instanceof IndexedScan ? scan.index : new ValueIndex(scan.columns);
}
