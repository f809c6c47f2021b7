import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Provider } from '../../../../src/core/ports.ts';
import { AskSession } from '../../../../src/host/ask/session.ts';
import type { AskAction, AskState } from '../../../../src/host/ask/state.ts';
import { AppError } from '../../../../src/protocol/errors.ts';
import { ask } from '../../../../src/runtime/ask.ts';
import { type Engine, openEngine } from '../../../../src/runtime/engine.ts';
import { createScriptedProvider, type Script } from '../../../../src/runtime/model/scripted-provider.ts';

const SINGERS = `CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
  INSERT INTO singer VALUES (1, 'Ann', 'France'), (2, 'Bo', 'France'), (3, 'Cy', 'Peru');`;
const QUESTION = { question: 'How many singers are there?', evidence: '', previous: null, samples: 1 };
const RUNAWAY = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

describe('the questions of an ask panel', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ask-session-'));
  const db = join(folder, 'singers.sqlite');
  let engine: Engine;
  let disposed: number;

  before(async () => {
    const database = new DatabaseSync(db);
    database.exec(SINGERS);
    database.close();
    engine = await openEngine({ storage: join(folder, 'home'), children: 1 });
  });
  after(async () => {
    await engine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    disposed = 0;
  });

  function counted(provider: Provider): Provider {
    return {
      ...provider,
      chat: (request, progress, signal) => provider.chat(request, progress, signal),
      dispose: async () => {
        disposed += 1;
      },
    };
  }

  /** A session, and a way to wait for what happens in it. */
  function open(script: Script | AppError) {
    const waiting: { until: (action: AskAction, state: AskState) => boolean; resolve: () => void }[] = [];
    const provider = script instanceof AppError ? null : counted(createScriptedProvider(script));
    const session = new AskSession({
      db,
      provider: async () => {
        if (provider === null) throw script;
        return provider;
      },
      engine: async () => engine,
      load: async () => ask,
      settings: () => ({ turns: 4, link: 'auto', timeoutMs: 5000, maxRows: 100 }),
      now: () => performance.now(),
      onAction: (action, state) => {
        for (const { until, resolve } of waiting) if (until(action, state)) resolve();
      },
    });
    const until = (condition: (action: AskAction, state: AskState) => boolean) =>
      new Promise<void>((resolve) => waiting.push({ until: condition, resolve }));
    return { session, until };
  }

  it('answers, and gives the provider back', async () => {
    const { session } = open({ protocol: 'one_shot', replies: ['SELECT count(*) AS n FROM singer'] });
    assert.equal(await session.ask(QUESTION), null);
    const { run, rows } = session.state;
    assert.equal(run?.status, 'done');
    assert.equal(run?.answer?.sql, 'SELECT count(*) AS n FROM singer');
    assert.deepEqual(rows['run-1'], [[3]]);
    assert.equal(run?.answer?.signals.agrees, true);
    assert.deepEqual(run?.linked?.kept, ['singer']);
    assert.equal(disposed, 1);
  });

  it('takes the last answer along in a follow-up, and asks the same again', async () => {
    const { session } = open({ protocol: 'one_shot', replies: ['SELECT 1', 'SELECT 2'] });
    const previous = { question: 'How many?', sql: 'SELECT 1' };
    await session.ask({ ...QUESTION, previous });
    assert.deepEqual(session.state.run?.previous, previous);
    await session.again();
    assert.deepEqual([session.state.run?.id, session.state.run?.previous], [2, previous]);
  });

  it('is stopped while the model writes, and can ask again', async () => {
    const reply = { text: 'SELECT count(*) AS n FROM singer WHERE country = 1', tokenDelayMs: 10_000 };
    const { session, until } = open({ protocol: 'one_shot', replies: [reply, 'SELECT 1'] });
    const writing = until((action) => action.type === 'event' && action.event.type === 'token');
    const asking = session.ask(QUESTION);
    await writing;
    session.stop();
    assert.equal(session.state.run?.status, 'stopping');
    await asking;
    assert.equal(session.state.run?.status, 'stopped');
    assert.equal(disposed, 1);
    await session.again();
    assert.equal(session.state.run?.status, 'done');
  });

  it('keeps the error of a model that cannot be had', async () => {
    const error = new AppError('no_server_address', 'No server is chosen.');
    const { session } = open(error);
    assert.equal(await session.ask(QUESTION), error);
    assert.equal(session.state.run?.status, 'failed');
    assert.deepEqual(session.state.run?.error?.code, 'no_server_address');
  });

  it('keeps the error of a model that fails', async () => {
    const reply = { text: '', error: { code: 'provider_down', message: 'The server does not answer.' } };
    const { session } = open({ protocol: 'one_shot', replies: [reply] });
    await session.ask(QUESTION);
    const { run } = session.state;
    assert.equal(run?.error?.message ?? run?.answer?.outcome.message, 'The server does not answer.');
  });

  it('runs the SQL of the user beside an answer', async () => {
    const { session } = open({ protocol: 'one_shot', replies: ['SELECT count(*) AS n FROM singer'] });
    await session.ask(QUESTION);
    await session.runSql('SELECT name FROM singer ORDER BY id');
    assert.deepEqual(session.state.rows['edited-1'], [['Ann'], ['Bo'], ['Cy']]);
    await session.runSql('SELECT nam FROM singer');
    assert.equal(session.state.edited?.outcome?.status, 'error');
    await session.runSql('DELETE FROM singer');
    assert.equal(session.state.edited?.outcome?.status, 'rejected');
    assert.deepEqual(session.state.rows['run-1'], [[3]]);
    session.discardSql();
    assert.equal(session.state.edited, null);
  });

  it('runs the latest of two statements, whichever ends first', async () => {
    const { session } = open({ protocol: 'one_shot', replies: [] });
    const first = session.runSql(RUNAWAY);
    await session.runSql('SELECT 2 AS n');
    await first;
    assert.deepEqual([session.state.edited?.sql, session.state.rows['edited-2']], ['SELECT 2 AS n', [[2]]]);
  });

  it('stops SQL of the user', async () => {
    const { session } = open({ protocol: 'one_shot', replies: [] });
    const running = session.runSql(RUNAWAY);
    session.stopSql();
    await running;
    assert.equal(session.state.edited?.outcome?.status, 'cancelled');
  });

  it('asks one question at a time', async () => {
    const { session } = open({ protocol: 'one_shot', replies: ['SELECT 1'] });
    const first = session.ask(QUESTION);
    assert.equal(await session.ask({ ...QUESTION, question: 'Another?' }), null);
    await first;
    assert.equal(session.state.run?.question, QUESTION.question);
  });
});
