import { join, resolve } from 'node:path';
import { runName } from '../../core/training/run-name.ts';
import { localModelNamed } from '../../runtime/model/manifest.ts';
import { storageFolder } from '../../runtime/paths.ts';
import { askTrainer, type Wish } from '../../runtime/trainer/control.ts';
import { findRunFolder, RUNS_FOLDER } from '../../runtime/trainer/find-runs.ts';
import { type Launched, type LaunchedBy, launchTrainer, makeRunFolder } from '../../runtime/trainer/launch.ts';
import { resumeTraining } from '../../runtime/trainer/resume.ts';
import { type TrainingChoices, trainingSettings } from '../../runtime/trainer/settings.ts';
import { follow, nextSteps } from '../train-follow.ts';
import { choicesOf, SFT_OPTIONS } from '../train-options.ts';
import { listTrainings, showTraining } from '../train-show.ts';
import { typedPath } from '../typed-path.ts';
import { EXIT, type ExitCode, fileOption, UsageError, type Verb, type VerbArgs, type VerbContext } from '../verb.ts';

const HELP = `Usage: sql-agent train sft --base B --data F [--out DIR] [options]
       sql-agent train list
       sql-agent train show|follow|stop|checkpoint|resume RUN

Fine-tunes a model on this machine, without Python: a LoRA adapter for a base model, on question-SQL pairs or chats. The
trainer runs in a process of its own and outlives this terminal; Ctrl-C leaves it running.

What is trained:
  --base B             small or coder (the local models, without the adapters that they come with), a GGUF file, or a
                       Hugging Face folder
  --data F             JSON lines of {"messages": […]} or {"system", "user", "sql"}, also as .gz; "sql-agent dataset
                       pairs" makes it of questions and their SQL
  --eval-data F        measured and never trained on (default: a part of the data is set apart)
  --adapter A          go on from this adapter: small or coder (those that come with them), a PEFT folder or a GGUF file
  --out DIR            folder of the run, new or empty (default: a new one in ${RUNS_FOLDER})

How (defaults suit the size of the model):
  --r N --alpha N      rank and alpha of the adapter (alpha alone left out: twice r)
  --lr X               highest learning rate
  --epochs N           passes over the data, also parts of one
  --steps N            at most N steps
  --batch N            examples of one step
  --pack N             tokens computed at once
  --max-length N       examples with more tokens are left out
  --no-share-prefixes  compute the schema anew for each example
  --device D           auto (default), cpu or cuda
  --threads N          threads of the CPU (default: one a core)
  --eval-every N, --checkpoint-every N
                       steps between two evaluations, and two checkpoints (default: 50; both also at the end)
  --seed N             of the order of the data and of the adapter's first values

The run:
  --results DIR        folder of the ledger that the run is written into (default: SQL_AGENT_RESULTS, else results)
  --detach             start it and do not follow it
  --json               one JSON object at the end

Actions:
  list                 the runs of ${RUNS_FOLDER}, those that changed last first
  show RUN             what a run is and how it stands
  follow RUN           its progress, until it ends; Ctrl-C leaves it running
  stop RUN             save the steps that are done, and end
  checkpoint RUN       save after the step that it is in, and go on
  resume RUN           go on from the last checkpoint (with --detach: without following it)

RUN is the folder of a run, its name in ${RUNS_FOLDER}, or latest. Exit code 0 where the run is done, 1 where it failed, 130
where it was stopped or goes on.

Examples:
  sql-agent dataset pairs questions.json --out pairs.jsonl
  sql-agent train sft --base small --adapter small --lr 3e-4 --data pairs.jsonl --out ${RUNS_FOLDER}/first
  sql-agent train sft --base ./Qwen3-1.7B --data pairs.jsonl.gz --eval-data dev.jsonl --r 32 --detach
  sql-agent train follow latest`;

/** A folder for a run that was given none. */
function defaultFolder(cwd: string, { base, data }: TrainingChoices): string {
  return join(cwd, RUNS_FOLDER, runName(base, data, new Date().toISOString()));
}

