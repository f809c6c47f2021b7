import type { IncomingMessage } from 'node:http';
import { cancelled, downloadFailed, downloadWrong } from './errors.ts';
import { httpGet, Misdirected } from './http-get.ts';
import type { WritableFile } from './install-file.ts';
import type { PartFile } from './part-file.ts';
import { errorCode } from './storage.ts';
import { wait } from './wait.ts';

export interface DownloadOptions {
  url: string;
  part: PartFile;
  /** Size of the whole file. */
  bytes: number;
  onBytes: (bytes: number) => void;
  signal?: AbortSignal | undefined;
  /** Without an answer or a byte for so long an attempt is given up. Default 30 s. */
  stallMs?: number | undefined;
  /** Attempts in a row that bring nothing before it fails. Default 5. */
  attempts?: number | undefined;
  /** Pause before attempt n (from 1) after a failure. Default 1, 2, 4, 8 s. */
  pauseMs?: ((attempt: number) => number) | undefined;
  /** Names the proxies. Default: the process's own. */
  env?: NodeJS.ProcessEnv | undefined;
}

/** Why an attempt ended before the file was whole; worth another one. */
class Interrupted extends Error {}

/** An alarm that aborts a request when nothing has happened for a while, or when the user cancels. */
class Stall {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #cancel = () => this.#controller.abort();
  #timer: NodeJS.Timeout | null = null;
  stalled = false;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    if (outer?.aborted) this.#cancel();
    outer?.addEventListener('abort', this.#cancel, { once: true });
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.stalled = true;
      this.#controller.abort();
    }, this.#ms);
  }

  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#cancel);
    this.#controller.abort();
  }
}

function isStrong(etag: string | null): etag is string {
  return etag !== null && !etag.startsWith('W/');
}

async function requestHeaders(options: DownloadOptions, have: number): Promise<Record<string, string>> {
  // Compressed content would make sizes and ranges meaningless.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (have === 0) return headers;
  headers['range'] = `bytes=${have}-`;
  const origin = await options.part.origin();
  if (origin?.kind === 'url' && origin.url === options.url && isStrong(origin.etag)) headers['if-range'] = origin.etag;
  return headers;
}

interface ContentRange {
  start: number;
  total: number | null;
}

function contentRange(response: IncomingMessage): ContentRange | null {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers['content-range'] ?? '');
  return match ? { start: Number(match[1]), total: match[2] === '*' ? null : Number(match[2]) } : null;
}

/** The reason in an error of the network, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error)) return String(inner);
  return inner.message !== '' ? inner.message : errorCode(inner);
}

/** Looks at status and headers. @returns the number of bytes that the body goes on from. */
async function acceptResponse(options: DownloadOptions, response: IncomingMessage, have: number): Promise<number> {
  const { url, part, bytes } = options;
  const status = response.statusCode ?? 0;
  if (status === 429 || status >= 500) throw new Interrupted(`HTTP ${status}`);
  if (status === 416) {
    await part.remove();
    throw new Interrupted('the server has no such range');
  }
  if (status !== 200 && status !== 206) throw downloadFailed(url, `HTTP ${status}`, have);
  const length = response.headers['content-length'];
  if (status === 200) {
    if (length !== undefined && Number(length) !== bytes)
      throw downloadWrong(url, `${length} bytes instead of ${bytes}`);
    return 0;
  }
  const range = contentRange(response);
  if (range?.total && range.total !== bytes) throw downloadWrong(url, `${range.total} bytes instead of ${bytes}`);
  const origin = await part.origin();
  const changed = origin?.kind === 'url' && origin.url === url && origin.etag !== (response.headers.etag ?? null);
  if (range?.start !== have || changed) {
    await part.remove();
    throw new Interrupted('the file on the server has changed');
  }
  return have;
}

/** The body as it comes. @throws Interrupted where the connection breaks. */
async function* readBody(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await pieces.next().catch((error: unknown) => {
      throw new Interrupted(reasonOf(error));
    });
    if (done) return;
    yield value;
  }
}

async function writeBody(
  options: DownloadOptions,
  file: WritableFile,
  response: IncomingMessage,
  from: number,
  stall: Stall,
): Promise<number> {
  let have = from;
  for await (const piece of readBody(response)) {
    stall.touch();
    have += piece.length;
    if (have > options.bytes) throw downloadWrong(options.url, `it is longer than ${options.bytes} bytes`);
    await file.write(piece);
    options.onBytes(have);
  }
  return have;
}

/** One request. @returns when the file is whole. @throws Interrupted where another attempt may bring the rest. */
async function attempt(options: DownloadOptions, stall: Stall): Promise<void> {
  const { url, part, bytes } = options;
  const have = await part.bytes();
  const headers = await requestHeaders(options, have);
  const request = { headers, signal: stall.signal, env: options.env ?? process.env };
  const response = await httpGet(url, request).catch((error: unknown) => {
    if (error instanceof Misdirected) throw downloadFailed(url, error.message, have);
    throw new Interrupted(reasonOf(error));
  });
  const from = await acceptResponse(options, response, have);
  await part.cut(from);
  await part.setOrigin({ kind: 'url', url, etag: response.headers.etag ?? null });
  options.onBytes(from);
  const file = await part.append();
  const now = await writeBody(options, file, response, from, stall).finally(async () => {
    await file.sync().catch(() => undefined);
    await file.close();
  });
  if (now === bytes) return;
  // A body that ended well and is too short: not the file, unless the server sends it range by range.
  if (response.statusCode === 200) throw downloadWrong(url, `${now} bytes instead of ${bytes}`);
  throw new Interrupted('the connection was closed early');
}

/**
 * Downloads a file into `part`, going on from what is there. A server without ranges, or with another file than before,
 * makes it begin anew. The part is kept when the network fails or the user cancels, and removed when it cannot be right.
 * @throws AppError `download_failed`, `download_wrong_file`, `cancelled`; errors of the file system as they are.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { url, part, bytes, signal } = options;
  const attempts = options.attempts ?? 5;
  const pause = options.pauseMs ?? ((count: number) => 1000 * 2 ** (count - 1));
  await part.cut(bytes);
  let failures = 0;
  for (;;) {
    const before = await part.bytes();
    if (before === bytes) return;
    const stallMs = options.stallMs ?? 30_000;
    const stall = new Stall(stallMs, signal);
    try {
      await attempt(options, stall);
      return;
    } catch (error) {
      const kept = await part.bytes();
      if (signal?.aborted) throw cancelled('The download');
      if (!(error instanceof Interrupted)) throw error;
      const reason = stall.stalled ? `nothing came for ${stallMs / 1000} s` : error.message;
      failures = kept > before ? 1 : failures + 1;
      if (failures >= attempts) throw downloadFailed(url, reason, kept);
    } finally {
      stall.end();
    }
    await wait(pause(failures), signal);
    if (signal?.aborted) throw cancelled('The download');
  }
}
