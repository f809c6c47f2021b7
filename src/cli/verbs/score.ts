import { resolve } from 'node:path';
import { ScoreTally } from '../../core/evals/score-summary.ts';
import { countOf } from '../../core/signals/describe.ts';
import { AppError } from '../../protocol/errors.ts';
import type { Pair, ScoreSettings, Verdict } from '../../protocol/score.ts';
import { type LocatedDatabases, locateDatabases } from '../../runtime/evals/databases.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { storageFolder } from '../../runtime/paths.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { readPairs } from '../../runtime/score/read-pairs.ts';
import { scoreAll } from '../../runtime/score/score-all.ts';
import { type ScorePair, Scorer } from '../../runtime/score/scorer.ts';
import { unsealedPairs } from '../../runtime/score/sealed-golds.ts';
import { VerdictFile } from '../../runtime/score/verdict-file.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { openStore } from '../../runtime/store/store.ts';
import { childrenOf, scoreSettings } from '../score-options.ts';
import { ScoreProgress } from '../score-progress.ts';
import { scoreLines } from '../score-view.ts';
import {
  EXIT,
  type ExitCode,
  fileOption,
  integerOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent score --pairs FILE --db-root DIR [options]

Scores predictions against their golds: both run in the sandbox, and all metrics judge the same results. What was
computed is kept by the content of the database, so that the same again takes no time.

The predictions:
  --pairs FILE        JSON lines {id, db_id, gold, pred}; a line without id has its number as id. Or, with --gold:
                      BIRD's {"0": "SQL\\t----- bird -----\\tdb_id"}, or Spider's file of one query a line
  --gold FILE         golds of the published forms: "SQL<tab>db_id" lines, or the dataset (JSON, JSON lines, CSV)
  --open-sealed WHY   score golds of a sealed split, too, which are left out otherwise; the reason goes into the ledger
  --results DIR       folder of that ledger (default: SQL_AGENT_RESULTS, else results)
  --db-root DIR       folder of databases: DIR/<db_id>/<db_id>.sqlite (or .db, .sqlite3)

The scores:
  --metrics A,B       some of official_ex,strict_ex,spider_ex,soft_f1,r_ves (default: all but r_ves)
  --timeout-ms N      time limit of a query, and of gold and prediction together, in milliseconds (default 30000)
  --order-policy P    strict_ex: when the order of rows counts: ignore, gold_order_by (default) or always
  --keep-distinct     spider_ex with DISTINCT left in
  --suite             all databases in the folder of a db_id must agree, as in Spider's test suites
  --fragile           rerun right answers on changed copies of their database: how many stop agreeing?
  --r-ves-runs N      times that gold and prediction are timed for r_ves (default 20; mini-dev's script takes 100)

The run:
  --children N        queries at the same time (default: as many as processors, 2 to 8; the verdicts are the same)
  --no-cache          use nothing that was kept, and keep nothing
  --out FILE          write a verdict for each pair as JSON lines, in the order of the pairs
  --json              one JSON object: status, pairs, shares, soft_f1, r_ves, official_not_strict, reasons, failures,
                      fragile, missing, settings, ms, out

Exit code 0 where every pair has its verdict, however bad the predictions are. docs/scoring.md defines the metrics.

Examples:
  sql-agent score --pairs answers.jsonl --db-root database --out verdicts.jsonl
  sql-agent score --pairs predict_dev.json --gold dev.json --db-root dev_databases --metrics official_ex,soft_f1`;

/** Golds that failed are named up to this number. */
const NAMED_GOLDS = 5;
/** Pairs that are worked on at the same time, for each child: while one is judged, the next query runs. */
const PAIRS_PER_CHILD = 4;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, cwd } = context;
  const started = performance.now();
  const path = fileOption(args, 'pairs');
  const root = fileOption(args, 'db-root');
  if (args.positionals.length > 0) throw new UsageError(`score takes options only, not "${args.positionals[0]}".`);
  if (path === undefined || root === undefined) throw new UsageError('score needs --pairs FILE and --db-root DIR.');
  const settings = scoreSettings(args);
  const children = childrenOf(args, settings);
  const outPath = fileOption(args, 'out');
  const { pairs, inputs } = await pairsOf(context, args, resolve(cwd, path));
  const located = await locate(pairs, resolve(cwd, root), settings);
  for (const { name, items, lookedFor } of located.absent)
    out.log(
      `The database ${name} is missing (${lookedFor[0] ?? 'no name of a folder'}); ${countOf(items, 'pair')} ${items === 1 ? 'needs' : 'need'} it.`,
    );
  const file = outPath === undefined ? null : new VerdictFile(resolve(cwd, outPath), inputs);
  const tally = new ScoreTally();
  const missing = await scoreTo(context, args, { pairs, located, settings, children, tally, file });
  const summary = tally.summary();
  const ms = Math.round(performance.now() - started);
  for (const line of scoreLines(summary, missing, ms)) out.line(line);
  if (file !== null) out.line(`  ${'Verdicts'.padEnd(12)} ${file.path}`);
  const absent = located.absent.map(({ name, items }) => ({ name, pairs: items }));
  out.json({ status: 'ok', ...summary, missing: absent, settings, ms, out: file?.path ?? null });
  return EXIT.ok;
}

/** The pairs that may be scored, and the files that they were read from. */
async function pairsOf(context: VerbContext, args: VerbArgs, path: string) {
  const { cwd, env, out } = context;
  const reason = stringOption(args, 'open-sealed') ?? null;
  const gold = fileOption(args, 'gold');
  const goldPath = gold === undefined ? null : resolve(cwd, gold);
  const { pairs } = await readPairs(path, goldPath);
  if (goldPath === null) return { pairs, inputs: [path] };
  const ledger = new Ledger(resultsFolder(fileOption(args, 'results'), env, cwd), null, { onNote: out.log });
  const command = ['sql-agent', ...process.argv.slice(2)];
  const readable = await unsealedPairs(pairs, goldPath, { reason, ledger, command });
  for (const note of readable.notes) out.log(note);
  return { pairs: readable.pairs, inputs: [path, goldPath] };
}

/** @throws AppError where none of the databases is there */
async function locate(pairs: readonly Pair[], root: string, { suite }: ScoreSettings): Promise<LocatedDatabases> {
  const items = pairs.map(({ db_id }) => ({ db_id, database: null }));
  const located = await locateDatabases(items, { dataset: null, root, suite });
  if (located.paths.size > 0) return located;
  const [first] = located.absent;
  throw new AppError(
    'databases_missing',
    `None of the databases is in ${root}; the first would be ${first?.lookedFor[0] ?? first?.name}. Check --db-root.`,
    { root },
  );
}

interface Work {
  pairs: readonly Pair[];
  located: LocatedDatabases;
  settings: ScoreSettings;
  children: number;
  tally: ScoreTally;
  file: VerdictFile | null;
}

/** Scores all pairs. @returns how many of them have no database */
async function scoreTo(context: VerbContext, args: VerbArgs, work: Work): Promise<number> {
  const { located, settings, children, tally, file } = work;
  const store = args.values['no-cache'] === true ? null : openStore(storageFolder(context.env));
  const sandbox = new SandboxPool({ children, spares: 0 });
  const scorer = new Scorer({ sandbox, store }, settings, {
    rVesRuns: integerOption(args, 'r-ves-runs', 1, 10_000) ?? 20,
  });
  const progress = progressOf(context, work.pairs.length);
  const golds = new FailedGolds(context);
  let missing = 0;
  const onVerdict = (verdict: Verdict, { databases }: ScorePair) => {
    if (databases.length === 0) missing++;
    else tally.add(verdict);
    if (databases.length > 0 && verdict.gold_status !== 'ok') golds.add(verdict);
    file?.add(verdict);
    progress.step();
  };
  try {
    const pairs = work.pairs.map((pair) => ({ ...pair, databases: located.pathsOf({ ...pair, database: null }) }));
    const concurrency = settings.metrics.includes('r_ves') ? 1 : children * PAIRS_PER_CHILD;
    await scoreAll(scorer, pairs, { concurrency, onVerdict }, context.signal);
    file?.commit();
    return missing;
  } finally {
    progress.end();
    golds.tell();
    file?.discard();
    await scorer.dispose();
    await sandbox.dispose();
    store?.close();
    for (const note of store?.notes ?? []) context.out.log(`note: ${note}`);
  }
}

function progressOf({ out }: VerbContext, total: number): ScoreProgress {
  const { stderr } = process;
  const target = {
    isTerminal: stderr.isTTY === true,
    write: (text: string) => stderr.write(text),
    line: (text: string) => out.log(text),
  };
  return new ScoreProgress(target, total, () => performance.now());
}

/** Names the first golds that failed: a dataset with many of them, or a wrong --db-root, should be noticed. */
class FailedGolds {
  readonly #context: VerbContext;
  readonly #lines: string[] = [];
  #count = 0;

  constructor(context: VerbContext) {
    this.#context = context;
  }

  add({ id, gold_status, message }: Verdict): void {
    this.#count++;
    if (this.#lines.length < NAMED_GOLDS) this.#lines.push(`The gold of ${id} fails (${gold_status}): ${message}`);
  }

  tell(): void {
    for (const line of this.#lines) this.#context.out.log(line);
    const more = this.#count - this.#lines.length;
    if (more > 0) this.#context.out.log(`The golds of ${more} more pairs fail.`);
  }
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** `sql-agent score`: predictions against golds. */
export const verb: Verb = {
  name: 'score',
  summary: 'score predictions against gold queries under every metric',
  help: HELP,
  options: {
    pairs: text,
    gold: text,
    'open-sealed': text,
    results: text,
    'db-root': text,
    metrics: text,
    'timeout-ms': text,
    'order-policy': text,
    'keep-distinct': flag,
    suite: flag,
    fragile: flag,
    'r-ves-runs': text,
    children: text,
    'no-cache': flag,
    out: text,
  },
  run,
};
