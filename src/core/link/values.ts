import type { ValueScan } from '../../protocol/catalog.ts';
import { valueIndexOf } from '../schema/value-index.ts';

/**
 * How much the cell values that stand in a text say for each table: for each run of words the share 1 / tables that have
 * it as a value, summed; a run inside another one that was found does not count.
 * @returns by name of the table; tables without a hit are absent
 */
export function valueSignals(scan: ValueScan, text: string): Map<string, number> {
  const tablesByWords = new Map<string, Set<string>>();
  for (const [column, hits] of valueIndexOf(scan).find(text)) {
    const table = scan.columns[column]?.table;
    if (table === undefined) continue;
    for (const { words } of hits) tablesByWords.set(words, (tablesByWords.get(words) ?? new Set()).add(table));
  }
  const runs = [...tablesByWords.keys()];
  const signals = new Map<string, number>();
  for (const [words, tables] of tablesByWords) {
    if (runs.some((run) => run.length > words.length && ` ${run} `.includes(` ${words} `))) continue;
    for (const table of tables) signals.set(table, (signals.get(table) ?? 0) + 1 / tables.size);
  }
  return signals;
}
