import { AppError } from '../../protocol/errors.ts';

/** Errors of the ask panel that a user sees. */

export const pageGone = () =>
  new AppError('page_gone', 'These rows are not kept any more. Run the question or the SQL again.');
