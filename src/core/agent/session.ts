import type { Turn } from '../../protocol/ask.ts';
import type { Linked } from '../../protocol/catalog.ts';
import type { ChatMessage, ChatRequest } from '../ports.ts';
import { type ChatInput, type QueryInput, query, type Steps, tell } from './effects.ts';
import type { AgentSetup, Candidate, Decoding } from './setup.ts';

const REPLY_CHARACTERS = 8000;

/** What a run of the agent has gathered so far. */
export interface Session {
  readonly setup: AgentSetup;
  readonly turns: Turn[];
  readonly notes: string[];
  /** Results by SQL: a query that was run is not run again. */
  readonly results: Map<string, QueryInput>;
  linked: Linked;
}

export function openSession(setup: AgentSetup): Session {
  return { setup, turns: [], notes: [], results: new Map(), linked: setup.linked };
}

/** Index of the turn that comes next, from 1, over all samples. */
function nextTurn(session: Session): number {
  return session.turns.length + 1;
}

export function chatRequest({ setup }: Session, messages: readonly ChatMessage[], decoding: Decoding): ChatRequest {
  const { stablePrefix, prefixKey } = setup.prompt;
  return { messages: [...messages], stablePrefix, prefixKey, ...decoding, maxTokens: setup.maxTokens };
}

/** Runs a query of the coming turn, or gives the result it had before. */
export function* runQuery(session: Session, sql: string): Steps<QueryInput> {
  const known = session.results.get(sql);
  if (known) return { ...known, ms: 0 };
  const answer = yield* query(nextTurn(session), sql);
  if (answer.result.status !== 'cancelled') session.results.set(sql, answer);
  return answer;
}

/** A turn before it is known what came of it. `sample` stands where more than the greedy one may come. */
export function newTurn(session: Session, answer: ChatInput, label: Pick<Turn, 'sample' | 'repairs'>): Turn {
  const reply = answer.type === 'reply' ? answer.reply.text : answer.text;
  return {
    index: nextTurn(session),
    action: 'invalid',
    reply: reply.slice(0, REPLY_CHARACTERS),
    sql: null,
    tables: [],
    observation: '',
    status: null,
    error: null,
    rows: null,
    ...label,
    promptTokens: answer.type === 'reply' ? answer.reply.promptTokens : null,
    completionTokens: answer.type === 'reply' ? answer.reply.completionTokens : null,
    ms: answer.ms,
  };
}

/** What a turn says of the query it ran. */
export function queryFields(sql: string, { result, ms }: QueryInput, before: number): Partial<Turn> {
  const failed = result.status !== 'ok';
  const { code, message, position } = result;
  return {
    sql,
    status: result.status,
    error: failed ? { code: code ?? result.status, message: message ?? '', position } : null,
    rows: failed ? null : result.rows.length,
    ms: before + ms,
  };
}

/** Keeps a turn and tells it. */
export function* endTurn(session: Session, turn: Turn): Steps<void> {
  session.turns.push(turn);
  yield* tell({ type: 'turn', turn });
}

/** Ends a sample whose model gave no reply. What came of the reply is kept as a turn. */
export function* breakOff(
  session: Session,
  answer: Exclude<ChatInput, { type: 'reply' }>,
  turn: Turn,
  last: Pick<Candidate, 'sample' | 'sql' | 'result' | 'expected'>,
): Steps<Candidate> {
  const cancelled = answer.type === 'cancelled';
  if (answer.text !== '') {
    const error = cancelled
      ? { code: 'cancelled', message: 'The reply was cancelled.', position: null }
      : { code: answer.error.code, message: answer.error.message, position: null };
    yield* endTurn(session, { ...turn, error });
  }
  return { ...last, stop: cancelled ? 'cancelled' : 'provider_error', error: cancelled ? null : answer.error };
}
