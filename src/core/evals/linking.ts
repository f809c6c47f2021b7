import type { ItemRecord } from '../../protocol/eval.ts';
import type { RunSummary } from '../../protocol/ledger.ts';

/** How the tables of one prompt compare with those that the gold reads. */
export interface ItemLinking {
  kept: number;
  needed: number;
  neededKept: number;
}

/**
 * Names compare as SQLite's do, whatever their case. What the gold reads and no prompt shows (a view, beside whose name
 * its tables stand; an internal table) is not counted.
 *
 * @returns null where the gold does not run, reads no table, or no prompt was made
 */
export function linkingOf({ linked, needed }: Pick<ItemRecord, 'linked' | 'needed'>): ItemLinking | null {
  const kept = new Set(linked.kept.map((name) => name.toLowerCase()));
  const known = new Set([...kept, ...linked.left.map((name) => name.toLowerCase())]);
  const wanted = [...new Set((needed ?? []).map((name) => name.toLowerCase()))].filter((name) => known.has(name));
  if (wanted.length === 0) return null;
  return { kept: kept.size, needed: wanted.length, neededKept: wanted.filter((name) => kept.has(name)).length };
}

/** Sums over the items whose gold says which tables are needed; null where none does. */
export function linkingSummary(records: readonly ItemRecord[]): RunSummary['linking'] {
  const items = records.map(linkingOf).filter((linking) => linking !== null);
  if (items.length === 0) return null;
  const sum = (of: (linking: ItemLinking) => number) => items.reduce((total, linking) => total + of(linking), 0);
  return {
    items: items.length,
    all_kept: items.filter(({ needed, neededKept }) => needed === neededKept).length,
    kept: sum(({ kept }) => kept),
    needed: sum(({ needed }) => needed),
    needed_kept: sum(({ neededKept }) => neededKept),
  };
}
