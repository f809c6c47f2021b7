import type { ExpectedShape, Signals, Turn } from '../../protocol/ask.ts';
import type { ChatMessage } from '../ports.ts';
import { quoteIdentifier } from '../schema/identifiers.ts';
import { signalsOf } from '../signals/signals.ts';
import { chat, lookUpTables, type QueryInput, type Steps, tell } from './effects.ts';
import { stripThinking } from './extract-sql.ts';
import { concerns, queryObservation, rowLines, tableObservation } from './observations.ts';
import { decodingOf, sampleLabel } from './one-shot.ts';
import { type Action, parseReply } from './parse-action.ts';
import { budgetLine, turnsMessages } from './prompts.ts';
import { breakOff, chatRequest, endTurn, newTurn, queryFields, runQuery, type Session } from './session.ts';
import type { Candidate } from './setup.ts';

const SAMPLE_ROWS = 3;
const HISTORY_CHARACTERS = 4000;

/** What one sample of the loop has come to so far. */
interface Loop {
  sample: number;
  /** The answer if the loop ended now: the last query with rows, else the last that ran, else the last. */
  best: { sql: string; result: QueryInput['result'] } | null;
  expected: ExpectedShape | null;
  /** What the model was told to be odd, by query. */
  told: Set<string>;
  /** True where a final answer was sent back once. */
  sentBack: boolean;
}

/** What a turn came to: fields of the turn, and the stop reason where it ends the loop. */
interface Outcome {
  fields: Partial<Turn>;
  stop: 'final' | 'cancelled' | null;
}

function rank(result: QueryInput['result']): number {
  if (result.status !== 'ok') return 0;
  return result.rows.length === 0 ? 1 : 2;
}

function keepBest(loop: Loop, sql: string, result: QueryInput['result']): void {
  if (loop.best === null || rank(result) >= rank(loop.best.result)) loop.best = { sql, result };
}

/** What is odd about a result and was not said of this query before. It counts as said from now on. */
function freshConcerns(loop: Loop, sql: string, signals: Signals): string[] {
  const fresh = concerns(signals).filter((concern) => !loop.told.has(`${sql}\n${concern}`));
  for (const concern of fresh) loop.told.add(`${sql}\n${concern}`);
  return fresh;
}

/** Puts tables that were left out among the kept ones and tells it. */
function* keepTables(session: Session, names: readonly string[]): Steps<void> {
  const added = session.linked.left.filter((name) => names.includes(name));
  if (added.length === 0) return;
  const left = session.linked.left.filter((name) => !added.includes(name));
  session.linked = { ...session.linked, kept: [...session.linked.kept, ...added], left };
  yield* tell({ type: 'linked', linked: session.linked });
}

function* showTables(session: Session, action: Extract<Action, { tables: string[] }>, turn: Turn): Steps<Outcome> {
  const answers = yield* lookUpTables(action.tables);
  const names = answers.flatMap(({ found }) => found?.name ?? []);
  const parts: string[] = [];
  let ms = turn.ms;
  for (const answer of answers) {
    parts.push(tableObservation(answer));
    if (action.type === 'add_table' || answer.found === null) continue;
    const run = yield* runQuery(session, `SELECT * FROM ${quoteIdentifier(answer.found.name)} LIMIT ${SAMPLE_ROWS}`);
    ms += run.ms;
    if (run.result.status === 'cancelled')
      return { fields: { action: action.type, tables: names, ms }, stop: 'cancelled' };
    parts.push(run.result.status === 'ok' && run.result.rows.length === 0 ? 'The table is empty.' : sampleText(run));
  }
  yield* keepTables(session, names);
  return { fields: { action: action.type, tables: names, observation: parts.join('\n'), ms }, stop: null };
}

function sampleText({ result, hints }: QueryInput): string {
  return result.status === 'ok' ? ['First rows:', ...rowLines(result)].join('\n') : queryObservation(result, hints);
}

const DONE = 'If this answers the question, reply with the action "final" and this query.';
const REPEATED = 'You have run this query before.';

/** What a model may do after a query: small ones run the same one again and again. */
function nextStep(result: QueryInput['result'], isRepeated: boolean): string[] {
  if (rank(result) === 2) return [isRepeated ? `${REPEATED} ${DONE}` : DONE];
  return isRepeated ? [`${REPEATED} Change it.`] : [];
}

