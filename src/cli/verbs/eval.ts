import { toWireError, type WireError } from '../../protocol/errors.ts';
import type { EvalEvent } from '../../protocol/eval.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import { configOf } from '../../runtime/evals/eval-config.ts';
import { type EvalResult, runEval } from '../../runtime/evals/run-eval.ts';
import { prepareEval } from '../eval-prepare.ts';
import { EvalProgress } from '../eval-progress.ts';
import { nextLines, summaryLines } from '../eval-summary.ts';
import { untilParentGone } from '../parent-gone.ts';
import { REPAIR_OPTIONS } from '../repair-option.ts';
import { EXIT, type ExitCode, stringOption, UsageError, type Verb, type VerbArgs, type VerbContext } from '../verb.ts';

const HELP = `Usage: sql-agent eval --dataset FILE [--db-root DIR] [options]

Asks a model every question of a dataset, scores the answers against the gold queries, and keeps each finished item at
once. Ctrl-C stops the run cleanly; --resume goes on where it ended, also after a crash.

The dataset:
  --dataset FILE       BIRD or Spider JSON as published, JSON lines, CSV, or a suite (*.sql-tests.jsonl)
  --db-root DIR        folder of databases: DIR/<db_id>/<db_id>.sqlite (default: the usual folders beside the dataset)
  --split NAME         items of one split (see "sql-agent split")
  --open-sealed WHY    read a sealed split; the reason goes into the ledger
  --ids FILE           these items alone, one id a line
  --every K            every K-th item, from the first
  --limit N            at most N items

The model:
  --provider P         local (default), openai (any OpenAI-compatible server) or scripted
  --model NAME         local: small or coder (default: coder once it is pulled); openai: a model of the server
  --adapter FILE       local: another LoRA adapter (GGUF) for the model named by --model
  --base-url U         address of the server, with or without /v1 (default: OPENAI_BASE_URL)
  --script FILE        replies of the scripted provider, as JSON
  --samples N          ask N times and let the results vote (1 to 64, default 1)
  --retries N          protocol one_shot: ask so many times more after an error or an empty result (0 to 16, default 3;
                       0: the greedy answer alone)
  --repair             the first retry after an error shows it to the model; the default for "small" and for adapters
                       whose training data held such repairs ("dataset pairs --repairs"); not for others
  --no-repair          each retry asks anew
  --turns N            messages of the model in the protocol "turns" (1 to 20, default 4)
  --link M             tables in the prompt: full, linked, oracle (those of the gold) or auto (default)
  --concurrency N      questions at the same time (default 1; 4 for openai)

The scores (all metrics at once):
  --metric M           what "right" means: official_ex, strict_ex or spider_ex (default: spider_ex for Spider's files, else
                       official_ex)
  --order-policy P     strict_ex: ignore, gold_order_by (default) or always
  --keep-distinct      spider_ex with DISTINCT left in
  --suite              all databases of a folder must agree
  --fragile            rerun right answers on changed copies of their database
  --r-ves              measure r_ves too: queries are timed, one after the other
  --timeout-ms N       time limit of a query, and of gold and answer together, in milliseconds (default 30000)

The run:
  --results DIR        folder of runs and ledger (default: SQL_AGENT_RESULTS, else results)
  --out DIR            folder of this run (default: one of its own in the folder of results)
  --resume             go on with the newest unfinished run of the same configuration, or with that in --out
  --keep-errors        with --resume: do not ask again what got no answer from the provider
  --jsonl              events as JSON lines on stdout and nothing else; the run then stops when its parent goes away: the
                       IPC channel, or a standard input that is a pipe, closes
  --json               one JSON object at the end: run_id, folder, state, summary

The key of a server is read from SQL_AGENT_API_KEY or OPENAI_API_KEY. Exit code 0 where every item is finished, however
good the answers are; 130 where the run was stopped.

Examples:
  sql-agent eval --dataset media/sample.sql-tests.jsonl
  sql-agent eval --dataset dev.json --db-root dev_databases --model coder --every 10
  sql-agent eval --dataset dev.json --db-root database --base-url http://localhost:8000 --model qwen3-8b --resume`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const OPTIONS = {
  dataset: text,
  'db-root': text,
  split: text,
  'open-sealed': text,
  ids: text,
  every: text,
  limit: text,
  provider: text,
  model: text,
  adapter: text,
  'base-url': text,
  script: text,
  samples: text,
  retries: text,
  ...REPAIR_OPTIONS,
  turns: text,
  link: text,
  concurrency: text,
  metric: text,
  'order-policy': text,
  'keep-distinct': flag,
  suite: flag,
  fragile: flag,
  'r-ves': flag,
  'timeout-ms': text,
  results: text,
  out: text,
  resume: flag,
  'keep-errors': flag,
  jsonl: flag,
};

/** How a run is told: events as lines, or progress for people. */
function teller({ out }: VerbContext, isLines: boolean): (event: EvalEvent) => void {
  if (isLines) return (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
  const { stderr } = process;
  const target = {
    isTerminal: stderr.isTTY === true,
    write: (piece: string) => stderr.write(piece),
    line: (line: string) => out.log(line),
  };
  const view = new EvalProgress(target, stderr.columns || out.width, () => performance.now());
  return (event) => view.onEvent(event);
}

function tellPeople({ out, cwd }: VerbContext, args: VerbArgs, result: EvalResult, config: RunConfig): void {
  const results = stringOption(args, 'results');
  const rest = results === undefined ? '' : ` --results ${results}`;
  for (const line of [...summaryLines(result, config, cwd), ...nextLines(result, rest)]) out.line(line);
}

async function evaluate(
  context: VerbContext,
  args: VerbArgs,
  isLines: boolean,
  tell: (event: EvalEvent) => void,
): Promise<ExitCode> {
  const { out } = context;
  const signal = isLines ? untilParentGone(context.signal) : context.signal;
  const prepared = await prepareEval(context, args, tell);
  try {
    const { parts, request } = prepared;
    const result = await runEval(parts, request, tell, signal);
    if (!isLines) tellPeople(context, args, result, configOf(parts.provider.protocol, request));
    const { state, run_id, folder, summary } = result;
    out.json({ status: 'ok', run_id, folder, state, summary });
    return state === 'done' ? EXIT.ok : EXIT.cancelled;
  } finally {
    await prepared.dispose();
  }
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const isLines = args.values['jsonl'] === true;
  if (isLines && context.out.jsonMode) throw new UsageError('--jsonl and --json exclude each other.');
  if (args.positionals.length > 0)
    throw new UsageError(`eval takes options only, not "${args.positionals[0]}": name the dataset with --dataset.`);
  const tell = teller(context, isLines);
  let hasFailed = false;
  try {
    return await evaluate(context, args, isLines, (event) => {
      hasFailed ||= event.type === 'failed';
      tell(event);
    });
  } catch (error) {
    // What fails before the run begins is the last event, too.
    if (!hasFailed) tell({ type: 'failed', error: wireOf(error) });
    throw error;
  }
}

function wireOf(error: unknown): WireError {
  return error instanceof UsageError ? { code: 'usage', message: error.message } : toWireError(error);
}

/** `sql-agent eval`: a model over a dataset. */
export const verb: Verb = {
  name: 'eval',
  summary: 'ask a model every question of a dataset and score the answers',
  help: HELP,
  options: OPTIONS,
  run,
};
