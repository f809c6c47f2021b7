import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { trainRun } from '../train/train.ts';
import { SETTING_OPTIONS, writeGivenSettings } from './train-options.ts';
import { TrainView } from './train-view.ts';
import { EXIT, type ExitCode, onlyWord, type Verb, type VerbArgs, type VerbContext } from './verb.ts';

const Words = z.array(z.string()).check(z.minLength(1));

const HELP = `Usage: sql-agent-trainer train RUN_DIR [--resume]
       sql-agent-trainer train RUN_DIR --base MODEL --data FILE [options]

Trains a LoRA adapter in a run directory, by the settings in its config.json: from the beginning, or from the last
checkpoint where there is one. Ctrl-C, SIGTERM and a file "stop" in RUN_DIR/control write a checkpoint and end; started
again, the run goes on bit for bit. At the end RUN_DIR has the adapter as a PEFT folder and as a GGUF file.

Arguments:
  RUN_DIR          the run directory

Options:
  --resume         fail where there is no checkpoint to go on from
  --json           every event as a JSON line, as in events.jsonl; the last one is of the kind "end", or an error

Options that write config.json of a new run; all else has defaults that suit the size of the model:
  --base MODEL     a GGUF file or a Hugging Face folder
  --data FILE      JSONL of {"messages": [...]} or of {"system", "user", "sql"}, also gzipped
  --eval-data FILE measured and never trained on (default: a part of the data is set apart)
  --adapter FILE   the adapter to go on from
  --epochs X       passes over the data
  --steps N        most optimiser steps
  --lr X           highest learning rate
  --r N            rank of the adapter; alpha is twice that
  --seed N         seed of the order of the data and of the fresh adapter
  --device NAME    auto, cpu or cuda
  --threads N      threads of the CPU (default: one a core)
  --results DIR    write the run into the ledger of this folder

Exit codes: 0 trained to the end, 1 failed, 2 wrong usage, 130 stopped before the end.

Examples:
  sql-agent-trainer train runs/first --base model.gguf --data pairs.jsonl
  sql-agent-trainer train runs/first --resume
  touch runs/first/control/stop`;

/** The words that the run was asked for with: those of whoever started this process where it tells them, else its own. */
function commandOf(env: NodeJS.ProcessEnv): string[] {
  const own = ['sql-agent-trainer', ...process.argv.slice(2)];
  try {
    return Words.parse(JSON.parse(env['SQL_AGENT_TRAIN_COMMAND'] ?? ''));
  } catch {
    return own;
  }
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, cwd, env, signal } = context;
  const folder = resolve(cwd, onlyWord(args, 'train', 'a run directory'));
  await writeGivenSettings(folder, args, context);
  const view = new TrainView((text) => out.line(text));
  const outcome = await trainRun(folder, {
    resume: args.values['resume'] === true,
    command: commandOf(env),
    cwd,
    signal,
    onEvent: (event) => {
      view.take(event);
      out.json(event);
    },
  });
  return outcome.state === 'done' ? EXIT.ok : EXIT.cancelled;
}

/** `sql-agent-trainer train`. */
export const verb: Verb = {
  name: 'train',
  summary: 'train an adapter in a run directory, or go on with it',
  help: HELP,
  options: { resume: { type: 'boolean' }, ...SETTING_OPTIONS },
  run,
};
