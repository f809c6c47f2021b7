import type { CatalogIndex, IndexedTable } from './catalog-index.ts';
import { type Matches, NO_MATCH } from './match.ts';
import type { Signals } from './signals.ts';

/** What the columns of a table say of it. */
export type ColumnSignals = Pick<
  Signals,
  'columnWords' | 'referenceWords' | 'bestColumn' | 'wholeColumns' | 'writtenColumns' | 'similarColumn'
>;

/** @param best empty; left empty */
export function columnSignals(
  index: CatalogIndex,
  matches: Matches,
  table: IndexedTable,
  best: BestWords,
): ColumnSignals {
  const sums = { bestColumn: 0, wholeColumns: 0, writtenColumns: 0, similarColumn: 0 };
  for (const [at, name] of table.columns.entries()) {
    const match = matches.columns[name.id];
    if (match === undefined || match === NO_MATCH) continue;
    const rarity = index.columnRarity[name.id] ?? 0;
    const isReference = table.isReference[at] ?? false;
    sums.similarColumn = Math.max(sums.similarColumn, match.similar);
    if (match.whole) sums.wholeColumns += rarity;
    if (match.written) sums.writtenColumns += rarity;
    if (match.share === 0) continue;
    if (!isReference) sums.bestColumn = Math.max(sums.bestColumn, match.share * rarity);
    for (const word of name.words)
      if (matches.hit[word]) best.raise(word, isReference, match.share * (index.wordRarity[word] ?? 0));
  }
  return { ...sums, ...best.take() };
}

/** The best weight of each word among the columns of one table, kept for all tables to save their making. */
export class BestWords {
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

  /** The sums, a word of both kinds counted for the table's own columns; leaves nothing behind. */
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
