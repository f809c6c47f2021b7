import { resolve } from 'node:path';
import type { RepairBudget } from '../../core/diagnose/repair/search.ts';
import { Diagnoser } from '../../runtime/diagnose/diagnose.ts';
import { RunItems } from '../../runtime/diagnose/run-items.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { loadRun } from '../../runtime/evals/run-of.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { renderDiagnosis, renderInspection } from '../diagnose-view.ts';
import { sqlWord } from '../sql-word.ts';
import {
  EXIT,
  type ExitCode,
  fileOption,
  fileWord,
  integerOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent diagnose DB --gold SQL --pred SQL [options]
       sql-agent diagnose DB --pred SQL [options]
       sql-agent diagnose RUN ITEM [options]

Why are the rows wrong? Both queries are taken apart clause by clause, and the first clause where their rows part is
named, with the rows that are missing or too much there and the truth of each condition for them. What kind of error it
is, is tried by running the prediction with that put right; then the smallest edits are looked for that give the gold's
rows. Without a gold the query alone is looked at: joins that repeat rows under a sum, columns that are not grouped by,
conditions that are never true, values that no row holds, ties that LIMIT cuts.

Arguments:
  DB               a SQLite file
  RUN ITEM         an item of an evaluation: a run as "sql-agent report" takes it, and the item's id

Options:
  --gold SQL       the right query, in quotes, or a .sql file
  --pred SQL       the query to look into, likewise
  --no-repair      look for no repair
  --budget N       most queries of the search for a repair (default 200)
  --timeout-ms N   time limit of one query in milliseconds (default 10000)
  --results DIR    folder of the runs and their ledger (default: SQL_AGENT_RESULTS, else results)
  --db-root DIR    folder of databases to look in first, for RUN ITEM
  --json           one JSON object: status, verdict (equal, different, error, gold_error), sentence, stage, goldStage,
                   nested, clause, range, missing, extra, totals, taxonomy, repair {sql, edits}, stages {gold, pred}, complete,
                   why, message, effort. Without a gold: status, sentence, hints, stages

Results are compared by strict_ex; the order of rows counts where the gold's outermost query has ORDER BY. Exit code 0
where there is a verdict, whatever it is.

Examples:
  sql-agent diagnose chinook.sqlite --gold "SELECT Name FROM Genre WHERE Name = 'Jazz'" \\
    --pred "SELECT Name FROM Genre WHERE Name = 'jazz'"
  sql-agent diagnose latest 17`;

/** Of the search for a repair, in milliseconds, where --budget allows more queries than usual. */
const MS_PER_QUERY = 10;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [first, item, ...rest] = args.positionals;
  if (first === undefined || rest.length > 0)
    throw new UsageError(
      'diagnose takes a database, or a run and an item: sql-agent diagnose DB --gold SQL --pred SQL.',
    );
  const sandbox = new SandboxPool({ children: 2, spares: 0 });
  const diagnoser = new Diagnoser({ sandbox });
  try {
    return item === undefined
      ? await ofQueries(context, args, diagnoser, first)
      : await ofItem(context, args, diagnoser, first, item);
  } finally {
    diagnoser.dispose();
    await sandbox.dispose();
  }
}

async function ofQueries(context: VerbContext, args: VerbArgs, diagnoser: Diagnoser, file: string): Promise<ExitCode> {
  const db = resolve(context.cwd, fileWord(file, 'The name of the database'));
  const given = async (name: string) => {
    const word = stringOption(args, name);
    return word === undefined ? undefined : sqlWord(word, context.cwd);
  };
  const [pred, gold] = [await given('pred'), await given('gold')];
  if (pred === undefined) throw new UsageError('diagnose needs --pred SQL, or a run and an item.');
  return gold === undefined
    ? await inspect(context, args, diagnoser, { db, pred })
    : await diagnose(context, args, diagnoser, { db, gold, pred });
}

async function ofItem(
  context: VerbContext,
  args: VerbArgs,
  diagnoser: Diagnoser,
  named: string,
  id: string,
): Promise<ExitCode> {
  if (args.values['gold'] !== undefined || args.values['pred'] !== undefined)
    throw new UsageError('--gold and --pred go with a database; an item of a run has its own.');
  const { env, cwd, out } = context;
  const ledger = new Ledger(resultsFolder(stringOption(args, 'results'), env, cwd));
  const loaded = await loadRun(ledger, named, cwd);
  const root = fileOption(args, 'db-root');
  const { record, pred, db } = await new RunItems(loaded, root === undefined ? null : resolve(cwd, root)).item(id);
  out.line(`${record.id}: ${record.question}\n`);
  return diagnose(context, args, diagnoser, { db, gold: record.gold, pred });
}

async function diagnose(
  { out, signal }: VerbContext,
  args: VerbArgs,
  diagnoser: Diagnoser,
  { db, gold, pred }: { db: string; gold: string; pred: string },
): Promise<ExitCode> {
  const timeoutMs = timeoutOf(args);
  const budget = budgetOf(args);
  const request = {
    db,
    gold,
    pred,
    repair: args.values['no-repair'] !== true,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget === undefined ? {} : { budget }),
  };
  const diagnosis = await diagnoser.diagnose(request, signal);
  out.json({ status: 'ok', ...diagnosis });
  if (!out.jsonMode) out.line(renderDiagnosis(diagnosis, { gold, pred }, out.width, request.repair));
  return EXIT.ok;
}

async function inspect(
  { out, signal }: VerbContext,
  args: VerbArgs,
  diagnoser: Diagnoser,
  { db, pred }: { db: string; pred: string },
): Promise<ExitCode> {
  const timeoutMs = timeoutOf(args);
  const inspection = await diagnoser.inspect(
    { db, sql: pred, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    signal,
  );
  out.json(inspection);
  if (!out.jsonMode) out.line(renderInspection(inspection, pred, out.width));
  return EXIT.ok;
}

function timeoutOf(args: VerbArgs): number | undefined {
  return integerOption(args, 'timeout-ms', 1, 86_400_000);
}

function budgetOf(args: VerbArgs): RepairBudget | undefined {
  const queries = integerOption(args, 'budget', 1, 1_000_000);
  return queries === undefined ? undefined : { queries, ms: Math.max(1_500, queries * MS_PER_QUERY) };
}

const text = { type: 'string' } as const;

/** `sql-agent diagnose`: why the rows of a query are wrong. */
export const verb: Verb = {
  name: 'diagnose',
  summary: 'tell why the rows of a query are wrong, and how to put it right',
  help: HELP,
  options: {
    gold: text,
    pred: text,
    'no-repair': { type: 'boolean' },
    budget: text,
    'timeout-ms': text,
    results: text,
    'db-root': text,
  },
  run,
};
