import { resolve } from 'node:path';
import { DEFAULT_RETRIES } from '../../core/agent/one-shot.ts';
import type { AskEvent, AskResult, Previous } from '../../protocol/ask.ts';
import { LinkMode } from '../../protocol/catalog.ts';
import { ask } from '../../runtime/ask.ts';
import type { AskRequest } from '../../runtime/ask-request.ts';
import { openEngine } from '../../runtime/engine.ts';
import { storageFolder } from '../../runtime/paths.ts';
import { compareWithGold } from '../ask-gold.ts';
import { providerOf } from '../ask-provider.ts';
import { AskView } from '../ask-view.ts';
import { REPAIR_OPTIONS, repairOption } from '../repair-option.ts';
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

const HELP = `Usage: sql-agent ask DB "question" [options]

Asks a question in words: a model writes SQL, the SQL runs read-only, and you see every turn, the query, its rows and two
hints about them. Without options a model on this machine answers.

Arguments:
  DB                   a SQLite file
  "question"           in plain English

Options:
  --evidence T         a hint that goes with the question, e.g. what a code in a column means
  --provider P         local (default), openai (any OpenAI-compatible server) or scripted
  --model NAME         local: small or coder (default: coder once it is pulled); openai: a model of the server
  --adapter FILE       local: another LoRA adapter (GGUF), e.g. of "sql-agent train", for the model named by --model
  --base-url U         address of the server, with or without /v1 (default: OPENAI_BASE_URL)
  --script FILE        replies of the scripted provider, as JSON
  --samples N          ask N times and let the results vote (1 to 64, default 1)
  --retries N          protocol one_shot: ask so many times more after an error or an empty result (0 to 16, default 3)
  --repair             the first retry after an error shows it to the model; the default for "small" and for adapters
                       whose training data held such repairs ("dataset pairs --repairs"); not for others
  --no-repair          each retry asks anew
  --turns N            messages of the model in the protocol "turns" (1 to 20, default 4)
  --link M             tables in the prompt: full, linked, oracle (needs --gold) or auto (default)
  --gold SQL           the correct query: says whether the answer has the same rows
  --previous Q, --previous-sql SQL
                       the last question and its query, where this one follows on from it
  --timeout-ms N       time limit of a query in milliseconds (default 30000)
  --max-rows N         most rows to return (default 1000)
  --transcript FILE    where to record every step (default: the storage folder)
  --json               one JSON object: sql, status, columns, rows, truncated, protocol, turns, linked, signals, model,
                       stop, ms; also code, message, position, question, evidence, vote, notes, gold

The key of a server is read from SQL_AGENT_API_KEY or OPENAI_API_KEY. Exit code 0 where the query ran.

Examples:
  sql-agent ask chinook.sqlite "Which 5 artists have the most albums?"
  sql-agent ask chinook.sqlite "How many tracks are there per genre?" --samples 5
  sql-agent ask shop.sqlite "Who bought most?" --model small --adapter training-runs/first/adapter.gguf
  sql-agent ask shop.sqlite "Who bought most?" --base-url http://localhost:8000 --model qwen3-8b`;

const text = { type: 'string' } as const;
const OPTIONS = {
  evidence: text,
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
  gold: text,
  previous: text,
  'previous-sql': text,
  'timeout-ms': text,
  'max-rows': text,
  transcript: text,
};

function previousOf(args: VerbArgs): Previous | null {
  const question = stringOption(args, 'previous');
  const sql = stringOption(args, 'previous-sql');
  if (question === undefined && sql === undefined) return null;
  if (question === undefined || sql === undefined)
    throw new UsageError('--previous and --previous-sql go together: the last question and its query.');
  return { question, sql };
}

function requestOf({ cwd }: VerbContext, args: VerbArgs): AskRequest {
  const [db, question, ...rest] = args.positionals;
  if (db === undefined || question === undefined || rest.length > 0)
    throw new UsageError('ask takes a database and one question: sql-agent ask DB "question".');
  if (question.trim() === '') throw new UsageError('The question is empty.');
  const transcript = fileOption(args, 'transcript');
  return {
    db: resolve(cwd, fileWord(db, 'The name of the database')),
    question,
    evidence: stringOption(args, 'evidence') ?? '',
    previous: previousOf(args),
    samples: integerOption(args, 'samples', 1, 64) ?? 1,
    retries: integerOption(args, 'retries', 0, 16) ?? DEFAULT_RETRIES,
    repair: repairOption(args),
    turns: integerOption(args, 'turns', 1, 20) ?? 4,
    link: choiceOption(args, 'link', LinkMode.options) ?? 'auto',
    gold: stringOption(args, 'gold') ?? null,
    timeoutMs: integerOption(args, 'timeout-ms', 1, 86_400_000) ?? 30_000,
    maxRows: integerOption(args, 'max-rows', 1, 10_000_000) ?? 1_000,
    ...(transcript === undefined ? {} : { transcript: resolve(cwd, transcript) }),
  };
}

function exitCode({ status, stop }: AskResult): ExitCode {
  if (stop === 'cancelled') return EXIT.cancelled;
  return status === 'ok' && stop !== 'provider_error' ? EXIT.ok : EXIT.failed;
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, env, signal } = context;
  const request = requestOf(context, args);
  const storage = storageFolder(env);
  const provider = await providerOf(context, args, storage);
  const engine = await openEngine({ storage, children: 2 });
  try {
    const view = new AskView(out);
    const onEvent = (event: AskEvent) => view.onEvent(event);
    const result = await ask(engine, provider, request, onEvent, signal);
    const { gold, timeoutMs, db } = request;
    const compared =
      gold === null ? null : await compareWithGold(engine.sandbox, db, gold, result, { timeoutMs, signal });
    out.json(compared === null ? result : { ...result, gold: compared });
    if (!out.jsonMode) view.result(result, compared);
    return exitCode(result);
  } finally {
    await Promise.all([provider.dispose(), engine.dispose()]);
  }
}

/** `sql-agent ask`: a question in words. */
export const verb: Verb = {
  name: 'ask',
  summary: 'ask a database a question in words',
  help: HELP,
  options: OPTIONS,
  run,
};
