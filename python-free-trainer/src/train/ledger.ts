import type { TrainLine } from '../../../src/protocol/ledger.ts';
import type { HashedFile, TrainingRun } from '../../../src/protocol/training.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import type { Progress } from './progress.ts';

/** What the ledger is told of a run beside its record. */
export interface Ended {
  state: TrainLine['state'];
  progress: Progress;
  /** The adapter; null where the run did not reach its end. */
  output: HashedFile | null;
}

/**
 * Writes a run's line of the ledger, where its settings name one.
 * @param git where the run was started; null: no repository
 * @param onNote told what an append repaired
 * @throws AppError `disk_full`, `ledger_unwritable`, `ledger_busy` …
 */
export async function recordRun(
  { config, config_hash, run_id, started, command, machine, base, data, steps }: TrainingRun,
  { state, progress, output }: Ended,
  git: TrainLine['git'],
  onNote: (text: string) => void,
): Promise<void> {
  if (config.results === null) return;
  const { program, node, platform, cpus, device } = machine;
  const { name, architecture, parameters, file, trained_parameters } = base;
  const { step, loss, evaluated, best, totals } = progress;
  await new Ledger(config.results, null, { onNote }).append({
    kind: 'train',
    run_id,
    started,
    state,
    command,
    git,
    machine: { program, node, platform, cpus, device },
    config,
    config_hash,
    base: { name, architecture, parameters, file },
    trained_parameters,
    data: { train: data.train, eval: data.eval, examples: data.examples, held_out: data.held_out },
    summary: { steps: step, of: steps, loss, eval_loss: evaluated?.loss ?? null, best, ...totals },
    output,
  });
}

/** Commit and state of the repository in which a run is started. @param results folder of the ledger; null: none */
export async function gitOf(results: string | null, cwd: string): Promise<TrainLine['git']> {
  return results === null ? null : await new Ledger(results).git(cwd);
}
