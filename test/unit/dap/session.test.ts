import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { DapMessage } from '../../../src/protocol/dap.ts';
import { MessageReader, serve } from '../../../src/runtime/dap/stdio.ts';
import { projectRoot, sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { type Body, DapClient } from './client.ts';
import { shopFolder, useDebugger } from './world.ts';

/** Counts for hours. */
const ENDLESS = `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
SELECT count(*) FROM customer JOIN n a ON a.i >= 0 JOIN n b ON b.i + a.i >= 0`;

describe('a debug session', () => {
  const world = useDebugger();
  const { folder } = world;

  const launch = async (args: Body) => {
    await world.client.ask('initialize', {});
    return world.client.refusal('launch', args);
  };

  it('says in its first answer what it can do', async () => {
    const capabilities = await world.client.ask('initialize', {});
    for (const name of ['supportsStepBack', 'supportsDataBreakpoints', 'supportsLogPoints', 'supportsCancelRequest'])
      assert.equal(capabilities[name], true);
    const filters = capabilities['exceptionBreakpointFilters'] as { filter: string; default: boolean }[];
    assert.deepEqual(
      filters.map(({ filter, default: isOn }) => [filter, isOn]),
      [
        ['rows_diverge', true],
        ['no_rows', false],
      ],
    );
  });

  it('does not begin for what is no query', async () => {
    const { db } = folder;
    assert.match(await launch({ sql: 'DELETE FROM customer', database: db }), /would change customer/);
    assert.match(await launch({ sql: '-- nothing yet', database: db }), /The query is empty/);
    assert.match(await launch({ sql: 'PRAGMA table_info(customer)', database: db }), /not a SELECT/);
  });

  it('does not begin without a query, a database or a file that can be read', async () => {
    assert.match(await launch({ database: folder.db }), /nothing to debug/);
    assert.match(await launch({ sql: 'SELECT 1', database: 'gone.sqlite' }), /gone\.sqlite/);
    assert.match(await launch({ program: 'gone.sql', database: folder.db }), /gone\.sql cannot be read/);
    assert.match(await launch({ run: 'latest', item: '1', results: folder.path }), /run/i);
  });

  it('finds the only database beside the query, and its gold; of several it names them', async () => {
    const own = temporaryFolder();
    try {
      writeFileSync(join(own.path, 'q.sql'), 'SELECT id FROM t');
      const elsewhere = new DapClient(own.path);
      assert.match(await elsewhere.refusal('launch', { sql: 'SELECT 1' }), /No database is named: give "database"/);
      await elsewhere.close();
      own.database('one.db', 'CREATE TABLE t (id INTEGER PRIMARY KEY)');
      writeFileSync(join(own.path, 'q.gold.sql'), 'SELECT id FROM t WHERE id > 1');
      await world.client.launch({ program: join(own.path, 'q.sql') });
      assert.equal((await world.client.frames(2))[0]?.source?.path, join(own.path, 'q.gold.sql'));
      own.database('two.db', 'CREATE TABLE t (id INTEGER PRIMARY KEY)');
      assert.match(await launch({ program: join(own.path, 'q.sql') }), /one of .*one\.db, .*two\.db/);
    } finally {
      own.remove();
    }
  });

  it('can be launched again after a launch that failed', async () => {
    await launch({ sql: 'DELETE FROM customer', database: folder.db });
    assert.equal((await world.client.launch({ sql: 'SELECT 1', database: folder.db }))['reason'], 'entry');
  });

  it('refuses what it does not know, what makes no sense and what comes too early', async () => {
    assert.match(await world.client.refusal('stackTrace', { threadId: 1 }), /No query is being debugged yet/);
    assert.match(await world.client.refusal('attach', {}), /knows no request "attach"/);
    assert.match(await world.client.refusal('variables', { variablesReference: 'one' }), /variablesReference/);
    await world.client.launch({ sql: 'SELECT name FROM customer', database: folder.db });
    assert.match(await world.client.refusal('next', {}), /"next" cannot be understood: threadId/);
    assert.match(await world.client.refusal('next', { threadId: 7 }), /no thread 7/);
    assert.match(await world.client.refusal('scopes', { frameId: 7 }), /was left/);
    assert.match(await world.client.refusal('source', { sourceReference: 7 }), /no text 7/);
    world.client.session.handleMessage('nonsense');
    world.client.session.handleMessage({ type: 'response', seq: 1 });
    assert.equal(await world.client.at(), 'FROM customer · 4 rows');
  });

  it('says why rows could not be counted where the database is gone', async () => {
    const db = folder.database('soon-gone.sqlite', 'CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)');
    await world.client.launch({ sql: 'SELECT id FROM t WHERE id > 0', database: db });
    rmSync(db);
    const told = world.client.next('output');
    await world.client.move('next');
    assert.match(String((await told)['output']), /soon-gone\.sqlite/);
  });

  it('says why rows could not be counted where SQLite fails at them', async () => {
    const told = world.client.next('output');
    await world.client.launch({
      sql: 'SELECT id FROM customer WHERE abs(id - 9223372036854775807 - 2) > 0',
      database: folder.db,
    });
    await world.client.move('next');
    assert.match(String((await told)['output']), /^The rows after WHERE could not be counted: .*integer overflow/);
  });

  it('tells of a query that takes long, and stops at its clause when that is cancelled', async () => {
    await world.client.launch({ sql: ENDLESS, database: folder.db });
    await world.client.move('next');
    const begun = world.client.next('progressStart');
    const ended = world.client.next('progressEnd');
    const stopped = world.client.next('stopped');
    await world.client.ask('next', { threadId: 1 });
    assert.match(await world.client.refusal('next', { threadId: 1 }), /is running/);
    const { progressId, cancellable } = await begun;
    assert.equal(cancellable, true);
    await world.client.ask('cancel', { progressId });
    assert.equal((await ended)['progressId'], progressId);
    assert.equal((await stopped)['reason'], 'pause');
    assert.equal(await world.client.at(), 'JOIN b · ? rows');
    // What nobody waited for is not counted again to show it.
    assert.equal((await world.client.scopes())[0]?.name, 'Rows after this clause (?)');
  });

  it('stops a query that runs when it is paused', async () => {
    await world.client.launch({ sql: ENDLESS, database: folder.db });
    await world.client.move('next');
    const begun = world.client.next('progressStart');
    const stopped = world.client.next('stopped');
    await world.client.ask('next', { threadId: 1 });
    await begun;
    await world.client.ask('pause', { threadId: 1 });
    assert.equal((await stopped)['reason'], 'pause');
  });

  it('ends the query of a request that is cancelled', async () => {
    await world.client.launch({ sql: ENDLESS, database: folder.db });
    const [frame] = await world.client.frames();
    const slow = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const { seq, response } = world.client.send('evaluate', { expression: slow, frameId: frame?.id, context: 'repl' });
    await world.client.ask('cancel', { requestId: seq });
    const { success, message } = await response;
    assert.deepEqual([success, message], [false, 'cancelled']);
  });

  it('ends its queries when the client disconnects, and tells nothing more of them', async () => {
    await world.client.launch({ sql: ENDLESS, database: folder.db });
    await world.client.move('next');
    const begun = world.client.next('progressStart');
    await world.client.ask('next', { threadId: 1 });
    await begun;
    const before = world.client.events.filter(({ event }) => event === 'stopped').length;
    const ended = world.client.next('progressEnd');
    await world.client.ask('disconnect');
    await ended;
    assert.equal(world.client.events.filter(({ event }) => event === 'stopped').length, before);
  });
});

describe('sql-agent dap', () => {
  let folder: ReturnType<typeof shopFolder>;

  before(() => {
    folder = shopFolder();
  });
  after(() => folder.remove());

  it('speaks the protocol over standard input and output, and ends with its input', async () => {
    const child = spawn(process.execPath, [join(projectRoot, 'src/cli/main.ts'), 'dap'], {
      cwd: folder.path,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const reader = new MessageReader();
    const waiting: ((message: DapMessage) => void)[] = [];
    const messages: DapMessage[] = [];
    child.stdout.on('data', (bytes: Uint8Array) => {
      for (const text of reader.push(bytes)) {
        const message: DapMessage = JSON.parse(text);
        const taker = waiting.shift();
        if (taker) taker(message);
        else messages.push(message);
      }
    });
    const take = () => {
      const message = messages.shift();
      return message ? Promise.resolve(message) : new Promise<DapMessage>((resolve) => waiting.push(resolve));
    };
    const until = async (isWanted: (message: DapMessage) => boolean) => {
      for (;;) {
        const message = await take();
        if (isWanted(message)) return message;
      }
    };
    const event = (name: string) => until((message) => message.type === 'event' && message.event === name);
    let seq = 0;
    const send = (command: string, args: unknown) => {
      const text = JSON.stringify({ seq: ++seq, type: 'request', command, arguments: args });
      child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    };
    send('initialize', {});
    send('launch', { sql: "SELECT name FROM customer WHERE name <> 'é'", database: 'shop.sqlite' });
    await event('initialized');
    send('configurationDone', {});
    assert.equal(((await event('stopped')).body as Body)['description'], 'FROM customer · 4 rows');
    send('next', { threadId: 1 });
    assert.equal(((await event('stopped')).body as Body)['description'], 'WHERE · 4 rows');
    child.stdin.end();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('ends when the client disconnects, though its input stays open', async () => {
    const folder = shopFolder();
    const client = new DapClient(folder.path);
    const input = new PassThrough();
    const serving = serve(client.session, input, new PassThrough(), new AbortController().signal);
    const text = JSON.stringify({ seq: 1, type: 'request', command: 'disconnect' });
    input.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    await serving;
    assert.equal(input.destroyed, true);
    await client.close();
    folder.remove();
  });

  it('reads messages however they are cut', () => {
    const reader = new MessageReader();
    const bytes = Buffer.from('Content-Length: 4\r\n\r\n"é"Content-Length: 1\r\nX: y\r\n\r\n7');
    const found = [...bytes].flatMap((byte) => reader.push(Uint8Array.of(byte)));
    assert.deepEqual(found, ['"é"', '7']);
    assert.throws(() => reader.push(Buffer.from('GET / HTTP/1.1\r\n\r\n')), { code: 'dap_input' });
    assert.throws(() => new MessageReader().push(Buffer.alloc(70_000, 'x')), { code: 'dap_input' });
  });

  it('says what it is to a person who starts it', async () => {
    const { code, stdout } = await sqlAgent(['dap', '--help']);
    assert.equal(code, 0);
    assert.match(stdout, /Debug Adapter\s+Protocol/);
    assert.equal((await sqlAgent(['dap', 'query.sql'])).code, 2);
  });
});
