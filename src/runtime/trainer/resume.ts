import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isActive } from '../../core/training/words.ts';
import { RUN_FILES } from '../../protocol/training.ts';
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
  // A wish that came too late for the last trainer is none of the next one's.
  for (const wish of ['stop', 'checkpoint']) await rm(join(folder, RUN_FILES.control, wish), { force: true });
  return await launchTrainer(folder, options);
}
