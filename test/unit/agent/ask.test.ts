import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AskEvent } from '../../../src/protocol/ask.ts';
import { ask } from '../../../src/runtime/ask.ts';
import type { AskRequest } from '../../../src/runtime/ask-request.ts';
import { type Engine, openEngine } from '../../../src/runtime/engine.ts';
import { createOpenAiProvider } from '../../../src/runtime/model/openai-provider.ts';
import { createScriptedProvider, type Script } from '../../../src/runtime/model/scripted-provider.ts';
import { pruneTranscripts } from '../../../src/runtime/transcript-writer.ts';
import { failureOf, json, stream, withServer } from '../providers/loopback.ts';
import { DDL, oneShot, ROWS, say } from './world.ts';

const COUNT = 'SELECT count(*) FROM singer';

describe('asking a database', () => {
  let folder: string;
  let db: string;
  let engine: Engine;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sql-agent-ask-'));
    db = join(folder, 'concerts.sqlite');
    const database = new DatabaseSync(db);
    database.exec(DDL + ROWS);
    database.close();
    engine = await openEngine({ storage: join(folder, 'storage'), children: 1 });
  });

  after(async () => {
    await engine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  function requestFor(given: Partial<AskRequest> = {}): AskRequest {
    return {
      db,
      question: 'How many singers are there?',
      evidence: '',
      previous: null,
      samples: 1,
      turns: 4,
      link: 'auto',
      gold: null,
      timeoutMs: 20_000,
      maxRows: 100,
      transcript: null,
      ...given,
    };
  }

  async function asked(script: Script, given: Partial<AskRequest> = {}, signal?: AbortSignal) {
    const events: AskEvent[] = [];
    const result = await ask(
      engine,
      createScriptedProvider(script),
      requestFor(given),
      (event) => events.push(event),
      signal,
    );
    return { result, events };
  }

  it('shows a model its error where it was trained on that, unless the question says otherwise', async () => {
    const ways = [
      { repairs: undefined, repair: undefined, shown: undefined },
      { repairs: true, repair: undefined, shown: true },
      { repairs: true, repair: false, shown: undefined },
      { repairs: false, repair: true, shown: true },
    ];
    for (const { repairs, repair, shown } of ways) {
      const scripted = createScriptedProvider(oneShot('SELECT nam FROM singer', COUNT));
      const provider = { ...scripted, ...(repairs === undefined ? {} : { repairs }) };
      const { turns } = await ask(engine, provider, requestFor({ repair }), () => undefined);
      assert.deepEqual([turns.length, turns[1]?.repairs], [2, shown], JSON.stringify({ repairs, repair }));
    }
  });

  it('tells its events in order and the result last', async () => {
    const { result, events } = await asked(oneShot(COUNT));
    assert.deepEqual(
      events.map((event) => (event.type === 'phase' ? event.phase : event.type)),
      [
        'schema',
        'values',
        'linked',
        'prompting',
        'generating',
        'token',
        'token',
        'token',
        'token',
        'querying',
        'turn',
        'result',
      ],
    );
    assert.deepEqual(
      [result.rows, result.columns, result.linked.mode, result.status],
      [[[3]], ['count(*)'], 'full', 'ok'],
    );
    assert.deepEqual(events.at(-1), { type: 'result', result });
  });

  it('shows only the tables of the gold query in mode oracle', async () => {
    const { result } = await asked(oneShot(COUNT), { link: 'oracle', gold: 'SELECT * FROM Singer JOIN concert' });
    assert.deepEqual([result.linked.kept, result.linked.left], [['singer', 'concert'], ['stadium']]);
    const without = await failureOf(asked(oneShot(COUNT), { link: 'oracle' }));
    assert.equal(without.code, 'oracle_needs_gold');
    const unusable = await failureOf(asked(oneShot(COUNT), { link: 'oracle', gold: 'what?' }));
    assert.equal(unusable.code, 'gold_unusable');
  });

  it('asks no model about a database without tables, and says why', async () => {
    const emptied = (name: string, sql: string): string => {
      const file = join(folder, name);
      const database = new DatabaseSync(file);
      database.exec(`CREATE TABLE t (a); ${sql}`);
      database.close();
      return file;
    };
    const none = await failureOf(asked(oneShot(COUNT), { db: emptied('none.sqlite', 'DROP TABLE t') }));
    assert.equal(none.code, 'db_no_tables');
    assert.match(none.message, /none\.sqlite has no tables yet/);
    const views = await failureOf(
      asked(oneShot(COUNT), { db: emptied('views.sqlite', 'CREATE VIEW v AS SELECT 1 AS one; DROP TABLE t') }),
    );
    assert.match(views.message, /has views, but no tables/);
  });

  it('keeps the limits of rows and says that more were cut off', async () => {
    const { result } = await asked(oneShot('SELECT name FROM singer'), { maxRows: 2 });
    assert.deepEqual([result.rows.length, result.truncated, result.signals.actual?.truncated], [2, true, true]);
  });

  it('has a refused statement refused, and the file unchanged', async () => {
    const before = readFileSync(db);
    const { result } = await asked(oneShot(...Array<string>(4).fill('DELETE FROM singer')));
    assert.deepEqual([result.status, result.stop, result.turns.length], ['rejected', 'final', 4]);
    assert.deepEqual(readFileSync(db), before);
  });

  it('fails with a clear error where there is no database, and tells it last', async () => {
    const events: AskEvent[] = [];
    const request = requestFor({ db: join(folder, 'missing.sqlite') });
    const error = await failureOf(
      ask(engine, createScriptedProvider(oneShot(COUNT)), request, (event) => events.push(event)),
    );
    assert.match(error.message, /missing\.sqlite/);
    const last = events.at(-1);
    assert.deepEqual(last?.type === 'failed' ? last.error.code : last, error.code);
    assert.deepEqual(readdirSync(folder).includes('missing.sqlite'), false);
  });

  it('ends at once where it is cancelled before the schema is read', async () => {
    const controller = new AbortController();
    controller.abort();
    const { result, events } = await asked(oneShot(COUNT), {}, controller.signal);
    assert.deepEqual(
      [result.stop, result.status, result.turns, result.linked.kept],
      ['cancelled', 'cancelled', [], []],
    );
    assert.equal(events.at(-1)?.type, 'result');
  });

  it('stops a query that runs for ever when it is cancelled', async () => {
    const controller = new AbortController();
    const provider = createScriptedProvider(
      oneShot('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'),
    );
    const onEvent = (event: AskEvent) => {
      if (event.type === 'phase' && event.phase === 'querying') setImmediate(() => controller.abort());
    };
    const result = await ask(engine, provider, requestFor(), onEvent, controller.signal);
    assert.deepEqual([result.stop, result.turns[0]?.status], ['cancelled', 'cancelled']);
  });

  it('folds the last query into the evidence of a model that knows one prompt only', async () => {
    const bodies: string[] = [];
    const provider = createScriptedProvider(oneShot(COUNT));
    const spy = {
      ...provider,
      chat: (...given: Parameters<typeof provider.chat>) => {
        bodies.push(given[0].messages[1]?.content ?? '');
        return provider.chat(...given);
      },
    };
    const previous = {
      question: 'How many concerts were in 2014?',
      sql: 'SELECT count(*) FROM concert WHERE year = 2014',
    };
    const result = await ask(engine, spy, requestFor({ question: 'and in 2015?', previous }), () => {});
    assert.match(
      bodies[0] ?? '',
      /\nEvidence: Previous query: SELECT count\(\*\) FROM concert WHERE year = 2014\nQuestion: and in 2015\?$/,
    );
    assert.equal(result.evidence, '');
  });

  it('proves the loop of turns against a server on loopback', async () => {
    const replies = [
      say({ action: 'inspect', table: 'singer' }),
      'Hmm.',
      say({ action: 'query', sql: 'SELECT nam FROM singer' }),
      say({ action: 'final', sql: COUNT, expected: { rows: 'one', columns: ['n: count'] } }),
    ];
    await withServer(
      (response, { body }, index) => {
        const messages = body['messages'];
        if (index === 2) json(response, 503, {}, { 'retry-after': '0' });
        else
          stream(response, ...(replies[(Array.isArray(messages) ? messages.length : 0) / 2 - 1] ?? '').split(/(?<= )/));
      },
      async (address, server) => {
        const provider = createOpenAiProvider({ baseUrl: address, model: 'test', apiKey: null });
        const result = await ask(engine, provider, requestFor(), () => {});
        await provider.dispose();
        assert.deepEqual(
          result.turns.map(({ action }) => action),
          ['inspect', 'invalid', 'query', 'final'],
        );
        assert.match(JSON.stringify(server.got.at(-1)?.body), /Did you mean singer\.name\?/);
        assert.deepEqual(
          [result.rows, result.signals.agrees, result.stop, result.model.name],
          [[[3]], true, 'final', 'test'],
        );
        assert.equal(server.got.length, 5);
      },
    );
  });

  it('names the server that is down', async () => {
    const address = await withServer(
      () => {},
      async (given) => given,
    );
    const provider = createOpenAiProvider({ baseUrl: address, model: 'test', apiKey: null, pause: async () => true });
    const result = await ask(engine, provider, requestFor(), () => {});
    assert.deepEqual([result.stop, result.status, result.code], ['provider_error', 'error', 'provider_unreachable']);
    assert.match(result.message ?? '', /No server answers at .*ECONNREFUSED/);
  });

  describe('its transcript', () => {
    it('lies in the storage folder, readable by its owner alone, and the newest are kept', async () => {
      const { transcript, ...request } = requestFor();
      await ask(engine, createScriptedProvider(oneShot(COUNT)), request, () => {});
      assert.equal(transcript, null);
      const transcripts = join(engine.storage, 'transcripts');
      const [name = ''] = readdirSync(transcripts);
      assert.match(name, /^\d{8}T\d{6}Z-[0-9a-f]{8}\.jsonl$/);
      for (const second of ['01', '02', '03'])
        writeFileSync(join(transcripts, `20200101T0000${second}Z-00000000.jsonl`), '');
      writeFileSync(join(transcripts, 'mine.jsonl'), '');
      pruneTranscripts(engine.storage, 2);
      assert.deepEqual(readdirSync(transcripts).sort(), ['20200101T000003Z-00000000.jsonl', name, 'mine.jsonl'].sort());
    });

    it('that cannot be written does not stand in the way of an answer', async () => {
      const { result, events } = await asked(oneShot(COUNT), { transcript: join(db, 'inside-a-file.jsonl') });
      assert.equal(result.status, 'ok');
      assert.match(JSON.stringify(events.filter(({ type }) => type === 'note')), /No transcript is kept in/);
    });
  });
});
