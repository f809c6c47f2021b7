import { isActive } from '../../core/training/words.ts';
import { nothingToResume, stillRunning } from './errors.ts';
import { type Launched, type LaunchOptions, launchTrainer } from './launch.ts';
import { readSnapshot } from './run-reader.ts';

/**
 * Goes on with a run from its last checkpoint, or from its beginning where it has none.
 * @throws AppError `training_run_active`, `training_run_done`, those of `readSnapshot` and `launchTrainer`
 */
export async function resumeTraining(folder: string, options: LaunchOptions = {}): Promise<Launched> {
  const { state } = await readSnapshot(folder);
  if (isActive(state)) throw stillRunning(folder);
  if (state === 'done') throw nothingToResume(folder);
  return await launchTrainer(folder, options);
}
