import type { Table } from '../../protocol/catalog.ts';
import { isStopWord, splitWords, stem } from './words.ts';

/** For the stem of a word, the positions of the tables that say it of a column. */
export type MeaningIndex = ReadonlyMap<string, readonly number[]>;

const SHORTEST = 3;

/**
 * The words of column meanings (comments in DDL, description files), each for the tables whose own names do not have it.
 * @param hasInNames whether the table at a position has a stem in its name or a column's
 */
export function indexMeanings(
  tables: readonly Table[],
  hasInNames: (table: number, stem: string) => boolean,
): MeaningIndex {
  const index = new Map<string, number[]>();
  for (const [at, { columns }] of tables.entries()) {
    const words = columns.flatMap(({ meaning }) => (meaning === null ? [] : splitWords(meaning)));
    const stems = new Set(words.filter((word) => word.length >= SHORTEST && !isStopWord(word)).map(stem));
    for (const form of stems) {
      if (hasInNames(at, form)) continue;
      const positions = index.get(form);
      if (positions) positions.push(at);
      else index.set(form, [at]);
    }
  }
  return index;
}

/** By position of the table: the rarity of the words of the text that stand in its meanings, summed. */
export function meaningSignals(index: MeaningIndex, stems: Iterable<string>, tables: number): Float64Array {
  const signals = new Float64Array(tables);
  for (const stem of stems) {
    const positions = index.get(stem) ?? [];
    const rarity = Math.log(1 + tables / Math.max(1, positions.length));
    for (const at of positions) signals[at] = (signals[at] ?? 0) + rarity;
  }
  return signals;
}
