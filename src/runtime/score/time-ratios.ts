import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { runQuery } from './run-query.ts';

/** What is timed. */
export interface Timed {
  db: string;
  gold: string;
  pred: string;
  timeoutMs: number;
}

/**
 * Times prediction and gold in turn, as `evaluation_ves.py` of bird-bench/mini_dev does; nothing else should run
 * meanwhile. Each time is that of one query in its process, rows fetched.
 * @returns time of the gold divided by time of the prediction, one a run; a run in which either fails ends it
 */
export async function timeRatios(
  sandbox: Sandbox,
  { db, gold, pred, timeoutMs }: Timed,
  runs: number,
  signal?: CancelSignal,
): Promise<number[]> {
  const ratios: number[] = [];
  for (let run = 0; run < runs; run++) {
    const predRan = await runQuery(sandbox, { db, sql: pred, timeoutMs, size: 'large' }, signal);
    const goldRan = await runQuery(sandbox, { db, sql: gold, timeoutMs, size: 'large' }, signal);
    if (predRan.status !== 'ok' || goldRan.status !== 'ok' || predRan.ms === 0) break;
    ratios.push(goldRan.ms / predRan.ms);
  }
  return ratios;
}
