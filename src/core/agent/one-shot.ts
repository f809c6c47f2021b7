import type { Turn } from '../../protocol/ask.ts';
import type { ChatMessage } from '../ports.ts';
import { chat, type QueryInput, type Steps } from './effects.ts';
import { extractSql } from './extract-sql.ts';
import { oneShotMessages, repairMessages } from './prompts.ts';
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
  const { temperature, seed } = decodingOf(sample);
  return sample === 0 && samples === 1 ? null : { seed: seed ?? 0, temperature };
}

/** One sample of the protocol `one_shot`: prompt, reply, query. */
export function oneShotSample(session: Session, sample: number): Steps<Candidate> {
  const label = sampleLabel(sample, session.setup.samples);
  return answerTo(session, oneShotMessages(session.setup), sample, decodingOf(sample), { sample: label });
}

/** One more answer to a query that failed, greedy: the model is shown what came of it. */
function repair(session: Session, sql: string, failed: QueryInput, sample: number): Steps<Candidate> {
  const messages = repairMessages(session.setup, sql, failed);
  return answerTo(session, messages, sample, decodingOf(0), { sample: null, repairs: true });
}

function* answerTo(
  session: Session,
  messages: readonly ChatMessage[],
  sample: number,
  decoding: Decoding,
  label: Pick<Turn, 'sample' | 'repairs'>,
): Steps<Candidate> {
  const answer = yield* chat(session.turns.length + 1, chatRequest(session, messages, decoding));
  const turn = newTurn(session, answer, label);
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

/** The failed query of the greedy sample, where the model is to repair it. */
function toRepair({ setup, results }: Session, { sql, result }: Candidate): { sql: string; failed: QueryInput } | null {
  const failed = sql === null || result?.status !== 'error' ? undefined : results.get(sql);
  return setup.repair === true && sql !== null && failed !== undefined ? { sql, failed } : null;
}

/**
 * The protocol `one_shot` without a vote: the greedy sample and, where it fails or is empty, up to `retries` more at
 * temperature 0.7 with the seeds 1, 2, 3 and so on. With `repair` the first of them is a greedy one that is shown the
 * error of the first answer. The first that runs and has rows wins, else the first that runs, else the first with SQL. A
 * provider that fails on a retry leaves what there was.
 */
export function* oneShotWithRetries(session: Session): Steps<Candidate> {
  const greedy = yield* oneShotSample(session, 0);
  const candidates: Candidate[] = [greedy];
  const back = toRepair(session, greedy);
  for (let sample = 1; sample <= (session.setup.retries ?? DEFAULT_RETRIES); sample += 1) {
    if (candidates.some(isBroken) || candidates.some(hasRows)) break;
    const isRepair = sample === 1 && back !== null;
    candidates.push(yield* isRepair ? repair(session, back.sql, back.failed, sample) : oneShotSample(session, sample));
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
