import { resolve } from 'node:path';
import { counted, duration, percents } from '../../../src/protocol/figures.ts';
import { MOST_THREADS } from '../../../src/protocol/training.ts';
import { evaluateModel } from '../eval/evaluate-model.ts';
import { findAdapter } from '../export/find-adapter.ts';
import { deviceOption } from './train-options.ts';
import {
  checkpointOption,
  EXIT,
  type ExitCode,
  onlyWord,
  textOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
  wholeOption,
} from './verb.ts';

const HELP = `Usage: sql-agent-trainer eval RUN_DIR --data FILE [--checkpoint N|best] [options]
       sql-agent-trainer eval MODEL --data FILE [--adapter ADAPTER] [options]

Measures how well a model predicts the answers of a data file: the mean loss of their tokens, and how many of them are the
most likely one. Every token is predicted from the right tokens before it; nothing is generated and nothing is learned.

Arguments:
  RUN_DIR          a run directory: its base with its final adapter
  MODEL            a GGUF file or a Hugging Face folder

Options:
  --data FILE      JSONL of {"messages": [...]} or of {"system", "user", "sql"}, also gzipped
  --checkpoint N   the checkpoint of step N of a run directory, or "best"
  --adapter FILE   a PEFT folder or a GGUF adapter for MODEL
  --max-length N   longer examples are left out and counted (default 4096 tokens)
  --device NAME    auto, cpu or cuda
  --threads N      threads of the CPU (default: one a core)
  --json           one JSON object, with the loss of every example

Examples:
  sql-agent-trainer eval runs/first --data dev.jsonl
  sql-agent-trainer eval model.gguf --adapter small.lora.gguf --data dev.jsonl --json`;

/** Base and adapter that a call names. */
async function modelOf(context: VerbContext, args: VerbArgs): Promise<{ base: string; adapter: string | null }> {
  const { cwd } = context;
  const path = resolve(cwd, onlyWord(args, 'eval', 'a run directory or a model'));
  const named = textOption(args, 'adapter');
  const { path: adapter, record } = await findAdapter(path, checkpointOption(args));
  if (record === null) return { base: path, adapter: named === undefined ? null : resolve(cwd, named) };
  if (named !== undefined) throw new UsageError('--adapter goes with a model; a run directory has its own.');
  return { base: record.config.model.base, adapter };
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, cwd, signal } = context;
  const data = textOption(args, 'data');
  if (data === undefined) throw new UsageError('eval needs --data FILE.');
  const maxLength = wholeOption(args, 'max-length', 8, 1_000_000) ?? 4096;
  const threads = wholeOption(args, 'threads', 1, MOST_THREADS) ?? null;
  const device = deviceOption(args) ?? 'auto';
  const model = await modelOf(context, args);
  const request = { ...model, data: resolve(cwd, data), maxLength, packTokens: maxLength, device, threads, signal };
  const found = await evaluateModel(request);
  for (const note of found.notes) out.log(`note: ${note}`);
  const { loss, accuracy, lossTokens, examples, ms } = found;
  out.line(`${found.model.name}${model.adapter === null ? '' : ` with ${model.adapter}`} on ${found.data.path}`);
  out.line(`  loss            ${loss.toFixed(4)} nats a token (perplexity ${Math.exp(loss).toFixed(2)})`);
  out.line(`  token accuracy  ${percents(accuracy)} %`);
  out.line(
    `  measured        ${counted(lossTokens, 'token')} of ${counted(examples.length, 'example')}, ${duration(ms)}`,
  );
  out.json({
    status: 'ok',
    loss,
    accuracy,
    loss_tokens: lossTokens,
    left_out: found.leftOut,
    model: { name: found.model.name, ...found.model.file },
    adapter: model.adapter,
    data: found.data,
    device: found.device,
    ms,
    examples: examples.map((example) => ({ loss: example.loss / example.lossTokens, loss_tokens: example.lossTokens })),
  });
  return EXIT.ok;
}

/** `sql-agent-trainer eval`. */
export const verb: Verb = {
  name: 'eval',
  summary: 'measure loss and token accuracy of a model on a data file',
  help: HELP,
  options: {
    data: { type: 'string' },
    checkpoint: { type: 'string' },
    adapter: { type: 'string' },
    'max-length': { type: 'string' },
    device: { type: 'string' },
    threads: { type: 'string' },
  },
  run,
};
