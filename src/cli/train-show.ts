import { givenFacts, lastPart, trainingFacts } from '../core/training/facts.ts';
import type { TrainingHistory } from '../core/training/history.ts';
import { figure, stateInWords } from '../core/training/words.ts';
import { rate } from '../protocol/figures.ts';
import { type FoundRuns, readRuns, runFoldersIn } from '../runtime/trainer/find-runs.ts';
import { RunReader, type RunSnapshot } from '../runtime/trainer/run-reader.ts';
import { renderTable } from './table.ts';
import { adapterLines } from './train-use.ts';
import { EXIT, type ExitCode, type Output, type VerbContext } from './verb.ts';

/** What `--json` says of a run. */
export function runJson({ folder, state, message, status, run }: RunSnapshot) {
  const { step = 0, of = null, loss = null, eta_s = null } = status ?? {};
  return { folder, run_id: run?.run_id ?? null, state, message, step, of: run?.steps ?? of, loss, eta_s };
}

function cellsOf({ snapshot, changed }: FoundRuns['runs'][number]): (string | null)[] {
  const { folder, state, given, status } = snapshot;
  const step = status === null ? null : `${status.step}${status.of === null ? '' : ` of ${status.of}`}`;
  const loss = status?.loss == null ? null : figure(status.loss);
  const when = new Date(changed).toISOString().slice(0, 16).replace('T', ' ');
  return [lastPart(folder), stateInWords(state), step, loss, lastPart(given.model.base), when];
}

/** `train list`: the runs of a folder, those that changed last first. */
export async function listTrainings(folder: string, out: Output): Promise<ExitCode> {
  const { runs, problems } = await readRuns(await runFoldersIn(folder));
  if (runs.length === 0) out.line(`No training runs in ${folder} yet. "sql-agent train sft" makes one.`);
  else out.line(renderTable(['run', 'state', 'step', 'loss', 'base', 'changed (UTC)'], runs.map(cellsOf), out.width));
  for (const problem of problems) out.log(`note: ${problem}`);
  out.json({ status: 'ok', folder, runs: runs.map(({ snapshot }) => runJson(snapshot)), problems });
  return EXIT.ok;
}

function factLines(snapshot: RunSnapshot, history: TrainingHistory): string[] {
  const { run, status, given } = snapshot;
  const facts =
    run === null
      ? givenFacts({ base: given.model.base, data: given.data.train })
      : trainingFacts(run, history, status?.memory ?? null);
  const width = Math.max(...facts.map(({ name }) => name.length));
  return facts.map(({ name, value }) => `${name.padEnd(width)}  ${value}`);
}

/** `train show RUN`: what a run is, how it stands, its evaluations and checkpoints. */
export async function showTraining(folder: string, { out, cwd }: VerbContext): Promise<ExitCode> {
  const reader = new RunReader(folder);
  const snapshot = await reader.read();
  const { history } = reader;
  const { evals, checkpoints } = history;
  out.line(`${folder}: ${stateInWords(snapshot.state)}. ${snapshot.message}`);
  out.line();
  for (const line of factLines(snapshot, history)) out.line(line);
  if (evals.length > 0) {
    const rows = evals.map(({ step, loss, accuracy, best }) => [
      step,
      figure(loss),
      rate({ right: accuracy, of: 1 }),
      best ? 'best so far' : '',
    ]);
    out.line(`\n${renderTable(['step', 'evaluation loss', 'accuracy', ''], rows, out.width)}`);
  }
  const last = checkpoints.at(-1);
  if (last !== undefined) out.line(`\nLast checkpoint: ${last.path}, after step ${last.step}`);
  if (snapshot.state === 'done') out.line(`\n${adapterLines(snapshot, cwd).join('\n')}`);
  out.json({ status: 'ok', ...runJson(snapshot), run: snapshot.run, evals, checkpoints, notes: history.notes });
  return EXIT.ok;
}
