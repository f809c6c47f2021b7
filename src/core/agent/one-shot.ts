import { chat, type Steps } from './effects.ts';
import { extractSql } from './extract-sql.ts';
import { oneShotMessages } from './prompts.ts';
import { breakOff, chatRequest, endTurn, newTurn, queryFields, runQuery, type Session } from './session.ts';
import type { Candidate, Decoding } from './setup.ts';

/** Samples that may follow a greedy one without rows, where nobody says how many. */
export const DEFAULT_RETRIES = 3;
const SAMPLE_TEMPERATURE = 0.7;

/** Sample 0 is greedy; sample i has temperature 0.7 and seed i. */
export function decodingOf(sample: number): Decoding {
  return sample === 0 ? { temperature: 0, seed: null } : { temperature: SAMPLE_TEMPERATURE, seed: sample };
}

/** How a turn names its sample; null for the greedy one of a run without a vote. */
export function sampleLabel(sample: number, samples: number): { seed: number; temperature: number } | null {
  if (sample === 0 && samples === 1) return null;
  const { temperature, seed } = decodingOf(sample);
  return { seed: seed ?? 0, temperature };
}

/** One sample of the protocol `one_shot`: prompt, reply, query. */
export function* oneShotSample(session: Session, sample: number): Steps<Candidate> {
  const request = chatRequest(session, oneShotMessages(session.setup), decodingOf(sample));
  const answer = yield* chat(session.turns.length + 1, request);
  const turn = newTurn(session, answer, sampleLabel(sample, session.setup.samples));
  const nothing = { sample, sql: null, result: null, expected: null };
  if (answer.type !== 'reply') return yield* breakOff(session, answer, turn, nothing);
  const sql = extractSql(answer.reply.text);
  if (sql === null) {
    const error = { code: 'no_sql', message: 'The reply holds no SQL.', position: null };
    yield* endTurn(session, { ...turn, error });
    return { ...nothing, stop: 'no_sql', error: null };
  }
  const run = yield* runQuery(session, sql);
  yield* endTurn(session, { ...turn, action: 'query', ...queryFields(sql, run, turn.ms) });
  const stop = run.result.status === 'cancelled' ? 'cancelled' : 'final';
  return { sample, stop, sql, result: run.result, expected: null, error: null };
}

/** True where no further sample can come: the user or the provider ended it. */
export function isBroken({ stop }: Candidate): boolean {
  return stop === 'cancelled' || stop === 'provider_error';
}

function hasRows({ result }: Candidate): boolean {
  return result?.status === 'ok' && result.rows.length > 0;
}

/**
 * The protocol `one_shot` without a vote: the greedy sample and, where it fails or is empty, up to `retries` more at
 * temperature 0.7 with the seeds 1, 2, 3 and so on. The first that runs and has rows wins, else the first that runs,
 * else the first with SQL. A provider that fails on a retry leaves what there was.
 */
export function* oneShotWithRetries(session: Session): Steps<Candidate> {
  const candidates: Candidate[] = [yield* oneShotSample(session, 0)];
  for (let seed = 1; seed <= (session.setup.retries ?? DEFAULT_RETRIES); seed += 1) {
    if (candidates.some(isBroken) || candidates.some(hasRows)) break;
    candidates.push(yield* oneShotSample(session, seed));
  }
  const last = candidates.at(-1);
  const best =
    candidates.find(hasRows) ??
    candidates.find(({ result }) => result?.status === 'ok') ??
    candidates.find(({ sql, stop }) => sql !== null && stop !== 'cancelled') ??
    last;
  if (best === undefined || last === undefined) throw new Error('There is always a greedy sample.');
  return isBroken(last) ? { ...best, stop: last.stop, error: last.error } : best;
}
