import type { TrainingRun } from '../../../src/protocol/training.ts';
import { isFolder } from '../io/is-there.ts';
import { Checkpoints } from '../run/checkpoints.ts';
import { type RunPaths, runPaths } from '../run/paths.ts';
import { readRecord } from '../run/record.ts';
import { noCheckpoint, noFinalAdapter } from './errors.ts';

/** An adapter to be exported: its path, and the run that made it where it is one of a run directory. */
export interface FoundAdapter {
  path: string;
  record: TrainingRun | null;
}

async function checkpointPath(paths: RunPaths, wanted: number | 'best'): Promise<string> {
  const checkpoints = new Checkpoints(paths.checkpoints);
  const steps = await checkpoints.steps();
  const [newest] = steps;
  if (newest === undefined) throw noCheckpoint(paths.folder, String(wanted), steps);
  let step: number | undefined = wanted === 'best' ? undefined : wanted;
  if (wanted === 'best') step = (await checkpoints.stateOf(newest)).best?.step;
  if (step === undefined || !steps.includes(step)) throw noCheckpoint(paths.folder, String(wanted), steps);
  return checkpoints.pathOf(step);
}

/**
 * What a call names: the final adapter or a checkpoint of a run directory, else an adapter as it is.
 * @param checkpoint a step; `best`: the one of the lowest evaluation loss; null: the final adapter
 * @throws AppError `run_damaged`, `run_unfinished`, `checkpoint_missing`
 */
export async function findAdapter(path: string, checkpoint: number | 'best' | null): Promise<FoundAdapter> {
  const paths = runPaths(path);
  const record = (await isFolder(path)) ? await readRecord(paths.run) : null;
  if (record === null && checkpoint !== null) throw noCheckpoint(path, String(checkpoint), []);
  if (record === null) return { path, record };
  if (checkpoint !== null) return { path: await checkpointPath(paths, checkpoint), record };
  if (!(await isFolder(paths.adapter))) throw noFinalAdapter(path);
  return { path: paths.adapter, record };
}