/** Says what was started, and follows it unless it shall not be. */
async function afterStart(context: VerbContext, args: VerbArgs, launched: Launched): Promise<ExitCode> {
  const { out, cwd } = context;
  const { folder, pid } = launched;
  out.log(`training in ${typedPath(folder, cwd)}, process ${pid}`);
  if (args.values['detach'] !== true) return await follow(context, folder, launched);
  for (const line of nextSteps(folder, cwd)) out.line(line);
  out.json({ status: 'ok', folder, pid });
  return EXIT.ok;
}

/** This call, for the record of the run that it starts. */
function calledBy({ cwd }: VerbContext): LaunchedBy {
  return { cwd, command: ['sql-agent', ...process.argv.slice(2)] };
}

/** Says of a fresh adapter on a local model what it begins without. */
function noteFresh({ out }: VerbContext, { base, adapter }: TrainingChoices): void {
  const name = localModelNamed(base);
  if (name === undefined || adapter !== undefined) return;
  out.log(
    `note: a fresh adapter begins without what that of "${name}" has learned of SQL, and needs thousands of examples to do as well. With fewer, go on from it: --adapter ${name}, at a third of the default rate or less.`,
  );
}

async function sft(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const { out, env, cwd, signal } = context;
  const choices = choicesOf(context, args);
  const onStep = (text: string) => out.log(text);
  const settings = await trainingSettings(choices, storageFolder(env), cwd, { signal, onStep });
  const folder = resolve(cwd, fileOption(args, 'out') ?? defaultFolder(cwd, choices));
  await makeRunFolder(folder, settings);
  noteFresh(context, choices);
  return await afterStart(context, args, await launchTrainer(folder, { by: calledBy(context) }));
}

async function wish({ out, cwd }: VerbContext, folder: string, what: Wish): Promise<ExitCode> {
  await askTrainer(folder, what);
  const text = what === 'stop' ? 'saves the steps that are done and ends' : 'saves after the step that it is in';
  out.line(`The trainer of ${typedPath(folder, cwd)} ${text}.`);
  out.json({ status: 'ok', folder });
  return EXIT.ok;
}

const ACTIONS = ['show', 'follow', 'resume', 'stop', 'checkpoint'] as const;
type Action = (typeof ACTIONS)[number];

async function onRun(context: VerbContext, args: VerbArgs, action: Action, word: string): Promise<ExitCode> {
  const folder = await findRunFolder(word, join(context.cwd, RUNS_FOLDER), context.cwd);
  switch (action) {
    case 'show':
      return await showTraining(folder, context);
    case 'follow':
      return await follow(context, folder, null);
    case 'resume':
      return await afterStart(context, args, await resumeTraining(folder, { by: calledBy(context) }));
    case 'stop':
    case 'checkpoint':
      return await wish(context, folder, action);
  }
}

/** Options that go with another action than the one called. */
function needNoOptions(args: VerbArgs, action: string): void {
  const allowed = action === 'resume' ? ['detach'] : [];
  const stray = Object.keys(SFT_OPTIONS).find((name) => args.values[name] !== undefined && !allowed.includes(name));
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with "train ${action}".`);
}

async function runVerb(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [word, run, ...rest] = args.positionals;
  const known = 'sft, list, show, follow, stop, checkpoint or resume';
  if (word === undefined) throw new UsageError(`train needs an action: ${known}.`);
  if (word === 'sft' || word === 'list') {
    if (run !== undefined) throw new UsageError(`train ${word} takes options only, not "${run}".`);
    if (word === 'sft') return await sft(context, args);
    needNoOptions(args, word);
    return await listTrainings(join(context.cwd, RUNS_FOLDER), context.out);
  }
  const action = ACTIONS.find((candidate) => candidate === word);
  if (action === undefined) throw new UsageError(`train has no action "${word}"; give ${known}.`);
  needNoOptions(args, action);
  if (run === undefined) throw new UsageError(`train ${action} needs a run: its folder, its name or latest.`);
  if (rest.length > 0) throw new UsageError(`train ${action} takes one run; "${rest.join(' ')}" is too much.`);
  return await onRun(context, args, action, run);
}

/** `sql-agent train`: fine-tuning runs. */
export const verb: Verb = {
  name: 'train',
  summary: 'fine-tune a local model, and follow, stop or resume a training run',
  help: HELP,
  options: SFT_OPTIONS,
  run: runVerb,
};
