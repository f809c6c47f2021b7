import { count, duration } from '../../protocol/figures.ts';
import type { TrainLine } from '../../protocol/ledger.ts';

/** Columns of a table of training runs. */
export const TRAINING_COLUMNS = ['run', 'loss', 'best eval', 'state', 'ended', 'data', 'base', 'time'] as const;

function loss(value: number | null): string {
  return value === null ? '–' : value.toFixed(4);
}

function fileName(path: string): string {
  return path.split('/').at(-1) ?? path;
}

/** The cells of a training run under `TRAINING_COLUMNS`. */
export function trainingCells({ run_id, state, time, summary, data, base }: TrainLine): string[] {
  const { steps, of, best, ms } = summary;
  const told = state === 'done' ? 'done' : `${state} at step ${count(steps)} of ${count(of)}`;
  return [
    run_id,
    loss(summary.loss),
    best === null ? '–' : `${loss(best.loss)} (step ${count(best.step)})`,
    told,
    time.slice(0, 10),
    `${fileName(data.train.path)} (${count(data.examples)})`,
    base.name,
    duration(ms),
  ];
}
