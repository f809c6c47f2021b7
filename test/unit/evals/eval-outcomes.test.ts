import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SuiteLine } from '../../../src/protocol/dataset.ts';
import { projectRoot, sqlAgent } from '../../support/cli.ts';
import { countingItems, EvalWorld, eventsOf, type TestItem } from './eval-support.ts';

const COUNT = 'SELECT count(*) FROM singer';
const NAMES = 'SELECT name FROM singer';
const SLOW = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

/** One item of every kind. */
const EVERY_KIND: TestItem[] = [
  { id: 'right', question: 'How many singers are there?', gold: COUNT, reply: COUNT },
  { id: 'wrong', question: 'Names of all singers?', gold: NAMES, reply: `${NAMES} WHERE age > 30` },
  { id: 'error', question: 'Names of the singers again?', gold: NAMES, reply: 'SELECT nam FROM singer' },
  { id: 'slow', question: 'How many numbers are there?', gold: COUNT, reply: SLOW },
  { id: 'silent', question: 'What do you think?', gold: COUNT, reply: 'I do not know.' },
  {
    id: 'gone',
    question: 'Are you there?',
    gold: COUNT,
    reply: { text: '', error: { code: 'provider_server_failed', message: 'The server failed.' } },
  },
  // Without a reply: the script would end the run if it were asked.
  { id: 'broken', question: 'Is the gold right?', gold: 'SELECT nope FROM singer' },
];

