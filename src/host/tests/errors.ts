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

export const outsideWorkspace = (path: string) =>
  new AppError(
    'outside_workspace',
    `${path} is in no folder of this window, so its results have no place. Open the folder that holds it.`,
    { path },
  );
