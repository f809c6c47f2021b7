import { resolve } from 'node:path';
import { findRun } from '../core/ledger/find-run.ts';
import { flatTraining } from '../core/ledger/flat-training.ts';
import { count, duration } from '../protocol/figures.ts';
import type { TrainingSummary, TrainLine } from '../protocol/ledger.ts';
import type { Ledger } from '../runtime/store/ledger.ts';
import { outputProblem } from '../runtime/store/ledger-outputs.ts';
import { type Fact, section } from './ledger-show.ts';
import { EXIT, type ExitCode, type Output } from './verb.ts';

/** Columns of `flatTraining` that are told in a section of their own. */
const TOLD_ELSEWHERE = /^(run_id|time|started|state|command|output|loss|eval_loss|best_|steps|tokens|loss_tokens|ms)/;

function resultFacts({ steps, of, loss, eval_loss, best, tokens, loss_tokens, ms }: TrainingSummary): Fact[] {
  const of_best = best === null ? '–' : `${best.loss.toFixed(4)} at step ${count(best.step)}`;
  return [
    ['steps', `${count(steps)} of ${count(of)}`],
    ['loss', loss === null ? '–' : loss.toFixed(4)],
    ['evaluation loss', eval_loss === null ? '–' : eval_loss.toFixed(4)],
    ['best evaluation loss', of_best],
    ['tokens', `${count(tokens)} computed, ${count(loss_tokens)} with a loss`],
    ['time', duration(ms)],
  ];
}

async function fileFacts(ledger: Ledger, { output, prev }: TrainLine): Promise<Fact[]> {
  const before: Fact = ['line before', prev ?? 'none: it is the first'];
  if (output === null) return [['adapter', 'none: the run did not reach its end'], before];
  const problem = await outputProblem(ledger.folder, { output });
  const path = resolve(ledger.folder, output.path);
  return [['adapter', problem === null ? path : `${path} ${problem}`], ['SHA-256', output.sha256], before];
}

/** `ledger show --training`: all of a training run's record. */
export async function showTraining(ledger: Ledger, out: Output, asked: string): Promise<ExitCode> {
  const runs = await ledger.trainings();
  const ids = runs.map(({ line }) => line.run_id);
  const found = runs[ids.indexOf(findRun(asked, ids, ledger.path))];
  if (!found) return EXIT.failed;
  const { line, text } = found;
  out.line(`Training run ${line.run_id}: ${line.state}`);
  section(out, 'When and how', [
    ['started', line.started],
    ['written', line.time],
    ['command', line.command.join(' ')],
  ]);
  section(
    out,
    'Settings',
    Object.entries(flatTraining(line))
      .filter(([name]) => !TOLD_ELSEWHERE.test(name))
      .map(([name, value]): Fact => [name.replaceAll('_', ' '), value === null ? '–' : String(value)]),
  );
  section(out, 'Results', resultFacts(line.summary));
  section(out, 'Record', await fileFacts(ledger, line));
  out.json({ status: 'ok', run: JSON.parse(text) });
  return EXIT.ok;
}
