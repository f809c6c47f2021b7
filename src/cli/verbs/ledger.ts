import { resolve } from 'node:path';
import { EXPORT_FORMATS, type ExportFormat, exportRuns } from '../ledger-export.ts';
import { listRuns, listTrainings } from '../ledger-list.ts';
import { withLedger } from '../ledger-open.ts';
import { showRun } from '../ledger-show.ts';
import { showTraining } from '../ledger-show-training.ts';
import { verifyRuns } from '../ledger-verify.ts';
import {
  type ExitCode,
  fileOption,
  integerOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent ledger list [--training] [--limit N]
       sql-agent ledger show RUN [--training]
       sql-agent ledger verify [--head HASH]
       sql-agent ledger export [--training] [--csv | --jsonl | --markdown] [--out FILE]

The record of all evaluations and training runs: one line a run in ledger.jsonl of the results folder, each with the hash of the line
before, so that a line that is changed or removed afterwards shows.

Actions:
  list             the newest runs
  show RUN         all that the record holds of a run, and where its files are
  verify           check the chain of hashes, the form of every line, and the output file of every run; exit code 1 where
                   anything is not as it was written
  export           every run once, oldest first

Arguments:
  RUN              an id, a beginning or a part of one that no other run has, latest, or latest~N

Options:
  --results DIR    the results folder (default: $SQL_AGENT_RESULTS, else results)
  --training       training runs in place of evaluations
  --limit N        most runs to list (default 20; 0: all)
  --head HASH      hash of the last line as it was noted earlier: lines cut off at the end show by it alone
  --csv            one flat row a run, every number a column (default)
  --jsonl          the lines as they stand
  --markdown       the table of "list"
  --out FILE       write to a file instead of printing
  --json           one JSON object

Examples:
  sql-agent ledger list --limit 5
  sql-agent ledger show latest
  sql-agent ledger list --training
  sql-agent ledger verify --head 4b1c9e07
  sql-agent ledger export --csv --out runs.csv`;

const ACTIONS = ['list', 'show', 'verify', 'export'] as const;
type Action = (typeof ACTIONS)[number];

/** Options that belong to one action. */
const OWN_OPTIONS: Record<string, Action> = {
  limit: 'list',
  head: 'verify',
  csv: 'export',
  jsonl: 'export',
  markdown: 'export',
  out: 'export',
};
/** Actions that show evaluations, or training runs. */
const OF_A_KIND: readonly Action[] = ['list', 'show', 'export'];

function actionOf(args: VerbArgs): Action {
  const [word, run, ...rest] = args.positionals;
  const action = ACTIONS.find((candidate) => candidate === word);
  if (action === undefined)
    throw new UsageError(
      word === undefined
        ? 'ledger needs an action: list, show, verify or export.'
        : `ledger has no action "${word}"; there are list, show, verify and export.`,
    );
  if (action === 'show' && run === undefined) throw new UsageError('ledger show needs a run: an id, or latest.');
  if (rest.length > 0 || (action !== 'show' && run !== undefined))
    throw new UsageError(`ledger ${action} takes ${action === 'show' ? 'one run' : 'no further words'}.`);
  for (const [option, owner] of Object.entries(OWN_OPTIONS))
    if (args.values[option] !== undefined && owner !== action)
      throw new UsageError(`--${option} goes with "ledger ${owner}".`);
  if (args.values['training'] === true && !OF_A_KIND.includes(action))
    throw new UsageError('--training goes with "ledger list", "ledger show" and "ledger export".');
  return action;
}

function formatOf(args: VerbArgs): ExportFormat {
  const [format, ...others] = EXPORT_FORMATS.filter((candidate) => args.values[candidate] === true);
  if (others.length > 0) throw new UsageError('--csv, --jsonl and --markdown do not go together.');
  return format ?? 'csv';
}

function headOf(args: VerbArgs): string | undefined {
  const head = stringOption(args, 'head');
  if (head !== undefined && !/^[0-9a-f]{8,64}$/i.test(head))
    throw new UsageError(`--head takes 8 to 64 hexadecimal digits of a SHA-256, not "${head}".`);
  return head;
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, cwd, signal } = context;
  const action = actionOf(args);
  const limit = integerOption(args, 'limit', 0, 1_000_000_000) ?? 20;
  const format = formatOf(args);
  const head = headOf(args);
  const path = fileOption(args, 'out');
  const training = args.values['training'] === true;
  return await withLedger(context, args, async (ledger) => {
    switch (action) {
      case 'list':
        return await (training ? listTrainings : listRuns)(ledger, out, limit === 0 ? null : limit);
      case 'show':
        return await (training ? showTraining : showRun)(ledger, out, args.positionals[1] ?? '');
      case 'verify':
        return await verifyRuns(ledger, out, { head, signal });
      case 'export':
        return await exportRuns(ledger, out, {
          format,
          training,
          path: path === undefined ? null : resolve(cwd, path),
        });
    }
  });
}

/** `sql-agent ledger`: the record of evaluations. */
export const verb: Verb = {
  name: 'ledger',
  summary: 'list, show, verify and export the record of evaluations',
  help: HELP,
  options: {
    results: { type: 'string' },
    training: { type: 'boolean' },
    limit: { type: 'string' },
    head: { type: 'string' },
    csv: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    markdown: { type: 'boolean' },
    out: { type: 'string' },
  },
  run,
};