describe('an evaluation', () => {
  let world: EvalWorld;

  beforeEach(() => {
    world = new EvalWorld();
  });

  afterEach(() => world.remove());

  it('tells failures apart', async () => {
    world.use(EVERY_KIND);
    const { code } = await world.eval(['--out', world.out, '--retries', '0', '--timeout-ms', '400']);
    assert.equal(code, 0);
    const records = Object.fromEntries(world.records().map((record) => [record.id, record]));
    const outcomes = Object.fromEntries(Object.values(records).map(({ id, outcome }) => [id, outcome]));
    assert.deepEqual(outcomes, {
      right: 'right',
      wrong: 'wrong_rows',
      error: 'sql_error',
      slow: 'timeout',
      silent: 'no_sql',
      gone: 'provider_error',
      broken: 'gold_failed',
    });
    assert.deepEqual(records['wrong']?.diff?.missing, [{ row: ['Bo'], gold: 1, pred: 0 }]);
    assert.equal(records['right']?.diff, undefined);
    assert.deepEqual(records['right']?.needed, ['singer']);
    assert.match(records['broken']?.message ?? '', /no such column: nope/);
    assert.deepEqual([records['broken']?.needed, records['broken']?.turns], [null, []]);
    assert.deepEqual([records['gone']?.code, records['gone']?.verdict.official_ex], ['provider_server_failed', false]);
    const [{ summary } = { summary: null }] = world.ledger();
    assert.deepEqual(summary?.outcomes, {
      right: 1,
      wrong_rows: 1,
      sql_error: 1,
      timeout: 1,
      no_sql: 1,
      provider_error: 1,
      gold_failed: 1,
    });
    assert.deepEqual([summary?.shares.official_ex?.right, summary?.shares.official_ex?.of], [1, 6]);
  });

  it('records what it was and the hash of its output in the ledger', async () => {
    world.use(countingItems(3));
    const { code, stdout } = await world.eval(['--json', '--every', '2']);
    assert.equal(code, 0);
    const printed = JSON.parse(stdout);
    const [line, ...others] = world.ledger();
    assert.equal(others.length, 0);
    assert.deepEqual([line?.run_id, line?.state, line?.summary], [printed.run_id, 'done', printed.summary]);
    assert.equal(printed.folder, join(world.results, printed.run_id));
    assert.match(printed.run_id, /^\d{8}-\d{6}-demo-test-[0-9a-f]{4}$/);
    const items = readFileSync(join(printed.folder, 'items.jsonl'));
    const sha256 = createHash('sha256').update(items).digest('hex');
    assert.deepEqual(line?.output, { path: `${printed.run_id}/items.jsonl`, sha256, bytes: items.length });
    const { config } = line ?? {};
    assert.deepEqual([config?.items.count, config?.items.of], [2, 3]);
    assert.deepEqual([config?.metric, config?.protocol, config?.decoding.retries], ['official_ex', 'one_shot', 3]);
    assert.deepEqual(world.runFile(printed.folder).ids, ['q0', 'q2']);
    assert.deepEqual(line?.git, null);
    assert.deepEqual(line?.command.slice(0, 2), ['sql-agent', 'eval']);
  });

  it('records whether the model is shown its errors, only where it is', async () => {
    world.use(countingItems(1));
    const plain = await world.eval(['--jsonl']);
    const anew = await world.eval(['--jsonl', '--no-repair']);
    const repairing = await world.eval(['--jsonl', '--repair']);
    world.use(countingItems(1), { protocol: 'turns' });
    const inTurns = await world.eval(['--jsonl', '--repair']);
    const decodingOf = (stdout: string) =>
      eventsOf(stdout).flatMap((event) => (event.type === 'started' ? [event.config.decoding] : []));
    for (const { stdout } of [plain, anew, inTurns])
      assert.deepEqual(decodingOf(stdout), [{ samples: 1, retries: 3, turns: 4 }]);
    assert.deepEqual(decodingOf(repairing.stdout), [{ samples: 1, retries: 3, turns: 4, repair: true }]);
  });

  it('prints its events and nothing else with --jsonl', async () => {
    world.use(countingItems(3));
    const { stdout, stderr } = await world.eval(['--jsonl']);
    const events = eventsOf(stdout);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['started', 'item', 'item', 'item', 'ended'],
    );
    assert.equal(stderr, '');
    const [, , second] = events;
    assert.ok(second?.type === 'item');
    assert.deepEqual([second.done, second.total, second.share.right, second.share.of], [2, 3, 2, 2]);
    assert.ok((second.etaMs ?? -1) >= 0);
  });

  it('prints a failure before the run as an event, too', async () => {
    const { stdout, code } = await world.eval(['--jsonl', '--dataset', 'none.json', '--script', 'none']);
    assert.equal(code, 1);
    assert.deepEqual(
      eventsOf(stdout).map((event) => event.type === 'failed' && event.error.code),
      ['script_unreadable'],
    );
  });

  it('shows people progress and every metric with its interval', async () => {
    world.use(EVERY_KIND.slice(0, 3));
    const { stdout, stderr } = await world.eval(['--retries', '0']);
    assert.match(stderr, /^demo on 3 items of test\.sql-tests\.jsonl; kept in /);
    assert.match(stderr, /\n3\/3 · EX 33\.3 % \(6\.1 to 79\.2\) · 1 right, 1 wrong rows, 1 SQL error\n/);
    assert.match(stdout, /official_ex {2}33\.3 % {2}6\.1 to 79\.2 {2}1 of 3 {2}\(what "right" means in this run\)/);
    assert.match(stdout, /strict_ex {4}33\.3 %/);
    assert.match(stdout, /Next:\n {2}sql-agent report \d{8}-/);
  });

  it('tells people that items got no reply, and what to do', async () => {
    world.use(EVERY_KIND.filter(({ id }) => id === 'gone'));
    const { stdout } = await world.eval(['--retries', '0']);
    assert.match(stdout, /No reply {5}to 1 item, counted as wrong; the report says why, --resume asks again\n/);
  });

  it('gives the same records whatever the number of questions at the same time', async () => {
    world.use(countingItems(20));
    const of = async (concurrency: string) => {
      const out = join(world.folder.path, `at-${concurrency}`);
      await world.eval(['--out', out, '--concurrency', concurrency]);
      const records = world.records(out).toSorted((a, b) => a.id.localeCompare(b.id));
      return records.map(({ ms, turns, verdict, ...rest }) => ({ ...rest, replies: turns.map(({ reply }) => reply) }));
    };
    assert.deepEqual(await of('4'), await of('1'));
  });

  it('asks no further where --retries is 0, and takes what a retry finds where it is not', async () => {
    const item = { id: 'a', question: 'How many?', gold: COUNT, reply: ['SELECT nope', 'SELECT no', COUNT] };
    world.use([item]);
    await world.eval(['--out', world.out, '--retries', '0']);
    assert.deepEqual(
      world.records().map(({ outcome, turns }) => [outcome, turns.length]),
      [['sql_error', 1]],
    );
    const other = join(world.folder.path, 'other');
    await world.eval(['--out', other, '--retries', '2']);
    assert.deepEqual(
      world.records(other).map(({ outcome, turns }) => [outcome, turns.length]),
      [['right', 3]],
    );
  });

  it('asks a model of the protocol turns in turns', async () => {
    const reply = ['{"action": "query", "sql": "SELECT 1"}', `{"action": "final", "sql": "${COUNT}"}`];
    world.use([{ id: 'a', question: 'How many?', gold: COUNT, reply }], { protocol: 'turns' });
    await world.eval(['--out', world.out, '--turns', '3']);
    const [record] = world.records();
    assert.deepEqual([record?.outcome, record?.stop, record?.turns.length], ['right', 'final', 2]);
    const { protocol, decoding, prompt } = world.runFile().config;
    assert.deepEqual([protocol, decoding.turns, prompt.name], ['turns', 3, 'turns-1']);
  });

  it('keeps the tables of the gold alone under --link oracle', async () => {
    world.use([{ id: 'a', question: 'How many?', gold: 'SELECT count(*) FROM SINGER', reply: COUNT }]);
    await world.eval(['--out', world.out, '--link', 'oracle']);
    const [record] = world.records();
    assert.deepEqual([record?.linked.kept, record?.linked.left], [['singer'], ['concert']]);
    assert.deepEqual(world.ledger()[0]?.summary.linking, { items: 1, all_kept: 1, kept: 1, needed: 1, needed_kept: 1 });
  });

  it('lists missing databases up front and runs the rest', async () => {
    const [first, second] = countingItems(2);
    assert.ok(first && second);
    world.use([{ ...first, db_id: 'nowhere' }, second]);
    const { code, stderr } = await world.eval(['--out', world.out]);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^The database nowhere\.sqlite is missing \(it was looked for at .*nowhere\.sqlite\): 1 item is/,
    );
    assert.deepEqual(world.runFile().ids, ['q1']);
    world.use([{ ...first, db_id: 'nowhere' }]);
    const none = await world.eval(['--json']);
    assert.deepEqual([none.code, JSON.parse(none.stdout).code], [1, 'eval_no_items']);
  });

  it('asks the items whose ids stand in a file, and says where the file cannot be read', async () => {
    world.use(countingItems(4));
    const ids = world.write('ids.txt', 'q3\r\n\nq1\n');
    await world.eval(['--out', world.out, '--ids', ids]);
    assert.deepEqual(world.runFile().ids, ['q1', 'q3']);
    const { code, stdout } = await world.eval(['--ids', 'none.txt', '--json']);
    assert.deepEqual([code, JSON.parse(stdout).code], [1, 'ids_unreadable']);
  });

  it('counts an item whose database is none as one whose gold fails', async () => {
    const [first] = countingItems(1);
    assert.ok(first);
    world.write('text.sqlite', 'no database');
    world.use([{ ...first, db_id: 'text' }]);
    await world.eval(['--out', world.out]);
    const [record] = world.records();
    assert.deepEqual([record?.outcome, record?.verdict.official_ex], ['gold_failed', null]);
    assert.match(record?.message ?? '', /text\.sqlite/);
  });

  it('finds every gold of the bundled sample right, also on changed copies of its database', async () => {
    const sample = join(projectRoot, 'media/sample.sql-tests.jsonl');
    const lines = readFileSync(sample, 'utf8').trimEnd().split('\n');
    const items = lines.map((line) => SuiteLine.parse(JSON.parse(line)));
    const byQuestion = Object.fromEntries(items.map(({ question, sql }) => [question, sql]));
    const script = world.write('golds.json', JSON.stringify({ protocol: 'one_shot', byQuestion }));
    const words = ['eval', '--dataset', sample, '--script', script, '--results', world.results, '--fragile', '--json'];
    const { stdout } = await sqlAgent(words, { cwd: world.folder.path, env: world.env });
    const { summary } = JSON.parse(stdout);
    assert.deepEqual([summary.outcomes.right, summary.fragile], [items.length, { right: items.length, differ: 0 }]);
  });

  for (const [what, words, message] of [
    ['no dataset', ['--model', 'small'], /--dataset FILE/],
    ['words without an option', ['dev.json'], /options only/],
    ['both kinds of JSON', ['--json', '--jsonl'], /exclude each other/],
    [
      'an adapter for a server',
      ['--dataset', 'd', '--adapter', 'a', '--base-url', 'http://x', '--model', 'm'],
      /for local models/,
    ],
    ['an adapter for no model', ['--dataset', 'd', '--provider', 'local', '--adapter', 'a'], /--model small/],
    [
      '--keep-errors without --resume',
      ['--dataset', join(projectRoot, 'media/sample.sql-tests.jsonl'), '--model', 'small', '--keep-errors'],
      /add --resume/,
    ],
  ] as const)
    it(`refuses ${what} as wrong usage`, async () => {
      const options = { cwd: world.folder.path, env: world.env };
      const { code, stderr, stdout } = await sqlAgent(['eval', ...words], options);
      assert.equal(code, 2);
      assert.match(stderr + stdout, message);
    });
});
