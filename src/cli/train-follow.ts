import { figure } from '../core/training/words.ts';
import { trainerDied, trainingFailed } from '../runtime/trainer/errors.ts';
import { type Followed, followRun } from '../runtime/trainer/follow.ts';
import type { Launched } from '../runtime/trainer/launch.ts';
import { readTrainerLog } from '../runtime/trainer/run-files.ts';
import { LiveLine } from './live-line.ts';
import { TrainProgress } from './train-progress.ts';
import { runJson } from './train-show.ts';
import { adapterLines } from './train-use.ts';
import { typedPath } from './typed-path.ts';
import { EXIT, type ExitCode, type VerbContext } from './verb.ts';

/** How a run that goes on is followed and stopped. */
export function nextSteps(folder: string, cwd: string): string[] {
  const typed = typedPath(folder, cwd);
  return [`follow it: sql-agent train follow ${typed}`, `stop it:   sql-agent train stop ${typed}`];
}

function progressOf({ out }: VerbContext): TrainProgress {
  const { stderr } = process;
  const target = {
    isTerminal: stderr.isTTY === true,
    write: (piece: string) => stderr.write(piece),
    line: (line: string) => out.log(line),
  };
  return new TrainProgress(new LiveLine(target, stderr.columns || out.width), () => performance.now());
}

/** Whether the trainer goes on: said once, above the command's end. */
function tellDetached({ out, cwd }: VerbContext, { snapshot }: Followed): ExitCode {
  out.line('The run goes on without this terminal.');
  for (const line of nextSteps(snapshot.folder, cwd)) out.line(`  ${line}`);
  out.json({ status: 'detached', ...runJson(snapshot) });
  return EXIT.cancelled;
}

async function tellEnd({ out, cwd }: VerbContext, { snapshot, reader }: Followed): Promise<ExitCode> {
  const { folder, state, message } = snapshot;
  if (state === 'failed') throw trainingFailed(folder, message);
  if (state === 'died') throw trainerDied(folder, await readTrainerLog(folder));
  const best = reader.history.evals.reduce<number | null>((low, { loss }) => Math.min(low ?? loss, loss), null);
  out.line(message);
  if (best !== null) out.line(`Lowest evaluation loss: ${figure(best)}`);
  if (state === 'done') for (const line of adapterLines(snapshot, cwd)) out.line(line);
  else out.line(`Go on with it: sql-agent train resume ${typedPath(folder, cwd)}`);
  out.json({ status: 'ok', ...runJson(snapshot), best });
  return state === 'done' ? EXIT.ok : EXIT.cancelled;
}

/**
 * Follows a run in the terminal until it ends, or until Ctrl-C, which leaves it running.
 * @param launched the trainer that this call started; null: it runs already
 * @throws AppError `training_failed`, `trainer_died`
 */
export async function follow(context: VerbContext, folder: string, launched: Launched | null): Promise<ExitCode> {
  const progress = progressOf(context);
  const { signal } = context;
  const followed = await followRun(folder, launched === null, {
    ...(launched === null ? {} : { ended: launched.ended }),
    signal,
    onPast: (event) => progress.onPast(event),
    onEvent: (event) => progress.onEvent(event),
    onSnapshot: (snapshot) => progress.onSnapshot(snapshot),
  }).finally(() => progress.close());
  return followed.isDetached ? tellDetached(context, followed) : await tellEnd(context, followed);
}