function* runAction(
  session: Session,
  loop: Loop,
  action: { sql: string; expected: ExpectedShape | null },
  turn: Turn,
): Steps<Outcome> {
  const { sql, expected } = action;
  loop.expected = expected ?? loop.expected;
  const isRepeated = session.results.has(sql);
  const run = yield* runQuery(session, sql);
  const fields: Partial<Turn> = { action: 'query', ...queryFields(sql, run, turn.ms) };
  if (run.result.status === 'cancelled') return { fields, stop: 'cancelled' };
  keepBest(loop, sql, run.result);
  const odd = freshConcerns(loop, sql, signalsOf(expected, run.result));
  const hint = nextStep(run.result, isRepeated);
  const observation = [queryObservation(run.result, run.hints), ...odd, ...hint].join('\n');
  return { fields: { ...fields, observation }, stop: null };
}

const FIX = 'Correct the query and give your final answer again.';
const THINK = 'Is that what the question asks for? If it is, give the same final answer again; if not, a better one.';

/** A final answer: run, and sent back once where it fails or where something about its result is odd. */
function* finish(
  session: Session,
  loop: Loop,
  action: Extract<Action, { type: 'final' }>,
  turn: Turn,
  last: boolean,
): Steps<Outcome> {
  const sql = action.sql ?? loop.best?.sql ?? null;
  if (sql === null) return { fields: { observation: 'The action "final" needs its "sql".' }, stop: null };
  loop.expected = action.expected ?? loop.expected;
  const run = yield* runQuery(session, sql);
  const fields: Partial<Turn> = { action: 'final', ...queryFields(sql, run, turn.ms) };
  if (run.result.status === 'cancelled') return { fields, stop: 'cancelled' };
  if (!last && run.result.status !== 'ok') {
    keepBest(loop, sql, run.result);
    return { fields: { ...fields, observation: `${queryObservation(run.result, run.hints)}\n${FIX}` }, stop: null };
  }
  const odd = freshConcerns(loop, sql, signalsOf(loop.expected, run.result));
  const answered = last || odd.length === 0 || loop.sentBack;
  loop.best = { sql, result: run.result };
  if (answered) return { fields, stop: 'final' };
  loop.sentBack = true;
  return {
    fields: { ...fields, observation: [queryObservation(run.result, run.hints), ...odd, THINK].join('\n') },
    stop: null,
  };
}

const FORMAT = 'Reply with one JSON object, for example {"action": "query", "sql": "SELECT …"}.';

function* act(session: Session, loop: Loop, action: Action, turn: Turn, last: boolean): Steps<Outcome> {
  switch (action.type) {
    case 'inspect':
    case 'add_table':
      return yield* showTables(session, action, turn);
    case 'query':
      return yield* runAction(session, loop, action, turn);
    case 'final':
      return yield* finish(session, loop, action, turn, last);
    case 'invalid':
      return { fields: { observation: `${action.reason} ${FORMAT}` }, stop: null };
  }
}

function candidate(loop: Loop, stop: Candidate['stop']): Candidate {
  const { sample, best, expected } = loop;
  return { sample, stop, sql: best?.sql ?? null, result: best?.result ?? null, expected, error: null };
}

const ONE_ACTION = 'Only the first action of your reply was taken.';

/**
 * One sample of the protocol `turns`. Ends with the model's final answer; without one after the last turn, with the best
 * query it ran (stop `budget`), or with none (`no_sql`). A query on the last turn is run and counts among those.
 */
export function* turnsSample(session: Session, sample: number): Steps<Candidate> {
  const { setup } = session;
  const messages: ChatMessage[] = turnsMessages(setup);
  const loop: Loop = { sample, best: null, expected: null, told: new Set(), sentBack: false };
  for (let left = setup.turns; left > 0; left -= 1) {
    const answer = yield* chat(session.turns.length + 1, chatRequest(session, messages, decodingOf(sample)));
    const turn = newTurn(session, answer, { sample: sampleLabel(sample, setup.samples) });
    if (answer.type !== 'reply') return yield* breakOff(session, answer, turn, candidate(loop, 'final'));
    const { action, more } = parseReply(answer.reply.text, answer.reply.finish === 'length');
    const { fields, stop } = yield* act(session, loop, action, turn, left === 1);
    const told = [fields.observation ?? '', more ? ONE_ACTION : '', budgetLine(left - 1)]
      .filter((text) => text !== '')
      .join('\n');
    const observation = stop === null && left > 1 ? told : '';
    yield* endTurn(session, { ...turn, ...fields, observation });
    if (stop !== null) return candidate(loop, stop);
    const said = stripThinking(answer.reply.text).slice(0, HISTORY_CHARACTERS);
    messages.push({ role: 'assistant', content: said }, { role: 'user', content: observation });
  }
  return candidate(loop, loop.best === null ? 'no_sql' : 'budget');
}
