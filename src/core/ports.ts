import type { ModelInfo, Protocol } from '../protocol/ask.ts';
import type { QueryRequest, QueryResult } from '../protocol/query.ts';

/** `AbortSignal` as far as core needs it: core compiles without DOM and node. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Runs SQL of models and users, read-only. */
export interface Sandbox {
  /**
   * Runs one statement. Resolves with status `cancelled` when `signal` aborts.
   * @throws AppError where the database file itself is the matter (missing, not a database, encrypted …).
   */
  query(request: QueryRequest, signal?: CancelSignal): Promise<QueryResult>;
}

/** Milliseconds from an arbitrary start; injected so that transcripts replay. */
export interface Clock {
  now(): number;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  messages: ChatMessage[];
  /**
   * Number of characters of the first user message that do not depend on the question (the schema). A local model keeps
   * its state after them, per `prefixKey`. 0: keep nothing.
   */
  stablePrefix: number;
  /** Names the state to keep, e.g. a hash of the prefix; null: keep nothing. */
  prefixKey: string | null;
  temperature: number;
  /** null: the provider's own choice. */
  seed: number | null;
  maxTokens: number;
}

export interface ChatReply {
  text: string;
  promptTokens: number | null;
  completionTokens: number | null;
  /** `length`: cut at `maxTokens`. */
  finish: 'stop' | 'length';
}

/** What a provider tells while it answers. */
export interface ChatProgress {
  onPhase?(phase: 'loading' | 'prompting' | 'generating', detail: string | null): void;
  onToken?(text: string): void;
}

/** Something that answers a chat request: a local model file, a server, a script. */
export interface Provider {
  readonly protocol: Protocol;
  readonly model: ModelInfo;
  /** The model was trained to put a query right that it is shown with its error; left out: not that is known. */
  readonly repairs?: boolean;
  /**
   * Begins to load what the first chat needs, where that takes time, so that it goes on while a question is prepared.
   * Never rejects: what fails is met again, and told, by the chat.
   */
  warm?(signal?: CancelSignal): Promise<void>;
  /**
   * @throws AppError `provider_…` when no reply can be had, `cancelled` when `signal` aborts. Partial text is in `data.text`.
   */
  chat(request: ChatRequest, progress: ChatProgress, signal?: CancelSignal): Promise<ChatReply>;
  /** Frees what the provider holds (a child process, a connection). */
  dispose(): Promise<void>;
}
