import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatRequest } from '../../../src/core/ports.ts';
import { type AppError, AppError as AppErrorClass } from '../../../src/protocol/errors.ts';

/** A request as the server got it. */
export interface Got {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

/** Answers the n-th request (from 0). */
export type Handler = (response: ServerResponse, request: Got, index: number) => void;

/** A server of the test's own on loopback. */
export class Loopback {
  readonly got: Got[] = [];
  readonly #server: Server;

  constructor(handler: Handler) {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const got = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: text === '' ? {} : JSON.parse(text),
        };
        this.got.push(got);
        handler(response, got, this.got.length - 1);
      });
    });
  }

  /** Starts listening. @returns the address without a path */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Runs `work` against a server and stops it again. */
export async function withServer<T>(
  handler: Handler,
  work: (address: string, server: Loopback) => Promise<T>,
): Promise<T> {
  const server = new Loopback(handler);
  try {
    return await work(await server.start(), server);
  } finally {
    await server.stop();
  }
}

/** A piece of a streamed answer. */
export function piece(content: string, more: Record<string, unknown> = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }] })}\n\n`;
}

export const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;
export const DONE = 'data: [DONE]\n\n';

/** Answers with a stream of the given texts. */
export function stream(response: ServerResponse, ...texts: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of texts) response.write(piece(text));
  response.end(END + DONE);
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export const REQUEST: ChatRequest = {
  messages: [{ role: 'user', content: 'hello' }],
  stablePrefix: 0,
  prefixKey: null,
  temperature: 0.7,
  seed: 3,
  maxTokens: 50,
};

/** The AppError that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AppErrorClass) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
