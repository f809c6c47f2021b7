import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a test's own on a free port of loopback. */
export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  close(): void;
}

async function listen(server: Server): Promise<TestServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Serves a file of `bytes` zeros from where a request asks for, slower than any test waits. @returns each `range` too. */
export async function serveSlowFile(bytes: number): Promise<TestServer & { ranges: string[] }> {
  const ranges: string[] = [];
  const server = createServer((request, response) => {
    const range = request.headers.range ?? '';
    ranges.push(range);
    const from = Number(/^bytes=(\d+)-/.exec(range)?.[1] ?? 0);
    response.statusCode = range === '' ? 200 : 206;
    if (range !== '') response.setHeader('content-range', `bytes ${from}-${bytes - 1}/${bytes}`);
    response.setHeader('content-length', bytes - from);
    response.setHeader('etag', '"one"');
    const drip = setInterval(() => response.write(Buffer.alloc(100_000)), 50);
    response.on('close', () => clearInterval(drip));
  });
  return { ...(await listen(server)), ranges };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function sendEvents(response: ServerResponse, content: string): void {
  response.setHeader('content-type', 'text/event-stream');
  const chunk = { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] };
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
}

/** An OpenAI-compatible server that offers `models`, answers `reply`, and asks for `key`. @returns its requests too. */
export async function serveChat(
  models: string[],
  key: string,
  reply: string,
): Promise<TestServer & { requests: { path: string; authorized: boolean; body: string }[] }> {
  const requests: { path: string; authorized: boolean; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const authorized = request.headers.authorization === `Bearer ${key}`;
    requests.push({ path: request.url ?? '', authorized, body });
    if (!authorized) {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'no such key' } }));
    } else if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }));
    } else sendEvents(response, reply);
  });
  return { ...(await listen(server)), requests };
}
