import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { officialEx } from '../../core/score/official-ex.ts';
import type { Fragility, Pair } from '../../protocol/score.ts';
import type { PerturbedCopies } from './copies.ts';
import type { GoldResults } from './gold-results.ts';
import type { KnownDatabase } from './known-database.ts';
import { runQuery } from './run-query.ts';

/** Copies on which a right answer is tried. */
export const MOST_COPIES = 8;
/** Time of the queries of one pair on all copies, in milliseconds. */
const BUDGET_MS = 200;
/** A query that took so little on the database itself must not take long on a copy. */
const TIMEOUT_MS = 2_000;

export interface FragileParts {
  sandbox: Sandbox;
  golds: GoldResults;
  copies: PerturbedCopies;
}

/**
 * Runs a right answer and its gold on changed copies of their database: an answer that was right by luck stops agreeing.
 * @param ms what gold and prediction took on the database itself
 */
export async function tryOnCopies(
  { sandbox, golds, copies }: FragileParts,
  known: KnownDatabase,
  { gold, pred }: Pair,
  ms: number,
  signal?: CancelSignal,
): Promise<Fragility> {
  const found = { tried: 0, differ: 0 };
  let spent = 0;
  for (let seed = 1; seed <= MOST_COPIES && spent + ms <= BUDGET_MS; seed++) {
    const db = await copies.of(known, seed);
    if (db === null) continue;
    // The copy depends on nothing but the content and the seed; it is the database itself that must stay as it is.
    const copy = { db, state: known.state, content: `${known.content} changed ${seed}` };
    const [goldRan, predRan] = await Promise.all([
      golds.get({ db, known: copy, sql: gold, size: 'usual' }, signal),
      runQuery(sandbox, { db, sql: pred, timeoutMs: TIMEOUT_MS }, signal),
    ]);
    spent += goldRan.ms + predRan.ms;
    if (![goldRan, predRan].every(({ status, truncated }) => status === 'ok' && !truncated)) continue;
    found.tried++;
    if (!officialEx(goldRan.rows, predRan.rows)) found.differ++;
  }
  return found;
}
