import { join } from 'node:path';
import { trainRun } from '../../../python-free-trainer/src/train/train.ts';
import type { TrainingEvent } from '../../../src/protocol/training.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { pairsFile, tinyFolder } from './tiny-folder.ts';

/** Folder, model and data of one test file whose runs happen in this process; tokens are kept in the folder. */
export interface TrainerHere extends TemporaryFolder {
  base: string;
  data: string;
  /** Settings of a run of 6 steps on the tiny model, with other parts on top. */
  settings(changes?: Record<string, unknown>): object;
}

/** Makes the folder; call `remove` when the tests are done. */
export function trainerHere(): TrainerHere {
  const folder = temporaryFolder();
  const before = process.env['SQL_AGENT_HOME'];
  process.env['SQL_AGENT_HOME'] = join(folder.path, 'home');
  const base = tinyFolder(folder.path);
  const data = pairsFile(folder.path, 20);
  return {
    ...folder,
    base,
    data,
    settings: (changes = {}) => ({
      model: { base },
      data: { train: data, held_out: 0.1 },
      lora: { r: 4, alpha: 8 },
      batch: { examples: 3 },
      length: { epochs: 1 },
      every: { eval: 3, checkpoint: 2 },
      threads: 1,
      ...changes,
    }),
    remove: () => {
      if (before === undefined) delete process.env['SQL_AGENT_HOME'];
      else process.env['SQL_AGENT_HOME'] = before;
      folder.remove();
    },
  };
}

/** Trains in a run directory within this process. */
export async function trainHere(
  folder: string,
  options: { resume?: boolean; onEvent?: (event: TrainingEvent) => void; signal?: AbortSignal } = {},
) {
  return await trainRun(folder, {
    resume: options.resume ?? false,
    command: ['sql-agent-trainer', 'train', folder],
    cwd: folder,
    signal: options.signal ?? new AbortController().signal,
    onEvent: options.onEvent ?? (() => undefined),
  });
}
