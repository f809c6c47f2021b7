import { join } from 'node:path';
import { RUN_FILES, type TrainingRun } from '../../protocol/training.ts';
import { localModelOfBase } from './base-model.ts';

/** A command to be typed, and what it is for. */
export interface AdapterUse {
  what: string;
  command: string;
}

const quoted = (path: string) => (/^[\w./\\:@%+=-]+$/.test(path) ? path : JSON.stringify(path));

/**
 * What can be done with the adapter of a run that is done.
 * @param folder of the run, as it is to be typed
 */
export function adapterUses(folder: string, run: Pick<TrainingRun, 'base'>): AdapterUse[] {
  const model = localModelOfBase(run);
  const make = `sql-agent-trainer export ${quoted(folder)} --to merged-q8_0 --out model.gguf`;
  if (model === null) return [{ what: 'make a model of it', command: make }];
  const options = `--model ${model} --adapter ${quoted(join(folder, RUN_FILES.adapterGguf))}`;
  return [
    { what: 'ask with it', command: `sql-agent ask DB "question" ${options}` },
    { what: 'measure it', command: `sql-agent eval --dataset FILE ${options}` },
  ];
}
