import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DownloadOptions, download } from '../../../src/runtime/model/download.ts';
import { PartFile } from '../../../src/runtime/model/part-file.ts';
import { withCode } from './support/fixture.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const CONTENT = randomBytes(300_000);

/** Serves a range of the content as a server with ranges and ETags does. */
function serveRange(request: IncomingMessage, response: ServerResponse, etag: string, end = CONTENT.length): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const condition = request.headers['if-range'];
  const isRange = request.headers.range !== undefined && (condition === undefined || condition === etag);
  const body = CONTENT.subarray(isRange ? start : 0);
  response.writeHead(isRange ? 206 : 200, {
    etag,
    'content-length': body.length,
    ...(isRange ? { 'content-range': `bytes ${start}-${CONTENT.length - 1}/${CONTENT.length}` } : {}),
  });
  const sent = body.subarray(0, Math.max(0, end - (isRange ? start : 0)));
  if (sent.length === body.length) response.end(body);
  // The rest never comes: the test breaks the connection.
  else response.write(sent);
}

describe('download of a model', () => {
  let folder: string;
  let part: PartFile;
  let server: Server;
  let requests: IncomingMessage[];
  let handlers: Handler[];
  let url: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sql-agent-download-'));
    part = new PartFile(join(folder, 'model.part'));
    requests = [];
    handlers = [];
    server = createServer((request, response) => {
      requests.push(request);
      const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
      handler?.(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.gguf`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const get = (options: Partial<DownloadOptions> = {}) =>
    download({ url, part, bytes: CONTENT.length, onBytes: () => undefined, attempts: 2, pauseMs: () => 0, ...options });
  const assertWhole = () => assert.ok(readFileSync(part.path).equals(CONTENT));
  /** Breaks the connection when the first bytes have come. */
  const breakOnce = () => {
    let broken = false;
    return (bytes: number) => {
      if (bytes > 0 && !broken) server.closeAllConnections();
      broken ||= bytes > 0;
    };
  };
  const ranges = () => requests.map(({ headers }) => headers.range ?? null);

  it('brings the whole file, and tells how much is there', async () => {
    handlers = [(request, response) => serveRange(request, response, '"a"')];
    const seen: number[] = [];
    await get({ onBytes: (bytes) => seen.push(bytes) });
    assertWhole();
    assert.equal(seen[0], 0);
    assert.equal(seen.at(-1), CONTENT.length);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
  });

  it('goes on where a broken connection left it', async () => {
    handlers = [
      (request, response) => serveRange(request, response, '"a"', 100_000),
      (request, response) => serveRange(request, response, '"a"'),
    ];
    await get({ onBytes: breakOnce() });
    assertWhole();
    assert.equal(requests.length, 2);
    assert.match(ranges()[1] ?? '', /^bytes=\d+-$/);
    assert.equal(requests[1]?.headers['if-range'], '"a"');
  });

  it('keeps what came before a cancellation, and goes on from there', async () => {
    const controller = new AbortController();
    handlers = [(request, response) => serveRange(request, response, '"a"')];
    const onBytes = (bytes: number) => bytes > 0 && controller.abort();
    await assert.rejects(get({ signal: controller.signal, onBytes }), withCode('cancelled'));
    const kept = await part.bytes();
    assert.ok(kept > 0 && kept < CONTENT.length, `${kept} bytes were kept`);
    await get();
    assertWhole();
    assert.deepEqual(ranges(), [null, `bytes=${kept}-`]);
  });

  it('begins anew where the server knows no ranges', async () => {
    writeFileSync(part.path, 'what came from elsewhere');
    handlers = [(_request, response) => response.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT)];
    await get();
    assertWhole();
  });

  it('begins anew where the file on the server has another ETag', async () => {
    handlers = [(request, response) => serveRange(request, response, '"a"', 100_000)];
    await assert.rejects(get({ attempts: 1, onBytes: breakOnce() }), withCode('download_failed'));
    const older = readFileSync(part.path);
    writeFileSync(part.path, Buffer.alloc(older.length));
    handlers = [(request, response) => serveRange(request, response, '"b"')];
    await get();
    assertWhole();
  });

  it('begins anew where a server ignores If-Range and sends a range of another file', async () => {
    handlers = [(request, response) => serveRange(request, response, '"a"', 100_000)];
    await assert.rejects(get({ attempts: 1, onBytes: breakOnce() }), withCode('download_failed'));
    handlers = [
      (request, response) => {
        delete request.headers['if-range'];
        serveRange(request, response, '"b"');
      },
    ];
    await get();
    assertWhole();
    assert.equal(ranges().at(-1), null);
  });

  it('begins anew where the server has no such range', async () => {
    writeFileSync(part.path, 'old');
    handlers = [
      (_request, response) => response.writeHead(416).end(),
      (request, response) => serveRange(request, response, '"a"'),
    ];
    await get();
    assertWhole();
  });

  it('tries again after 503 and 429', async () => {
    handlers = [
      (_request, response) => response.writeHead(503).end(),
      (_request, response) => response.writeHead(429).end(),
      (request, response) => serveRange(request, response, '"a"'),
    ];
    await get({ attempts: 3 });
    assertWhole();
  });

  it('follows a redirection', async () => {
    handlers = [
      (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      (request, response) => serveRange(request, response, '"a"'),
    ];
    await get();
    assertWhole();
  });

  it('ends redirections that lead nowhere, and does not try them again', async () => {
    const locations = { '/again': 'without end', 'file:///etc/passwd': 'to file:', 'http://': 'to what is no address' };
    for (const [location, said] of Object.entries(locations)) {
      requests.length = 0;
      handlers = [(_request, response) => response.writeHead(302, { location }).end()];
      await assert.rejects(get({ attempts: 5 }), (error: Error) => error.message.includes(`redirected ${said}`));
      assert.ok(requests.length < 10, location);
    }
  });

  it('goes through the proxy that the environment names', async () => {
    handlers = [(request, response) => serveRange(request, response, '"a"')];
    const proxied = 'http://models.example/model.gguf';
    await get({ url: proxied, env: { HTTP_PROXY: url.replace('/model.gguf', '') } });
    assertWhole();
    assert.equal(requests[0]?.url, proxied);
  });

  it('fails at once where there is no such file', async () => {
    handlers = [(_request, response) => response.writeHead(404).end()];
    await assert.rejects(get(), (error: Error) => withCode('download_failed')(error) && error.message.includes('404'));
    assert.equal(requests.length, 1);
  });

  it('refuses a file of another size before it is fetched', async () => {
    handlers = [(_request, response) => response.writeHead(200, { 'content-length': 5 }).end('<html')];
    await assert.rejects(get(), withCode('download_wrong_file'));
    assert.equal(existsSync(part.path), false);
  });

  it('refuses a body that does not end where it should', async () => {
    handlers = [(_request, response) => response.writeHead(200).end(Buffer.concat([CONTENT, CONTENT]))];
    await assert.rejects(get(), withCode('download_wrong_file'));
  });

  it('refuses a body without a length that is too short', async () => {
    handlers = [(_request, response) => response.writeHead(200).end('an error page')];
    await assert.rejects(get(), withCode('download_wrong_file'));
  });

  it('gives up where nothing comes for long, and keeps what came', async () => {
    handlers = [(_request, response) => response.writeHead(200, { 'content-length': CONTENT.length }).write('some')];
    await assert.rejects(
      get({ attempts: 1, stallMs: 50 }),
      (error: Error) => withCode('download_failed')(error) && error.message.includes('nothing came for 0.05 s'),
    );
    assert.equal(await part.bytes(), 4);
  });

  it('gives up where the server does not answer', async () => {
    handlers = [() => undefined];
    await assert.rejects(get({ attempts: 2, stallMs: 50 }), withCode('download_failed'));
    assert.equal(requests.length, 2);
  });

  it('says so where nobody listens', async () => {
    const nobody = url;
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(get({ url: nobody }), withCode('download_failed'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('asks nothing where the file is whole already', async () => {
    writeFileSync(part.path, CONTENT);
    await get();
    assert.equal(requests.length, 0);
  });
});
