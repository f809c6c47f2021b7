import { AppError } from '../../protocol/errors.ts';

/** Errors of training in the editor that a user sees. */

export const noTrainingFolder = () =>
  new AppError(
    'no_workspace_folder',
    'A training run is kept in a folder of this window, and none is open. Open a folder first.',
  );

export const noOtherRun = () =>
  new AppError(
    'no_other_training',
    'There is no other training run to compare with. Open its folder with "SQL Agent: Open Training Run…" first.',
  );

export const noAdapterYet = (folder: string) =>
  new AppError(
    'training_no_adapter',
    `The run in ${folder} has no adapter.gguf that can be read: it is written when a run is done, and may have been moved since. "SQL Agent: Choose Model…" takes it from wherever it is.`,
    { folder },
  );

export const noTrainings = () =>
  new AppError('no_trainings', 'There are no training runs yet. "SQL Agent: Train…" starts one.');
