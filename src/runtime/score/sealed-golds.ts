import type { Pair } from '../../protocol/score.ts';
import { chooseItems, type OpeningLedger } from '../evals/choose-items.ts';
import { loadDataset } from '../evals/load-dataset.ts';
import { readSplitFile, splitsPath } from '../evals/splits.ts';
import { goldsSealed } from './score-errors.ts';

/** How a call may read what is sealed. */
export interface Opening {
  /** Why sealed splits are opened; null: they are not. */
  reason: string | null;
  ledger: OpeningLedger;
  /** The words of the command, for the ledger. */
  command: string[];
}

/**
 * The pairs whose golds may be read: without those of sealed splits of the dataset, unless a reason opens them, which goes
 * into the ledger first.
 * @param goldPath the file that the golds are from, one a pair
 * @throws AppError `golds_sealed` where golds without ids lie beside a sealed split, and those of `chooseItems`
 */
export async function unsealedPairs(
  pairs: readonly Pair[],
  goldPath: string,
  { reason, ledger, command }: Opening,
): Promise<{ pairs: Pair[]; notes: string[] }> {
  const path = splitsPath(goldPath);
  const sealed = (await readSplitFile(path))?.splits.filter((split) => split.sealed) ?? [];
  if (sealed.length === 0 && reason === null) return { pairs: [...pairs], notes: [] };
  const dataset = await loadDataset(goldPath).catch((error: unknown) => {
    if (sealed.length === 0) return null;
    throw goldsSealed(goldPath, path, error);
  });
  if (dataset === null) return { pairs: [...pairs], notes: [] };
  const choice = { split: null, openSealed: reason, limit: null, every: null, ids: null };
  const { items, notes } = await chooseItems(dataset, choice, ledger, command);
  const readable = new Set(items.map(({ id }) => id));
  const ids = dataset.items.map(({ id }) => id);
  return { pairs: pairs.filter((_, index) => readable.has(ids[index] ?? '')), notes };
}
