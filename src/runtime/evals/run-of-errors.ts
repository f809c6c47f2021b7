import { AppError } from '../../protocol/errors.ts';

/** The ledger has a line of a run whose items are gone. */
export function runOutputMissing(run: string, path: string): AppError {
  const message = `The items of run ${run} are not there: ${path} was moved or deleted. Bring the folder back; without it there is only what "sql-agent ledger show ${run}" tells.`;
  return new AppError('run_output_missing', message, { run, path });
}
