import type { AskEvent } from '../../protocol/ask.ts';
import type { WireError } from '../../protocol/errors.ts';
import type { JsonQueryResult } from '../../protocol/query.ts';
import type { ChatReply, ChatRequest } from '../ports.ts';

/** What the agent itself tells while it works. Phases and tokens come from the ports instead. */
export type AgentEvent = Extract<AskEvent, { type: 'linked' | 'turn' | 'note' }>;

/** What the agent asks of the world. Everything in it is JSON, so that a transcript can hold it. */
export type Effect =
  /** One message of the model. `turn` is the turn it belongs to, from 1. */
  | { type: 'chat'; turn: number; request: ChatRequest }
  /** One query against the database, with the limits of the call. */
  | { type: 'query'; turn: number; sql: string }
  /** The definitions of tables, by name in any case. */
  | { type: 'tables'; names: string[] }
  /** Something to tell; no answer is needed. */
  | { type: 'event'; event: AgentEvent };

/** The definition of one table that was asked for. */
export interface TableAnswer {
  asked: string;
  /** The table as the schema spells it and its DDL; null where there is none of that name. */
  found: { name: string; ddl: string } | null;
  /** Tables of a similar name, the nearest first. */
  similar: string[];
}

/** What the world answers to an effect. Times are in milliseconds. */
export type Input =
  | { type: 'reply'; reply: ChatReply; ms: number }
  /** No reply could be had; `text` is what came of it. */
  | { type: 'chat_failed'; error: WireError; text: string; ms: number }
  /** The user cancelled; `text` is what came of a reply. */
  | { type: 'cancelled'; text: string; ms: number }
  /** `hints`: sentences on an error, such as "did you mean singer.Name?". */
  | { type: 'result'; result: JsonQueryResult; hints: string[]; ms: number }
  | { type: 'tables'; tables: TableAnswer[] }
  | { type: 'done' };

/** A part of the agent: yields effects, is sent their answers, returns `T`. It does nothing else, so it can be replayed. */
export type Steps<T> = Generator<Effect, T, Input>;

/** A bug of whoever drives the agent: an effect was given the answer of another kind. */
function unexpected(effect: Effect, input: Input): Error {
  return new Error(`The effect "${effect.type}" was answered by "${input.type}".`);
}

export type ChatInput = Extract<Input, { type: 'reply' | 'chat_failed' | 'cancelled' }>;

/** Asks the model for one message. */
export function* chat(turn: number, request: ChatRequest): Steps<ChatInput> {
  const effect: Effect = { type: 'chat', turn, request };
  const input = yield effect;
  if (input.type === 'reply' || input.type === 'chat_failed' || input.type === 'cancelled') return input;
  throw unexpected(effect, input);
}

export type QueryInput = Extract<Input, { type: 'result' }>;

/** The answer to a query that was cancelled before it reached the sandbox. */
function cancelledQuery(ms: number): QueryInput {
  const result: JsonQueryResult = {
    status: 'cancelled',
    code: 'cancelled',
    message: 'The query was cancelled.',
    position: null,
    columns: [],
    origins: [],
    rows: [],
    truncated: false,
    ms,
    touched: [],
    notes: [],
  };
  return { type: 'result', result, hints: [], ms };
}

/** Runs one query. A cancelled one has the status `cancelled`. */
export function* query(turn: number, sql: string): Steps<QueryInput> {
  const effect: Effect = { type: 'query', turn, sql };
  const input = yield effect;
  if (input.type === 'result') return input;
  if (input.type === 'cancelled') return cancelledQuery(input.ms);
  throw unexpected(effect, input);
}

/** Looks up tables by name. */
export function* lookUpTables(names: string[]): Steps<TableAnswer[]> {
  const effect: Effect = { type: 'tables', names };
  const input = yield effect;
  if (input.type === 'tables') return input.tables;
  throw unexpected(effect, input);
}

/** Tells something. */
export function* tell(event: AgentEvent): Steps<void> {
  yield { type: 'event', event };
}
