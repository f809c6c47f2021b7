import { stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { DatasetFormat } from '../../protocol/dataset.ts';
import { toWireError } from '../../protocol/errors.ts';
import { type CheckOptions, checkDataset, isBroken } from '../../runtime/evals/dataset-check.ts';
import { findDatasets } from '../../runtime/evals/dataset-find.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { datasetPairs } from '../dataset-pairs.ts';
import { type CheckedDataset, describeDataset } from '../dataset-view.ts';
import { StepProgress } from '../step-progress.ts';
import {
  choiceOption,
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

const HELP = `Usage: sql-agent dataset check FILE|DIR [options]
       sql-agent dataset pairs FILE --out PAIRS [options]

check looks a dataset over before a model is measured on it: its items, the databases that are found, missing or damaged,
questions that stand twice, its splits, and on demand every gold query.

pairs makes training data of a dataset, for "sql-agent train sft --data": for each question the message that "sql-agent
ask" gives a local model (schema, foreign keys, values that the question names), and the gold query as its answer. Items
whose gold does not run are left out and named.

Arguments:
  FILE                  BIRD or Spider JSON, JSON lines, CSV, or a suite (*.sql-tests.jsonl)
  DIR                   a folder in which datasets are looked for, three folders deep

Options:
  --db-root D           folder of <db_id>/<db_id>.sqlite (default: database, dev_databases, train_databases, databases,
                        test_database, test_databases beside the file)
  --format F            bird, spider, jsonl, csv or suite, where content and name tell it wrongly
  --golds               check: run every gold query: which fail, take too long or return nothing
  --timeout-ms N        limit of one gold query in milliseconds (default 30000)
  --open-sealed REASON  look at items of sealed splits too; the reason goes into the ledger
  --results DIR         folder of the ledger (default: SQL_AGENT_RESULTS, else results)
  --out PAIRS           pairs: the file to write, JSON lines of system, user, sql, id and db_id
  --link M              pairs: tables in the prompt: full, linked, oracle (those of the gold) or auto (default)
  --split NAME          pairs: items of one split (see "sql-agent split"); the others stay unseen
  --ids FILE            pairs: these items alone, one id a line
  --every K, --limit N  pairs: every K-th item, at most N
  --one-style           pairs: all answers in one style: on one line, keywords in capitals, single spaces, names as the
                        prompt shows them, texts in single quotes
  --phrasings N         pairs: each question N times more, its schema said otherwise (other order and names of tables and
                        columns, the query in those names): a model learns to read names and not to remember them
  --repairs SHARE       pairs: so many of the questions (15% or 0.15) once more as a repair: a query with a wrong name, the
                        error that it really gives, and the gold as the answer to it (see "sql-agent ask --repair")
  --from-run RUN        pairs: repairs of the queries that failed in an evaluation on the same dataset
  --max-tables N        pairs: of schemas with more tables show those of the gold and others by chance, 6 to N in all
  --seed N              pairs: what all this is drawn from (default 0): the same seed, the same file
  --max-joins N, --max-answer N, --max-prompt N
                        pairs: leave out what has more joins, characters of SQL, or tokens of prompt (estimated)
  --json                one JSON object: status, datasets, others; of pairs: status, path, written, phrased, repairs,
                        unphrased, skipped

Exit code 1 where something is broken: a file that cannot be loaded, databases missing or damaged, golds that do not run;
for pairs, where not one could be made.

Examples:
  sql-agent dataset check data/spider
  sql-agent dataset check data/bird/dev.json --db-root data/bird/dev_databases --golds
  sql-agent dataset pairs data/spider/train_spider.json --out pairs.jsonl
  sql-agent dataset pairs data/spider/train_spider.json --one-style --phrasings 5 --repairs 15% --out pairs.jsonl`;

/** Options that go with one action only. */
const ONLY = {
  check: ['golds'],
  pairs: [
    ...['out', 'link', 'split', 'ids', 'every', 'limit', 'one-style', 'phrasings', 'repairs', 'from-run', 'seed'],
    ...['max-tables', 'max-joins', 'max-answer', 'max-prompt'],
  ],
} as const;

function needOwnOptions(args: VerbArgs, action: keyof typeof ONLY): void {
  const others = ONLY[action === 'check' ? 'pairs' : 'check'];
  const stray = others.find((name) => args.values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with "dataset ${action}".`);
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [action, word, ...rest] = args.positionals;
  if ((action !== 'check' && action !== 'pairs') || word === undefined || rest.length > 0)
    throw new UsageError(
      'dataset takes an action and a file or folder: sql-agent dataset check FILE|DIR, or dataset pairs FILE --out PAIRS.',
    );
  needOwnOptions(args, action);
  const path = resolve(context.cwd, fileWord(word, 'The name of the dataset'));
  return action === 'pairs' ? await datasetPairs(context, args, path) : await check(context, args, path);
}

async function check(context: VerbContext, args: VerbArgs, path: string): Promise<ExitCode> {
  const timeoutMs = integerOption(args, 'timeout-ms', 1, 86_400_000) ?? 30_000;
  const root = fileOption(args, 'db-root');
  const concurrency = Math.max(1, Math.min(4, cpus().length));
  const progress = new StepProgress((text) => context.out.log(text));
  const pool = args.values['golds'] === true ? new SandboxPool({ children: concurrency }) : null;
  const options: CheckOptions = {
    format: choiceOption(args, 'format', DatasetFormat.options) ?? null,
    root: root === undefined ? null : resolve(context.cwd, root),
    openSealed: stringOption(args, 'open-sealed') ?? null,
    ledger: new Ledger(resultsFolder(fileOption(args, 'results'), context.env, context.cwd)),
    command: ['sql-agent', ...process.argv.slice(2)],
    golds: pool && {
      sandbox: pool,
      timeoutMs,
      concurrency,
      onProgress: (done, total) => progress.show('golds', done, total),
    },
  };
  try {
    const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
    return isFolder ? await checkFolder(context, path, options) : await checkFile(context, path, options);
  } finally {
    await pool?.dispose();
  }
}

async function checkFile(context: VerbContext, path: string, options: CheckOptions): Promise<ExitCode> {
  const report = await checkDataset(path, options, context.signal);
  const checked: CheckedDataset = { path, report, error: null };
  context.out.json({ status: isBroken(report) ? 'broken' : 'ok', datasets: [checked], others: [] });
  for (const line of describeDataset(checked)) context.out.line(line);
  return isBroken(report) ? EXIT.failed : EXIT.ok;
}

async function checkFolder({ out, signal }: VerbContext, folder: string, options: CheckOptions): Promise<ExitCode> {
  const { datasets, others } = await findDatasets(folder);
  const checked: CheckedDataset[] = [];
  for (const path of datasets) {
    const one = await checkOne(path, options, signal);
    checked.push(one);
    for (const line of describeDataset(one)) out.line(line);
  }
  for (const { path, what } of others) out.line(`${path}: not a dataset: ${what}`);
  const brokenOnes = checked.filter(({ report }) => report === null || isBroken(report));
  if (checked.length === 0)
    out.log(`sql-agent: no dataset was found in ${folder}. docs/data.md shows the folders expected.`);
  const isWhole = checked.length > 0 && brokenOnes.length === 0;
  out.json({ status: isWhole ? 'ok' : 'broken', datasets: checked, others });
  return isWhole ? EXIT.ok : EXIT.failed;
}

/** One dataset of several: what cannot be loaded does not keep the others from being checked. */
async function checkOne(path: string, options: CheckOptions, signal: AbortSignal): Promise<CheckedDataset> {
  try {
    return { path, report: await checkDataset(path, options, signal), error: null };
  } catch (error) {
    const wire = toWireError(error);
    if (wire.code === 'cancelled' || wire.code === 'internal') throw error;
    return { path, report: null, error: wire };
  }
}

/** `sql-agent dataset`: what a dataset holds and whether it can be used. */
export const verb: Verb = {
  name: 'dataset',
  summary: 'check a dataset, or make training data of it',
  help: HELP,
  options: {
    'db-root': { type: 'string' },
    format: { type: 'string' },
    golds: { type: 'boolean' },
    'timeout-ms': { type: 'string' },
    'open-sealed': { type: 'string' },
    results: { type: 'string' },
    out: { type: 'string' },
    link: { type: 'string' },
    split: { type: 'string' },
    ids: { type: 'string' },
    every: { type: 'string' },
    limit: { type: 'string' },
    'one-style': { type: 'boolean' },
    phrasings: { type: 'string' },
    repairs: { type: 'string' },
    'from-run': { type: 'string' },
    seed: { type: 'string' },
    'max-tables': { type: 'string' },
    'max-joins': { type: 'string' },
    'max-answer': { type: 'string' },
    'max-prompt': { type: 'string' },
  },
  run,
};
