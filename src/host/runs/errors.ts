import { AppError } from '../../protocol/errors.ts';

/** Errors of runs in the editor that a user sees. */

export const runGone = (id: string) =>
  new AppError(
    'run_gone',
    `There is no run "${id}" in the results of this window. Its folder may have been moved; the setting "sqlAgent.evals.results" says where runs are looked for.`,
    { run: id },
  );

export const itemGone = (run: string, item: string) =>
  new AppError('item_gone', `The run ${run} has no finished item "${item}".`, { run, item });

export const databasesNotFound = (name: string, dataset: string, looked: readonly string[]) =>
  new AppError(
    'databases_not_found',
    `The database "${name}" of ${dataset} was not found, so its queries are shown without rows. Choose the folder with the databases${
      looked.length === 0 ? '' : `; looked in ${looked.join(' and ')}`
    }.`,
    { name, dataset, looked },
  );

export const tooFewRuns = (runs: number) =>
  new AppError(
    'too_few_runs',
    `Two finished runs are needed to compare them; there ${runs === 1 ? 'is one' : 'is none'}. Run "SQL Agent: Run Evaluation…".`,
  );

export const nothingComparable = (dataset: string) =>
  new AppError('nothing_comparable', `No other run is over ${dataset}, so there is nothing to compare with.`, {
    dataset,
  });

export const noWorkspaceFolder = () =>
  new AppError(
    'no_workspace_folder',
    'An evaluation keeps its results in a folder of this window, and none is open. Open a folder first.',
  );

export const noRunsHere = () => new AppError('no_runs', 'There are no runs yet. Run "SQL Agent: Run Evaluation…".');

export const scriptGone = () =>
  new AppError('script_gone', 'The run was answered by a script, which is not set any more: it cannot go on here.');

export const adapterUnknown = (model: string, sha256: string) =>
  new AppError(
    'adapter_unknown',
    `The run was answered by ${model} with another adapter (SHA-256 ${sha256.slice(0, 12)}…), and its file is not among those known here. Choose it once with "SQL Agent: Choose Model…", then resume.`,
    { model, sha256 },
  );

export const modelElsewhere = (name: string) =>
  new AppError(
    'model_elsewhere',
    `The run was answered by ${name}, which this window cannot ask. Go on with it on the command line: "sql-agent eval --resume".`,
    { name },
  );
