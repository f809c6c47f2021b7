import * as z from 'zod/mini';
import type { CancelSignal, ChatProgress, ChatReply, ChatRequest, Provider } from '../../core/ports.ts';
import { AppError } from '../../protocol/errors.ts';
import { cancelled } from './errors.ts';
import { interfaceRoot, redact, usableKey } from './openai-address.ts';
import { malformed, webPage } from './openai-errors.ts';
import { type Failure, failureOf } from './openai-failure.ts';
import { type Answer, Connections, send, type TimeOuts } from './openai-http.ts';
import { readReply, wholeText } from './openai-reply.ts';
import { type Adaptable, chatBody, refusedParameter, serverErrorIn } from './openai-request.ts';
import { backOff, DEFAULT_RETRY, isTransientReason, type RetryPolicy } from './openai-retry.ts';
import { wait } from './wait.ts';

export interface OpenAiOptions {
  /** With or without /v1. */
  baseUrl: string;
  /** The model's name as the server knows it. */
  model: string;
  apiKey: string | null;
  timeOuts?: Partial<TimeOuts>;
  /** Where proxies are named. Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  retry?: Partial<RetryPolicy>;
  /** Milliseconds since 1970; for tests. */
  now?: () => number;
  /** In [0, 1); for tests. */
  random?: () => number;
  /** Waits between requests; for tests. Resolves to false where `signal` aborted. */
  pause?: (ms: number, signal?: CancelSignal) => Promise<boolean>;
}

const TIME_OUTS: TimeOuts = { connect: 10_000, first: 120_000, idle: 60_000, total: 600_000 };
/** Characters of a reply for each token it may have, beyond which a server is not heeding the limit. */
const CHARACTERS_PER_TOKEN = 16;
const ERROR_BODY_CHARACTERS = 20_000;
const LIST_CHARACTERS = 4_000_000;

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A copy of an error in which the key does not stand. */
function withoutKey(error: unknown, apiKey: string | null): unknown {
  if (!(error instanceof AppError)) return error;
  const data: Record<string, unknown> = JSON.parse(redact(JSON.stringify(error.data), apiKey));
  return new AppError(error.code, redact(error.message, apiKey), data);
}

/** One server and one model of it. */
class Server {
  readonly root: string;
  readonly #options: OpenAiOptions;
  readonly #connections: Connections;
  readonly #retry: RetryPolicy;
  readonly #refused = new Set<Adaptable>();

  constructor(options: OpenAiOptions) {
    this.root = interfaceRoot(options.baseUrl);
    this.#options = { ...options, apiKey: usableKey(options.apiKey) };
    this.#connections = new Connections(this.root, options.env ?? process.env);
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
  }

  async chat(request: ChatRequest, progress: ChatProgress, signal?: CancelSignal): Promise<ChatReply> {
    progress.onPhase?.('prompting', null);
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.#try(request, progress, signal);
      if (!('error' in failure)) return failure;
      const ms = this.#waitAfter(failure, attempt);
      if (ms === null) throw failure.error;
      progress.onPhase?.(
        'prompting',
        `${redact(failure.error.message, this.#options.apiKey)} Trying again in ${(ms / 1000).toFixed(1)} s.`,
      );
      await (this.#options.pause ?? wait)(ms, signal);
      if (signal?.aborted) throw cancelled('The request');
    }
  }

  async models(signal?: CancelSignal): Promise<string[]> {
    const answer = await this.#send('GET', '/models', null, signal);
    const body = await wholeText(answer.text(), LIST_CHARACTERS);
    const status = answer.response.statusCode ?? 0;
    if (status < 200 || status >= 300) throw this.#failure(answer, body).error;
    if (body.trim().startsWith('<')) throw webPage(this.root);
    try {
      return ModelList.parse(JSON.parse(body)).data.map(({ id }) => id);
    } catch {
      throw malformed(this.root, 'it is no list of models', '');
    }
  }

  close(): void {
    this.#connections.close();
  }

