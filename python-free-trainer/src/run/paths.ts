import { join } from 'node:path';
import { RUN_FILES } from '../../../src/protocol/training.ts';

/** Absolute paths of what lies in a run directory. */
export type RunPaths = Record<keyof typeof RUN_FILES | 'folder', string>;

/** @param folder absolute path of the run directory */
export function runPaths(folder: string): RunPaths {
  const { config, run, events, status, control, checkpoints, lock, log, adapter, adapterGguf, failedStep } = RUN_FILES;
  const at = (name: string) => join(folder, name);
  return {
    folder,
    config: at(config),
    run: at(run),
    events: at(events),
    status: at(status),
    control: at(control),
    checkpoints: at(checkpoints),
    lock: at(lock),
    log: at(log),
    adapter: at(adapter),
    adapterGguf: at(adapterGguf),
    failedStep: at(failedStep),
  };
}
