import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { CancelSignal } from '../../core/ports.ts';
import type { AppError } from '../../protocol/errors.ts';
import { cancelled } from './errors.ts';
import { timedOut, unreachable, type WaitingFor } from './openai-errors.ts';

/** Limits of one exchange in milliseconds. */
export interface TimeOuts {
  /** Until the connection stands. */
  connect: number;
  /** From then until the first byte of the answer: the server reads the prompt. */
  first: number;
  /** Between two pieces of the answer. */
  idle: number;
  total: number;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Connections of one provider, kept open between requests. A server on this machine is never asked through a proxy. */
export class Connections {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  /** @param env HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case, are heeded. */
  constructor(root: string, env: NodeJS.ProcessEnv) {
    const proxy = LOOPBACK.test(new URL(root).hostname) ? {} : { proxyEnv: env };
    this.#http = new HttpAgent({ keepAlive: true, ...proxy });
    this.#https = new HttpsAgent({ keepAlive: true, ...proxy });
  }

  open(url: URL, options: { method: string; headers: Record<string, string> }): ClientRequest {
    if (url.protocol === 'https:') return requestHttps(url, { ...options, agent: this.#https });
    return requestHttp(url, { ...options, agent: this.#http });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

export interface Exchange {
  connections: Connections;
  /** Names the server in messages. */
  root: string;
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: string | null;
  timeOuts: TimeOuts;
}

/** Ends a request when its time is over or the user cancels. */
class Watch {
  readonly #request: ClientRequest;
  readonly #exchange: Exchange;
  readonly #signal: CancelSignal | undefined;
  readonly #total: NodeJS.Timeout;
  #timer: NodeJS.Timeout | null = null;
  readonly #onAbort = () => this.#end(cancelled('The request'));
  /** Why the request was ended; null where it was not. Node tells the reader of the body another reason. */
  reason: AppError | null = null;

  constructor(request: ClientRequest, exchange: Exchange, signal?: CancelSignal) {
    this.#request = request;
    this.#exchange = exchange;
    this.#signal = signal;
    this.#total = setTimeout(() => this.#expire('total'), exchange.timeOuts.total);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** From now on this is what is waited for. */
  expect(waitingFor: Exclude<WaitingFor, 'total'>): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expire(waitingFor), this.#exchange.timeOuts[waitingFor]);
  }

  end(): void {
    clearTimeout(this.#total);
    if (this.#timer) clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #expire(waitingFor: WaitingFor): void {
    const { root, timeOuts } = this.#exchange;
    this.#end(timedOut(root, waitingFor, timeOuts[waitingFor]));
  }

  #end(reason: AppError): void {
    this.reason = reason;
    this.#request.destroy(reason);
  }
}

function watchConnection(watch: Watch, socket: Socket): void {
  if (!socket.connecting) {
    watch.expect('first');
    return;
  }
  watch.expect('connect');
  socket.once('connect', () => watch.expect('first'));
}

/** The reason in an error of the system, such as ECONNREFUSED. */
function reasonOf(error: Error): string {
  const inner =
    error instanceof AggregateError ? error.errors.find((one): one is Error => one instanceof Error) : undefined;
  const said = inner ?? error;
  return 'code' in said && typeof said.code === 'string' ? said.code : said.message;
}

/** An answer whose body is still coming. */
export interface Answer {
  response: IncomingMessage;
  /** The body as it comes. Throws AppError where time runs out or the user cancels; ends early where the server does. */
  text(): AsyncGenerator<string>;
  /** True where the body came to its end. */
  isComplete(): boolean;
  /** Lets the rest of the body go. */
  drop(): void;
}

async function* textOf(response: IncomingMessage, watch: Watch): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response) {
      watch.expect('idle');
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch {
    // The server closing the connection is for the reader to judge: it knows whether the answer was complete.
    if (watch.reason) throw watch.reason;
  } finally {
    watch.end();
  }
}

/**
 * Sends a request and waits for the head of the answer.
 *
 * @throws AppError `provider_unreachable`, `provider_timeout`, `cancelled`
 */
export function send(exchange: Exchange, signal?: CancelSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelled('The request'));
      return;
    }
    const { connections, method, headers, body, root } = exchange;
    const request = connections.open(new URL(exchange.url), { method, headers });
    const watch = new Watch(request, exchange, signal);
    request.once('socket', (socket) => watchConnection(watch, socket));
    request.on('error', (error) => {
      watch.end();
      reject(watch.reason ?? unreachable(root, reasonOf(error)));
    });
    request.once('response', (response) => {
      const drop = () => {
        watch.end();
        request.destroy();
      };
      resolve({ response, text: () => textOf(response, watch), isComplete: () => response.complete, drop });
    });
    request.end(body ?? undefined);
  });
}
