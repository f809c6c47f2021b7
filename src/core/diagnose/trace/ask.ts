import type { Cell } from '../../../protocol/value.ts';
import type { CancelSignal, Sandbox } from '../../ports.ts';
import { traceCancelled } from './errors.ts';

/** What came of one question: a value, or why there is none. */
export type Answer =
  | { readonly value: Cell; readonly failure: null; readonly broken: false }
  /** `broken`: SQLite refuses the query, so that it would fail again. */
  | { readonly value: null; readonly failure: string; readonly broken: boolean };

export interface Asker {
  readonly sandbox: Sandbox;
  readonly db: string;
  readonly signal: CancelSignal | undefined;
}

/** Scalar subqueries in one query: SQLite takes 2,000 columns, and a text of a million bytes. */
const MOST = 100;

/**
 * Asks many queries of one value each in as few round trips as can be. Where they fail together, each is asked alone, as
 * long as there is time.
 * @param timeoutMs for all of them
 */
export async function askAll(
  asker: Asker,
  queries: readonly string[],
  timeoutMs: number,
): Promise<{ answers: Answer[]; ms: number }> {
  const answers: Answer[] = [];
  let ms = 0;
  for (let start = 0; start < queries.length; start += MOST) {
    const part = queries.slice(start, start + MOST);
    const asked = await askTogether(asker, part, Math.max(1, timeoutMs - ms));
    answers.push(...asked.answers);
    ms += asked.ms;
  }
  return { answers, ms };
}

async function askTogether(asker: Asker, queries: readonly string[], timeoutMs: number) {
  const sql = `SELECT ${queries.map((query) => `(${query})`).join(', ')}`;
  const result = await asker.sandbox.query({ db: asker.db, sql, timeoutMs }, asker.signal);
  if (result.status === 'cancelled') throw traceCancelled();
  const [row] = result.rows;
  if (result.status === 'ok' && row !== undefined)
    return { answers: row.map((value): Answer => ({ value, failure: null, broken: false })), ms: result.ms };
  // Another `timeoutMs` for what was too much at once: the cheap ones are told at least.
  return askOneByOne(asker, queries, timeoutMs, result.ms);
}

async function askOneByOne(asker: Asker, queries: readonly string[], timeoutMs: number, spent: number) {
  const answers: Answer[] = [];
  let left = timeoutMs;
  let ms = spent;
  for (const query of queries) {
    if (left < 1) {
      answers.push({ value: null, failure: 'There was no time left to count it.', broken: false });
      continue;
    }
    const result = await asker.sandbox.query({ db: asker.db, sql: `SELECT (${query})`, timeoutMs: left }, asker.signal);
    if (result.status === 'cancelled') throw traceCancelled();
    ms += result.ms;
    left -= result.ms;
    const value = result.rows[0]?.[0];
    if (result.status === 'ok' && value !== undefined) answers.push({ value, failure: null, broken: false });
    else {
      const broken = result.status === 'error' || result.status === 'rejected';
      const failure = broken ? (result.message ?? result.status) : 'It took too long to count.';
      answers.push({ value: null, failure, broken });
    }
  }
  return { answers, ms };
}
