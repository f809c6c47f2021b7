import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isActive, stateInWords } from '../../core/training/words.ts';
import { RUN_FILES } from '../../protocol/training.ts';
import { makeFolderSync } from '../make-folder.ts';
import { folderUnwritable, notRunning } from './errors.ts';
import { readSnapshot } from './run-reader.ts';

const POLL_MS = 100;

/** What a trainer can be asked for: to save and end, or to save and go on. */
export type Wish = 'stop' | 'checkpoint';

/**
 * Asks the trainer of a run for something. It saves after the step that it is in; to end, it gives up a step that is not
 * complete.
 * @throws AppError `training_run_inactive` where no trainer works on it, `training_folder_unwritable`, those of `readSnapshot`
 */
export async function askTrainer(folder: string, wish: Wish): Promise<void> {
  let { state } = await readSnapshot(folder);
  // A trainer that is starting takes wishes for those of an earlier one.
  for (; state === 'starting'; { state } = await readSnapshot(folder)) await delay(POLL_MS);
  if (!isActive(state)) throw notRunning(folder, stateInWords(state));
  const control = join(folder, RUN_FILES.control);
  try {
    makeFolderSync(control);
    await writeFile(join(control, wish), '');
  } catch (error) {
    throw folderUnwritable(control, error);
  }
}
