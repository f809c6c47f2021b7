import { AppError } from '../../protocol/errors.ts';

/** @param ledger path of the ledger, for the message */
export function noRuns(ledger: string): AppError {
  return new AppError(
    'ledger_no_runs',
    `The ledger ${ledger} has no runs yet. "sql-agent eval" makes one; --results names another folder.`,
    { ledger },
  );
}

/** @param near ids that may have been meant */
export function runUnknown(asked: string, near: readonly string[], runs: number): AppError {
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return new AppError(
    'run_unknown',
    `No run is called "${asked}".${meant} "sql-agent ledger list" shows the ${runs} that there are.`,
    { asked, near },
  );
}

/** @param some the newest of the runs that fit, `count` in all */
export function runAmbiguous(asked: string, some: readonly string[], count: number): AppError {
  const more = count > some.length ? ` and ${count - some.length} more` : '';
  return new AppError(
    'run_ambiguous',
    `"${asked}" names ${count} runs: ${some.join(', ')}${more}. Write more of the id.`,
    {
      asked,
      some,
      count,
    },
  );
}

export function tooFewRuns(asked: string, runs: number): AppError {
  return new AppError(
    'run_unknown',
    `"${asked}" goes back further than the ledger: it has ${runs === 1 ? 'one run' : `${runs} runs`}, so "latest~${runs - 1}" is the oldest.`,
    { asked, runs },
  );
}
