import { count, interval, rate } from '../../protocol/figures.ts';
import type { BinaryMetric } from '../../protocol/score.ts';
import type { RunRow } from './run-row.ts';

/** The day of a time in ISO 8601, UTC. */
function dayOf(time: string): string {
  return time.slice(0, 10);
}

/** "63.4 % (59.2 to 67.4)", with the metric where it is not the usual one; "–" where nothing was measured. */
export function headline({ metric, right, of, low, high }: RunRow): string {
  if (right === null || of === null || low === null || high === null || of === 0) return '–';
  const share = { right, of, low, high };
  const usual: BinaryMetric = 'official_ex';
  return `${rate(share)} (${interval(share)})${metric === usual ? '' : ` ${metric}`}`;
}

/** "dev.json, split held_out (521)": what was asked. */
function dataOf({ dataset, split, items }: RunRow): string {
  return `${dataset}${split === null ? '' : `, split ${split}`} (${count(items)})`;
}

/** "one_shot, linked, 5 samples": how it was asked. */
function howOf({ protocol, link, samples }: RunRow): string {
  return [protocol, link, ...(samples === 1 ? [] : [`${samples} samples`])].join(', ');
}

/** "done", or "stopped at 200 of 521". */
export function stateOf({ state, done, items }: RunRow): string {
  return state === 'done' ? 'done' : `stopped at ${count(done)} of ${count(items)}`;
}

/** Columns of a table of runs, and the cells of a run. `model` names the provider where it is a server's. */
export const RUN_COLUMNS = ['run', 'EX (95 %)', 'state', 'ended', 'dataset', 'model', 'asked'] as const;

/** The cells of a run under `RUN_COLUMNS`. */
export function runCells(row: RunRow): string[] {
  const model = row.provider === 'local' ? row.model : `${row.model} (${row.provider})`;
  return [row.run_id, headline(row), stateOf(row), dayOf(row.time), dataOf(row), model, howOf(row)];
}
