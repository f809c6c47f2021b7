import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { ChatProgress } from '../../../src/core/ports.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { createOpenAiProvider, listModels, type OpenAiOptions } from '../../../src/runtime/model/openai-provider.ts';
import { DONE, END, failureOf, type Handler, json, piece, REQUEST, stream, withServer } from './loopback.ts';

const KEY = 'sk-very-secret-key';

interface Chat {
  progress?: ChatProgress;
  signal?: AbortSignal;
  options?: Partial<OpenAiOptions>;
  request?: Partial<typeof REQUEST>;
}

/** One chat with a provider of the given server that never really waits between attempts; notes what it would wait. */
async function chat(
  address: string,
  { progress = {}, signal, options = {}, request = {} }: Chat = {},
  waits: number[] = [],
) {
  const provider = createOpenAiProvider({
    baseUrl: address,
    model: 'm',
    apiKey: KEY,
    random: () => 1,
    pause: async (ms) => {
      waits.push(ms);
      return true;
    },
    ...options,
  });
  try {
    return await provider.chat({ ...REQUEST, ...request }, progress, signal);
  } finally {
    await provider.dispose();
  }
}

/** The error of a chat with a server that answers like this. */
async function failing(handler: Handler, given: Chat = {}) {
  return await withServer(handler, async (address, server) => {
    const waits: number[] = [];
    const error = await failureOf(chat(address, given, waits));
    return { error, requests: server.got.length, waits };
  });
}

