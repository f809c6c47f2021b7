import type { LedgerEntry } from '../../protocol/ledger.ts';
import { type Places, toldPath } from './command-words.ts';

type TrainEntry = Extract<LedgerEntry, { kind: 'train' }>;

/** A training run's entry without paths that only one machine can make sense of; hashes say which files they are. */
export function portableTraining(entry: TrainEntry, places: Places): TrainEntry {
  const told = (path: string) => toldPath(path, places);
  const maybe = (path: string | null) => (path === null ? null : told(path));
  const file = <T extends { path: string }>(hashed: T): T => ({ ...hashed, path: told(hashed.path) });
  const { config, base, data } = entry;
  return {
    ...entry,
    config: {
      ...config,
      model: { base: told(config.model.base), adapter: maybe(config.model.adapter) },
      data: { ...config.data, train: told(config.data.train), eval: maybe(config.data.eval) },
      results: maybe(config.results),
    },
    base: { ...base, file: file(base.file) },
    data: { ...data, train: file(data.train), eval: data.eval && file(data.eval) },
  };
}
