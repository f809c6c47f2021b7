import type { Ledger } from '../../store/ledger.ts';
import { pairsRunOfOther } from '../dataset-errors.ts';
import { loadRun } from '../run-of.ts';

/**
 * The first query of each item of a run that did not run, by item: what the model wrote before any retry.
 * @param named a run as `sql-agent report` takes it; undefined: none
 * @param hash SHA-256 of the dataset that the items are of
 * @throws AppError `training_pairs_run`, and those of `loadRun`
 */
export async function failuresOf(
  ledger: Ledger,
  named: string | undefined,
  hash: string,
  cwd: string,
): Promise<Map<string, string>> {
  if (named === undefined) return new Map();
  const { line, records } = await loadRun(ledger, named, cwd);
  const { dataset } = line.config;
  if (dataset.hash !== hash) throw pairsRunOfOther(line.run_id, dataset.name);
  const failed = records.flatMap(({ id, turns }): [string, string][] => {
    const first = turns.at(0);
    return first?.status === 'error' && first.sql !== null ? [[id, first.sql]] : [];
  });
  return new Map(failed);
}
