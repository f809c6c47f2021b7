import { resolve } from 'node:path';
import type { Provider } from '../../core/ports.ts';
import type { EvalEvent } from '../../protocol/eval.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import { openEngine } from '../../runtime/engine.ts';
import { chooseItems } from '../../runtime/evals/choose-items.ts';
import { locateDatabases } from '../../runtime/evals/databases.ts';
import type { EvalRequest } from '../../runtime/evals/eval-request.ts';
import { loadDataset } from '../../runtime/evals/load-dataset.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { type EvalResult, runEval } from '../../runtime/evals/run-eval.ts';
import { storageFolder } from '../../runtime/paths.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { providerOf } from '../ask-provider.ts';
import { childrenFor, choiceOf, modelOf, settingsOf } from '../eval-options.ts';
import { EvalProgress } from '../eval-progress.ts';
import { nextLines, summaryLines } from '../eval-summary.ts';
import { untilParentGone } from '../parent-gone.ts';
import {
  EXIT,
  type ExitCode,
  fileOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent eval --dataset FILE --db-root DIR [options]

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
  const view = new EvalProgress(target, stderr.columns ?? out.width, () => performance.now());
  return (event) => view.onEvent(event);
}

interface Prepared {
  request: EvalRequest;
  notes: string[];
}

async function prepare(
  context: VerbContext,
  args: VerbArgs,
  provider: Provider,
  storage: string,
  ledger: Ledger,
): Promise<Prepared> {
  const { cwd } = context;
  const path = fileOption(args, 'dataset');
  if (path === undefined) throw new UsageError('eval needs a dataset: --dataset FILE.');
  const choice = await choiceOf(context, args);
  const root = fileOption(args, 'db-root');
  const dataset = await loadDataset(resolve(cwd, path));
  const settings = settingsOf(context, args, dataset.format, provider.model.provider);
  const model = await modelOf(context, args, provider, storage);
  const command = process.argv.slice(2);
  const chosen = await chooseItems(dataset, choice, ledger, ['sql-agent', ...command]);
  const databases = root === undefined ? null : resolve(cwd, root);
  const located = await locateDatabases(chosen.items, { dataset, root: databases, suite: settings.score.suite });
  const items = chosen.items.filter((item) => located.pathsOf(item).length > 0);
  const missing = located.absent.map(({ name, items: count, lookedFor: [first] }) => {
    const where = first === undefined ? 'name their folder with --db-root' : `it was looked for at ${first}`;
    return `The database ${name} is missing (${where}); its ${count} ${count === 1 ? 'item is' : 'items are'} left out.`;
  });
  const { pathsOf } = located;
  return {
    request: {
      dataset,
      items,
      split: chosen.split,
      pathsOf,
      databases,
      model,
      command: ['sql-agent', ...command],
      cwd,
      ...settings,
    },
    notes: [...chosen.notes, ...missing],
  };
}

function tellPeople({ out, cwd }: VerbContext, args: VerbArgs, result: EvalResult, config: RunConfig | null): void {
  const results = stringOption(args, 'results');
  const rest = results === undefined ? '' : ` --results ${results}`;
  if (config === null) return;
  for (const line of [...summaryLines(result, config, cwd), ...nextLines(result, rest)]) out.line(line);
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, env, cwd } = context;
  const isLines = args.values['jsonl'] === true;
  if (isLines && out.jsonMode) throw new UsageError('--jsonl and --json exclude each other.');
  if (args.positionals.length > 0)
    throw new UsageError(`eval takes options only, not "${args.positionals[0]}": name the dataset with --dataset.`);
  const signal = isLines ? untilParentGone(context.signal) : context.signal;
  const storage = storageFolder(env);
  const provider = await providerOf(context, args, storage);
  try {
    const tell = teller(context, isLines);
    const settingsConcurrency = settingsOf(context, args, 'jsonl', provider.model.provider).concurrency;
    const engine = await openEngine({ storage, children: childrenFor(settingsConcurrency) });
    try {
      const ledger = new Ledger(resultsFolder(fileOption(args, 'results'), env, cwd), engine.store, {
        onNote: (note) => tell({ type: 'note', text: note }),
      });
      const { request, notes } = await prepare(context, args, provider, storage, ledger);
      for (const note of notes) tell({ type: 'note', text: note });
      let config: RunConfig | null = null;
      const onEvent = (event: EvalEvent) => {
        if (event.type === 'started') config = event.config;
        tell(event);
      };
      const result = await runEval({ engine, provider, ledger }, request, onEvent, signal);
      if (!isLines) tellPeople(context, args, result, config);
      const { state, run_id, folder, summary } = result;
      out.json({ status: 'ok', run_id, folder, state, summary });
      return state === 'done' ? EXIT.ok : EXIT.cancelled;
    } finally {
      await engine.dispose();
    }
  } finally {
    await provider.dispose();
  }
}

/** `sql-agent eval`: a model over a dataset. */
export const verb: Verb = {
  name: 'eval',
  summary: 'ask a model every question of a dataset and score the answers',
  help: HELP,
  options: OPTIONS,
  run,
};
