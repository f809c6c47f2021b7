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
function isTelling(words: readonly string[]): boolean {
  const joined = words.join(' ');
  if (codePoints(joined) < 2 || words.every(isStopWord)) return false;
  return !words.every(isDigits) || codePoints(words.join('')) >= 3;
}

/**
 * Finds which values of a scan stand in a text as contiguous whole words, by prompt format `lines-1`. Made once a scan:
 * a question then costs one look-up for each run of its words, however many values there are.
 */
export class ValueIndex {
  readonly #columns: readonly ColumnValues[];
  /** By words, the last posting of a chain; the arrays below hold its column, its value and the posting before it (-1: none). */
  readonly #chains = new Map<string, number>();
  readonly #columnOf: number[] = [];
  readonly #valueOf: number[] = [];
  readonly #before: number[] = [];
  #mostWords = 0;

  constructor(columns: readonly ColumnValues[]) {
    this.#columns = columns;
    for (const [column, { values }] of columns.entries())
      for (const [value, text] of (values ?? []).entries()) this.#add(column, value, text);
  }

  #add(column: number, value: number, text: string): void {
    if (text.length > LONGEST_VALUE && codePoints(text) > LONGEST_VALUE) return;
    const words = wordsOf(text);
    if (!isTelling(words)) return;
    const key = words.join(' ');
    this.#before.push(this.#chains.get(key) ?? -1);
    this.#chains.set(key, this.#columnOf.length);
    this.#columnOf.push(column);
    this.#valueOf.push(value);
    this.#mostWords = Math.max(this.#mostWords, words.length);
  }

  /** The values that stand in `text`, by the position of their column in the scan. */
  find(text: string): Map<number, ValueHit[]> {
    const hits = new Map<number, ValueHit[]>();
    for (const words of this.#runs(wordsOf(text))) {
      for (let posting = this.#chains.get(words) ?? -1; posting >= 0; posting = this.#before[posting] ?? -1) {
        const column = this.#columnOf[posting] ?? -1;
        const value = this.#columns[column]?.values?.[this.#valueOf[posting] ?? -1];
        if (value === undefined) continue;
        const ofColumn = hits.get(column);
        if (ofColumn) ofColumn.push({ value, words });
        else hits.set(column, [{ value, words }]);
      }
    }
    return hits;
  }

  /** Each distinct run of contiguous words that is no longer than the longest value. */
  #runs(words: readonly string[]): Set<string> {
    const runs = new Set<string>();
    for (let start = 0; start < words.length; start += 1) {
      let run = words[start] ?? '';
      runs.add(run);
      const end = Math.min(words.length, start + this.#mostWords);
      for (let next = start + 1; next < end; next += 1) {
        run += ` ${words[next]}`;
        runs.add(run);
      }
    }
    return runs;
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