describe('a chat with an OpenAI-compatible server', () => {
  it('streams the reply and reports the tokens that the server counted', async () => {
    const tokens: string[] = [];
    const phases: string[] = [];
    const reply = await withServer(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(piece('SELECT') + piece(' 1'));
        response.write(END);
        response.end(
          `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 2 } })}\n\n${DONE}`,
        );
      },
      (address) =>
        chat(address, { progress: { onToken: (text) => tokens.push(text), onPhase: (phase) => phases.push(phase) } }),
    );
    assert.deepEqual(reply, { text: 'SELECT 1', promptTokens: 12, completionTokens: 2, finish: 'stop' });
    assert.deepEqual(tokens, ['SELECT', ' 1']);
    assert.deepEqual(phases, ['prompting', 'generating']);
  });

  it('sends model, messages, temperature, seed, limit and key', async () => {
    await withServer(
      (response) => stream(response, 'x'),
      async (address, server) => {
        await chat(address);
        const [got] = server.got;
        assert.equal(got?.path, '/v1/chat/completions');
        assert.equal(got?.headers.authorization, `Bearer ${KEY}`);
        const { model, messages, temperature, seed, max_tokens, stream: streams } = got?.body ?? {};
        assert.deepEqual(
          { model, messages, temperature, seed, max_tokens, streams },
          {
            model: 'm',
            messages: REQUEST.messages,
            temperature: 0.7,
            seed: 3,
            max_tokens: 50,
            streams: true,
          },
        );
      },
    );
  });

  it('sends no key where there is none, and no seed where none is asked for', async () => {
    await withServer(
      (response) => stream(response, 'x'),
      async (address, server) => {
        await chat(address, { options: { apiKey: null }, request: { seed: null } });
        assert.equal(server.got[0]?.headers.authorization, undefined);
        assert.equal('seed' in (server.got[0]?.body ?? {}), false);
      },
    );
  });

  it('finds the interface from addresses with and without a path', async () => {
    for (const [path, expected] of [
      ['', '/v1/chat/completions'],
      ['/', '/v1/chat/completions'],
      ['/v1', '/v1/chat/completions'],
      ['/v1/', '/v1/chat/completions'],
      ['/v1/chat/completions', '/v1/chat/completions'],
      ['/api', '/api/v1/chat/completions'],
      ['/api/v3', '/api/v3/chat/completions'],
      ['/v1beta/openai/', '/v1beta/openai/chat/completions'],
    ] as const)
      await withServer(
        (response) => stream(response, 'x'),
        async (address, server) => {
          await chat(`  ${address}${path} `);
          assert.equal(server.got[0]?.path, expected);
        },
      );
  });

  it('reads an answer that is not streamed, whatever its type says', async () => {
    const body = {
      choices: [{ message: { role: 'assistant', content: 'SELECT 1' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    };
    const tokens: string[] = [];
    const reply = await withServer(
      (response) => response.end(`\n ${JSON.stringify(body)}`),
      (address) => chat(address, { progress: { onToken: (text) => tokens.push(text) } }),
    );
    assert.deepEqual(reply, { text: 'SELECT 1', promptTokens: 3, completionTokens: 4, finish: 'stop' });
    assert.deepEqual(tokens, ['SELECT 1']);
  });

  it('reads content given as parts, and tells of thinking that is sent apart from it', async () => {
    const phases: (string | null)[] = [];
    const delta = (content: unknown) => `data: ${JSON.stringify({ choices: [{ delta: content }] })}\n\n`;
    const reply = await withServer(
      (response) => {
        response.write(delta({ reasoning_content: 'hm', content: null }) + delta({ reasoning: 'hm' }));
        response.end(delta({ content: [{ type: 'text', text: 'yes' }] }) + END);
      },
      (address) => chat(address, { progress: { onPhase: (_phase, detail) => phases.push(detail) } }),
    );
    assert.equal(reply.text, 'yes');
    assert.deepEqual(phases, [null, 'The model is thinking.', null]);
  });

  it('reads streams cut at any byte, with comments, carriage returns and letters of several bytes', async () => {
    const text = `: keep-alive\r\n\r\nevent: message\r\n${piece('Größe 北京 🎵').trimEnd()}\r\n\r\n${piece('!').replaceAll('\n', '\r\n')}${END}${DONE}`;
    const reply = await withServer(
      (response) => {
        for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
        response.end();
      },
      (address) => chat(address),
    );
    assert.equal(reply.text, 'Größe 北京 🎵!');
  });

  it('says where a reply was cut at the limit of tokens', async () => {
    const reply = await withServer(
      (response) => response.end(piece('SELECT', { finish_reason: 'length' }) + DONE),
      (address) => chat(address),
    );
    assert.equal(reply.finish, 'length');
  });

  it('gives an empty reply back as one', async () => {
    const reply = await withServer(
      (response) => response.end(END + DONE),
      (address) => chat(address),
    );
    assert.deepEqual(reply, { text: '', promptTokens: null, completionTokens: null, finish: 'stop' });
  });

  it('cuts an endless reply and lets the connection go', async () => {
    let closed: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const reply = await withServer(
      (response) => {
        const more = () => {
          while (!response.destroyed && response.write(piece('la '.repeat(100))));
        };
        response.on('drain', more);
        response.on('close', closed);
        more();
      },
      async (address) => {
        const given = await chat(address, { request: { maxTokens: 10 } });
        await isClosed;
        return given;
      },
    );
    assert.equal(reply.finish, 'length');
    assert.equal(reply.text.length, 160);
  });

  it('learns which parameters a server refuses', async () => {
    await withServer(
      (response, { body }) => {
        if ('max_tokens' in body)
          json(response, 400, {
            error: { message: 'Use max_completion_tokens.', param: 'max_tokens', code: 'unsupported_parameter' },
          });
        else if ('temperature' in body) json(response, 422, { detail: 'Only the default temperature is supported.' });
        else stream(response, 'ok');
      },
      async (address, server) => {
        const provider = createOpenAiProvider({ baseUrl: address, model: 'm', apiKey: null });
        await provider.chat(REQUEST, {});
        await provider.chat(REQUEST, {});
        await provider.dispose();
        assert.equal(server.got.length, 4);
        assert.equal(server.got[3]?.body['max_completion_tokens'], 50);
        assert.equal('temperature' in (server.got[3]?.body ?? {}), false);
      },
    );
  });
});

describe('a proxy', () => {
  const env = (proxy: string) => ({ http_proxy: proxy });

  it('of the environment is asked for a server elsewhere', async () => {
    await withServer(
      (response) => stream(response, 'by proxy'),
      async (proxy, server) => {
        const reply = await chat('http://models.invalid/v1', { options: { env: env(proxy) } });
        assert.equal(reply.text, 'by proxy');
        assert.equal(server.got[0]?.path, 'http://models.invalid/v1/chat/completions');
      },
    );
  });

  it('is not asked for a server on this machine', async () => {
    await withServer(
      (response) => stream(response, 'direct'),
      async (address) => {
        const reply = await chat(address, { options: { env: env('http://127.0.0.1:9') } });
        assert.equal(reply.text, 'direct');
      },
    );
  });
});

describe('a server that fails', () => {
  it('is asked again on 429 and 5xx, with back-off that doubles', async () => {
    const waits: number[] = [];
    const notes: string[] = [];
    const reply = await withServer(
      (response, _request, index) => {
        if (index < 3) json(response, [429, 500, 503][index] ?? 500, { error: { message: 'busy' } });
        else stream(response, 'ok');
      },
      (address) => chat(address, { progress: { onPhase: (_phase, detail) => notes.push(detail ?? '') } }, waits),
    );
    assert.equal(reply.text, 'ok');
    assert.deepEqual(waits, [500, 1000, 2000]);
    assert.match(notes[1] ?? '', /HTTP 429: "busy".*Trying again in 0\.5 s/);
  });

  it('is left alone for as long as it asks', async () => {
    const waits: number[] = [];
    await withServer(
      (response, _request, index) => {
        const date = new Date(1_000_000 + 4000).toUTCString();
        if (index === 0) json(response, 429, {}, { 'retry-after': '7' });
        else if (index === 1) json(response, 503, {}, { 'retry-after': date });
        else stream(response, 'ok');
      },
      (address) => chat(address, { options: { now: () => 1_000_000 } }, waits),
    );
    assert.deepEqual(waits, [7000, 4000]);
  });

  it('is not asked again where it wants to be left alone for long, or the account is empty', async () => {
    const long = await failing((response) => json(response, 429, {}, { 'retry-after': '3600' }));
    assert.deepEqual([long.error.code, long.requests], ['provider_rate_limited', 1]);
    assert.match(long.error.message, /in 3600 s/);
    const empty = await failing((response) =>
      json(response, 429, { error: { message: 'no money', code: 'insufficient_quota' } }),
    );
    assert.deepEqual([empty.error.code, empty.requests], ['provider_rate_limited', 1]);
  });

  it('is given up after four requests', async () => {
    const { error, requests } = await failing((response) => json(response, 500, { error: 'out of memory' }));
    assert.deepEqual([error.code, requests], ['provider_server_failed', 4]);
    assert.match(error.message, /HTTP 500: "out of memory"/);
  });

  it('is asked again where it closes the connection before it has said anything', async () => {
    const reply = await withServer(
      (response, _request, index) => {
        if (index === 0) response.socket?.destroy();
        else if (index === 1)
          response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .write(': hello\n\n', () => response.socket?.destroy());
        else stream(response, 'ok');
      },
      (address) => chat(address),
    );
    assert.equal(reply.text, 'ok');
  });

  it('is not asked again in the middle of a reply, whose text stays', async () => {
    const { error, requests } = await failing((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(piece('SELECT na'), () => response.socket?.destroy());
    });
    assert.deepEqual([error.code, requests, error.data['text']], ['provider_interrupted', 1, 'SELECT na']);
  });

  for (const [what, handler, code, message] of [
    [
      'refuses the key',
      (response) => json(response, 401, { error: { message: 'bad key' } }),
      'provider_unauthorised',
      /refuses the key \(HTTP 401: "bad key"\)/,
    ],
    [
      'knows no such model',
      (response) => json(response, 404, { error: { message: 'no model' } }),
      'provider_not_found',
      /no model "m"/,
    ],
    [
      'refuses the request',
      (response) => json(response, 400, { message: 'context too long' }),
      'provider_refused',
      /context too long/,
    ],
    [
      'sends on to another address',
      (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      'provider_redirected',
      /elsewhere\.example/,
    ],
    [
      'answers with a web page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('\n<!doctype html><p>Hello'),
      'provider_web_page',
      /web page/,
    ],
    ['answers with nothing', (response) => response.end(), 'provider_malformed', /it is empty/],
    [
      'answers with other JSON',
      (response) => json(response, 200, { hello: 1 }),
      'provider_malformed',
      /not JSON of a chat/,
    ],
    [
      'answers with broken JSON',
      (response) => response.end('{"choices": [{"mess'),
      'provider_malformed',
      /not JSON of a chat/,
    ],
    [
      'streams broken JSON',
      (response) => response.end(`${piece('SELECT')}data: {"choices": [\n\n`),
      'provider_malformed',
      /not JSON of a chat/,
    ],
    ['streams other text', (response) => response.end('hello\n\nthere\n\n'), 'provider_malformed', /no part of a chat/],
    [
      'fails while it streams',
      (response) => response.end(`${piece('SELECT')}data: {"error": {"message": "out of memory"}}\n\n`),
      'provider_server_failed',
      /while it answered: "out of memory"/,
    ],
    [
      'streams a line without end',
      (response) => response.end(`data: ${'x'.repeat(1_500_000)}`),
      'provider_malformed',
      /line without end/,
    ],
    [
      'fails with a web page',
      (response) => response.writeHead(403).end('<html>secret</html>'),
      'provider_unauthorised',
      /\(HTTP 403\)/,
    ],
  ] satisfies [string, Handler, string, RegExp][])
    it(`that ${what} is a clear error`, async () => {
      const { error, requests } = await failing(handler);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.equal(requests, 1);
    });

  it('that repeats the key does not bring it into the error', async () => {
    const { error } = await failing((response) => json(response, 401, { error: { message: `Incorrect key ${KEY}.` } }));
    assert.doesNotMatch(`${error.message}${JSON.stringify(error.data)}${error.stack}`, new RegExp(KEY));
    assert.match(error.message, /Incorrect key \[key\]/);
  });

  it('that repeats the key brings it neither into what is told of another attempt nor into the reply', async () => {
    const told: string[] = [];
    const progress: ChatProgress = {
      onPhase: (_, detail) => told.push(detail ?? ''),
      onToken: (text) => told.push(text),
    };
    const reply = await withServer(
      (response, { headers }, index) => {
        if (index === 0) {
          response.writeHead(503).end(headers.authorization);
          return;
        }
        const pieces = ['so ', KEY, ' or ', KEY.slice(0, 5), KEY.slice(5), ', SELECT ', KEY.slice(0, 4)];
        stream(response, ...pieces);
      },
      (address) => chat(address, { progress }),
    );
    assert.equal(reply.text, `so [key] or [key], SELECT ${KEY.slice(0, 4)}`);
    assert.ok(told.join('').endsWith(reply.text));
    assert.ok(!told.some((text) => text.includes('secret-key')), told.join('\n'));
    assert.ok(told.some((text) => text.includes('[key]') && text.includes('Trying again')));
  });

  it('that sends comments, an event or white space without end is given up', async () => {
    for (const [text, what] of [
      [': still there\n\n', /an event without end/],
      ['data: {\n', /an event without end/],
      ['\n  ', /white space without end/],
    ] as const) {
      const { error } = await failing((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const send = () => {
          while (response.write(text.repeat(1000)));
        };
        response.on('drain', send);
        send();
      });
      assert.equal(error.code, 'provider_malformed');
      assert.match(error.message, what);
    }
  });

  it('is sent the key without white space around it, and no key that a header cannot carry', async () => {
    await withServer(
      (response) => stream(response, 'SELECT 1'),
      async (address, server) => {
        await chat(address, { options: { apiKey: ` ${KEY}\n` } });
        assert.equal(server.got[0]?.headers.authorization, `Bearer ${KEY}`);
        for (const apiKey of [`${KEY}\nx`, `${KEY}é`])
          assert.throws(
            () => createOpenAiProvider({ baseUrl: address, model: 'm', apiKey }),
            (error) => error instanceof AppError && error.code === 'provider_key' && !error.message.includes('secret'),
          );
      },
    );
  });

  it('that is not running is asked again, then named with the reason', async () => {
    const waits: number[] = [];
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const address = probe.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => probe.close(resolve));
    const error = await failureOf(chat(`http://127.0.0.1:${port}`, {}, waits));
    assert.equal(error.code, 'provider_unreachable');
    assert.match(error.message, /ECONNREFUSED/);
    assert.equal(waits.length, 3);
  });
});

describe('a server that is slow', () => {
  const limits = { connect: 5000, first: 5000, idle: 5000, total: 5000 };

  it('is given up when it gives no sign of an answer', async () => {
    const { error, requests } = await failing(() => {}, { options: { timeOuts: { ...limits, first: 40 } } });
    assert.deepEqual([error.code, error.data['waitingFor'], requests], ['provider_timeout', 'first', 1]);
  });

  it('is given up when it stops in the middle, and what came stays', async () => {
    const { error } = await failing((response) => response.write(piece('SELECT')), {
      options: { timeOuts: { ...limits, idle: 40 } },
    });
    assert.deepEqual(
      [error.code, error.data['waitingFor'], error.data['text']],
      ['provider_timeout', 'idle', 'SELECT'],
    );
  });

  it('is given up when its answer does not end, though it never stops', async () => {
    const { error } = await failing(
      (response) => {
        const timer = setInterval(() => response.write(': wait\n\n'), 10);
        response.on('close', () => clearInterval(timer));
      },
      { options: { timeOuts: { ...limits, total: 80 } } },
    );
    assert.deepEqual([error.code, error.data['waitingFor']], ['provider_timeout', 'total']);
  });
});

describe('cancelling a chat', () => {
  it('ends it before the request, while waiting and while streaming', async () => {
    for (const when of ['before', 'waiting', 'streaming'] as const) {
      const controller = new AbortController();
      if (when === 'before') controller.abort();
      const { error } = await failing(
        (response) => {
          if (when === 'streaming') response.write(piece('SELECT'));
          else controller.abort();
        },
        { signal: controller.signal, progress: { onToken: () => controller.abort() } },
      );
      assert.equal(error.code, 'cancelled', when);
      if (when === 'streaming') assert.equal(error.data['text'], 'SELECT');
    }
  });

  it('ends the wait before another attempt', async () => {
    const controller = new AbortController();
    const { error, requests } = await failing((response) => json(response, 503, {}), {
      signal: controller.signal,
      options: {
        pause: async () => {
          controller.abort();
          return false;
        },
      },
    });
    assert.deepEqual([error.code, requests], ['cancelled', 1]);
  });
});

describe('the models of a server', () => {
  it('are listed by name', async () => {
    const names = await withServer(
      (response, { method, path }) =>
        json(response, method === 'GET' && path === '/v1/models' ? 200 : 500, { data: [{ id: 'b' }, { id: 'a' }] }),
      (address) => listModels({ baseUrl: address, apiKey: KEY }),
    );
    assert.deepEqual(names, ['b', 'a']);
  });

  it('are a clear error where the address leads elsewhere or the key is refused', async () => {
    const codes = [];
    for (const handler of [
      (response) => response.end('<html>'),
      (response) => json(response, 200, [1]),
      (response) => json(response, 401, {}),
    ] satisfies Handler[])
      codes.push(
        (await withServer(handler, (address) => failureOf(listModels({ baseUrl: address, apiKey: null })))).code,
      );
    assert.deepEqual(codes, ['provider_web_page', 'provider_malformed', 'provider_unauthorised']);
  });
});

describe('the address of a server', () => {
  for (const address of ['', 'localhost:8000', 'ftp://example.com', 'nonsense'])
    it(`is refused where it is ${JSON.stringify(address)}`, () => {
      assert.throws(() => createOpenAiProvider({ baseUrl: address, model: 'm', apiKey: null }), {
        code: 'provider_address',
      });
    });

  it('loses the name and password in it', async () => {
    const { error } = await withServer(
      (response) => json(response, 404, {}),
      async (address) => ({ error: await failureOf(chat(address.replace('//', '//me:secret@'))) }),
    );
    assert.doesNotMatch(error.message, /secret/);
  });
});