  /** One request. A parameter that the server refuses is left out from then on, which is no attempt of its own. */
  async #try(request: ChatRequest, progress: ChatProgress, signal?: CancelSignal): Promise<ChatReply | Failure> {
    try {
      for (;;) {
        const answer = await this.#send(
          'POST',
          '/chat/completions',
          chatBody(this.#options.model, request, this.#refused),
          signal,
        );
        const status = answer.response.statusCode ?? 0;
        if (status >= 200 && status < 300)
          return await readReply(
            answer,
            this.root,
            request.maxTokens * CHARACTERS_PER_TOKEN,
            progress,
            this.#options.apiKey,
          );
        const body = await wholeText(answer.text(), ERROR_BODY_CHARACTERS);
        const parameter =
          status === 400 || status === 422 ? refusedParameter(serverErrorIn(body), this.#refused) : null;
        if (parameter === null) return this.#failure(answer, body);
        this.#refused.add(parameter);
      }
    } catch (error) {
      if (error instanceof AppError && isWorthAnother(error)) return { error, again: true, askedMs: null };
      throw error;
    }
  }

  #failure({ response }: Answer, body: string): Failure {
    const { model, apiKey, now = Date.now } = this.#options;
    const answer = { status: response.statusCode ?? 0, headers: response.headers, body };
    return failureOf({ root: this.root, model, hasKey: apiKey !== null }, answer, now());
  }

  /** The wait before the next request in milliseconds; null where none is to follow. */
  #waitAfter({ again, askedMs }: Failure, attempt: number): number | null {
    const { attempts, maxAskedMs } = this.#retry;
    if (!again || attempt >= attempts || (askedMs ?? 0) > maxAskedMs) return null;
    return backOff(this.#retry, attempt, askedMs, (this.#options.random ?? Math.random)());
  }

  async #send(method: 'GET' | 'POST', path: string, body: string | null, signal?: CancelSignal): Promise<Answer> {
    const { apiKey, timeOuts } = this.#options;
    const headers: Record<string, string> = {
      accept: method === 'POST' ? 'text/event-stream, application/json' : 'application/json',
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    };
    const url = `${this.root}${path}`;
    const limits = { ...TIME_OUTS, ...timeOuts };
    return await send(
      { connections: this.#connections, root: this.root, url, method, headers, body, timeOuts: limits },
      signal,
    );
  }
}

/** The connection failed before anything of the answer was shown. */
function isWorthAnother({ code, data }: AppError): boolean {
  if (code === 'provider_unreachable') return isTransientReason(data['reason']);
  return code === 'provider_interrupted' && data['text'] === '';
}

/**
 * A model of any server with the interface of OpenAI's chat completions, streamed where the server streams. Requests are
 * repeated on 429, 5xx and lost connections, with back-off and jitter or as `Retry-After` says. The key is sent to that
 * server alone and stands in no error.
 *
 * `chat` throws AppError `provider_unreachable`, `provider_timeout`, `provider_unauthorised`, `provider_not_found`,
 * `provider_rate_limited`, `provider_server_failed`, `provider_refused`, `provider_redirected`, `provider_web_page`,
 * `provider_malformed`, `provider_interrupted` and `cancelled`.
 *
 * @throws AppError `provider_address` where the address makes no sense, `provider_key` where the key does not
 */
export function createOpenAiProvider(options: OpenAiOptions): Provider {
  const server = new Server(options);
  return {
    protocol: 'turns',
    model: { provider: 'openai', name: options.model, accuracy: null },
    chat: async (request, progress, signal) => {
      try {
        return await server.chat(request, progress, signal);
      } catch (error) {
        throw withoutKey(error, usableKey(options.apiKey));
      }
    },
    dispose: async () => server.close(),
  };
}

/**
 * Names of the models that a server offers, in its order: tests address and key without asking anything.
 *
 * @throws AppError `provider_…` as `chat` does, or `cancelled`
 */
export async function listModels(
  options: Pick<OpenAiOptions, 'baseUrl' | 'apiKey' | 'timeOuts'>,
  signal?: CancelSignal,
): Promise<string[]> {
  const server = new Server({ ...options, model: 'models' });
  try {
    return await server.models(signal);
  } catch (error) {
    throw withoutKey(error, options.apiKey);
  } finally {
    server.close();
  }
}
