import { AppError } from '../../protocol/errors.ts';

/** Errors of evaluations and of suite files in the editor that a user sees. */

/** @param said the last lines on its standard error */
export const evalEnded = (how: string, said: string) =>
  new AppError(
    'eval_ended',
    `The evaluation ended before its end (${how})${said === '' ? '' : `: ${said}`}. The items that were finished are kept; the log has more.`,
    { how, said },
  );

export const evalNotStarted = (reason: string) =>
  new AppError('eval_not_started', `The evaluation could not be started: ${reason}.`, { reason });

export const noFolderForTests = () =>
  new AppError(
    'no_folder_for_tests',
    'A test is kept in a file of the folder that is open, and none is. Open a folder ("File: Open Folder…") and save it again.',
  );

export const suiteNotSaved = (path: string) =>
  new AppError(
    'suite_not_saved',
    `${path} could not be saved. Check that it can be written, and save it from its editor.`,
    {
      path,
    },
  );
