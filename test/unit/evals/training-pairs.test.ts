import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('sql-agent dataset pairs', function () {
  this.timeout(60_000);
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
    folder.database(
      'shop.sqlite',
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (1, 'tea'), (2, 'milk');",
    );
    suite([
      { id: 'count', question: 'How many items?', sql: 'SELECT count(*) FROM item ;\n' },
      {
        id: 'tea',
        question: 'Which item is tea?',
        evidence: 'tea is a name',
        sql: "SELECT id FROM item WHERE name = 'tea'",
      },
      { id: 'wrong', question: 'What does it cost?', sql: 'SELECT price FROM item' },
      { id: 'lost', question: 'Where?', sql: 'SELECT 1', database: 'gone.sqlite' },
    ]);
  });
  afterEach(() => folder.remove());

  function suite(lines: object[]): void {
    const text = lines.map((line) => `${JSON.stringify({ database: 'shop.sqlite', ...line })}\n`).join('');
    writeFileSync(join(folder.path, 'shop.sql-tests.jsonl'), text);
  }

  const call = (words: string[]) =>
    sqlAgent(words, { cwd: folder.path, env: { SQL_AGENT_HOME: join(folder.path, 'home') } });
  const pairs = (...words: string[]) => call(['dataset', 'pairs', 'shop.sql-tests.jsonl', ...words]);
  const written = () =>
    readFileSync(join(folder.path, 'pairs.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('writes for each question the message that a local model gets, and the gold as its answer', async () => {
    const { code, stdout } = await pairs('--out', 'pairs.jsonl');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^2 pairs in pairs\.jsonl\nTrain on it: sql-agent train sft --base small --adapter small --lr 3e-4 --data pairs\.jsonl\n$/,
    );
    const prompt = await call(['schema', 'shop.sqlite', '--json', '--prompt', 'How many items?']);
    const { system, user } = JSON.parse(prompt.stdout);
    assert.deepEqual(written()[0], { system, user, sql: 'SELECT count(*) FROM item', id: 'count', db_id: 'shop' });
    assert.match(written()[1].user, /tea is a name/);
  });

  it('leaves out, and names, what has no database or a gold that does not run', async () => {
    const { stderr } = await pairs('--out', 'pairs.jsonl');
    assert.match(stderr, /2 of the dataset are left out:\n {2}line 3, id wrong: .*no such column: price/);
    assert.match(stderr, /line 4, id lost: its database is missing/);
    suite([{ id: 'wrong', question: 'What does it cost?', sql: 'SELECT price FROM item' }]);
    const { code, stdout } = await pairs('--out', 'none.jsonl', '--json');
    assert.equal(code, 1);
    assert.deepEqual([JSON.parse(stdout).status, JSON.parse(stdout).skipped[0].id], ['empty', 'wrong']);
    assert.ok(
      !readdirSync(folder.path).some((name) => name.startsWith('none')),
      'a file without pairs stands in the way',
    );
  });

  it('never writes over a file, and leaves nothing half-written', async () => {
    await pairs('--out', 'pairs.jsonl', '--limit', '1');
    assert.equal(written().length, 1);
    const { code, stderr } = await pairs('--out', 'pairs.jsonl');
    assert.equal(code, 1);
    assert.match(stderr, /pairs\.jsonl is there already/);
    assert.equal(written().length, 1);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('pairs')),
      ['pairs.jsonl'],
    );
    const absent = await pairs('--out', 'no/folder/pairs.jsonl');
    assert.match(absent.stderr, /cannot be written/);
    assert.ok(!readdirSync(folder.path).includes('no'));
  });

  it('says the schema otherwise, with the query in those names, the same for the same seed', async () => {
    const { stdout } = await pairs('--out', 'pairs.jsonl', '--phrasings', '6', '--seed', '5');
    assert.match(stdout, /^14 pairs in pairs\.jsonl, 12 with the schema said otherwise\n/);
    const phrased = written().filter(({ phrasing }) => phrasing !== undefined);
    assert.ok(new Set(phrased.map(({ user }) => user.split('\n')[1])).size > 2);
    for (const { user, sql, id } of phrased.filter((pair) => pair.id === 'tea')) {
      const [, table, id_, name] =
        /^("[^"]+"|\w+)\((?:(?=.*?("[^"]+"|\w+) integer pk))(?:.*?("[^"]+"|\w+) text)/m.exec(user) ?? [];
      assert.equal(sql, `SELECT ${id_} FROM ${table} WHERE ${name} = 'tea'`, id);
    }
    await pairs('--out', 'again.jsonl', '--phrasings', '6', '--seed', '5');
    await pairs('--out', 'other.jsonl', '--phrasings', '6', '--seed', '6');
    const text = (name: string) => readFileSync(join(folder.path, name), 'utf8');
    assert.equal(text('again.jsonl'), text('pairs.jsonl'));
    assert.notEqual(text('other.jsonl'), text('pairs.jsonl'));
  });

  it('makes repairs of the very messages with which the agent sends a failing query back', async () => {
    const { stdout } = await pairs('--out', 'pairs.jsonl', '--repairs', '100%');
    assert.match(stdout, /with a query to be put right\n(.*\n)*What is trained on it is shown the error of its query/);
    const repairs = written().filter(({ messages }) => messages !== undefined);
    assert.ok(repairs.length > 0);
    const [{ messages, id }] = repairs;
    const [system, user, wrong, error, right] = messages;
    const plain = written().find((pair) => pair.id === id && pair.user !== undefined);
    assert.deepEqual([system.content, user.content, right.content], [plain.system, plain.user, plain.sql]);
    assert.deepEqual([wrong.train, right.train, right.role], [false, undefined, 'assistant']);
    writeFileSync(
      join(folder.path, 'replies.json'),
      JSON.stringify({ protocol: 'one_shot', replies: [wrong.content, right.content] }),
    );
    const question = id === 'count' ? 'How many items?' : 'Which item is tea?';
    const evidence = id === 'count' ? [] : ['--evidence', 'tea is a name'];
    const asked = ['ask', 'shop.sqlite', question, ...evidence, '--provider', 'scripted', '--script', 'replies.json'];
    await call([...asked, '--repair', '--transcript', 'asked.jsonl']);
    const chats = readFileSync(join(folder.path, 'asked.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line).effect?.request ?? []);
    const sent = messages
      .slice(0, 4)
      .map(({ role, content }: { role: string; content: string }) => ({ role, content }));
    assert.deepEqual(chats[1].messages, sent);
    assert.match(error.content, /^The query failed.*no such (?:column|table): .*\n(?:.*\n)?Correct the query\.$/);
  });

  it('repairs what failed in a run on the same dataset, and takes no other run', async () => {
    const replies = { protocol: 'one_shot', replies: ['SELECT total FROM item'] };
    writeFileSync(join(folder.path, 'replies.json'), JSON.stringify(replies));
    const run = ['eval', '--dataset', 'shop.sql-tests.jsonl', '--provider', 'scripted', '--script', 'replies.json'];
    await call([...run, '--limit', '1', '--retries', '0', '--results', 'results']);
    const from = ['--from-run', 'latest', '--results', 'results'];
    await pairs('--out', 'pairs.jsonl', '--limit', '1', ...from);
    assert.deepEqual([written().length, written()[1].repair], [2, 'run']);
    assert.equal(written()[1].messages[2].content, 'SELECT total FROM item');
    suite([{ id: 'count', question: 'How many?', sql: 'SELECT count(*) FROM item' }]);
    const { code, stderr } = await pairs('--out', 'other.jsonl', ...from);
    assert.equal(code, 1);
    assert.match(stderr, /is of another dataset/);
  });

  it('writes answers in one style, and leaves out what is beyond a bound', async () => {
    suite([
      { id: 'case', question: 'Which?', sql: 'select  ID from ITEM\n where NAME = "tea"' },
      { id: 'long', question: 'Which?', sql: 'SELECT id FROM item WHERE id = 1 OR id = 2' },
    ]);
    const { stderr } = await pairs('--out', 'pairs.jsonl', '--one-style', '--max-answer', '40');
    assert.deepEqual(
      written().map(({ sql }) => sql),
      ["SELECT id FROM item WHERE name = 'tea'"],
    );
    assert.match(stderr, /id long: its query has 42 characters/);
  });

  it('shows of a large schema the tables of the gold and some others', async () => {
    const tables = Array.from({ length: 20 }, (_, index) => `CREATE TABLE other${index} (id INTEGER, name TEXT);`);
    folder.database('large.sqlite', `${tables.join('\n')} CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT);`);
    suite([{ id: 'count', question: 'How many?', sql: 'SELECT count(*) FROM item', database: 'large.sqlite' }]);
    await pairs('--out', 'pairs.jsonl', '--max-tables', '8', '--phrasings', '1');
    for (const { user } of written()) {
      const shown = user.split('\n').filter((line: string) => /^("[^"]+"|\w+)\(/.test(line));
      assert.ok(shown.length >= 6 && shown.length <= 8, String(shown.length));
      assert.match(user, /item/i);
    }
  });

  it('says which shares it takes', async () => {
    for (const share of ['2', '-1', 'half', '', '%', '0x1']) {
      const { code, stderr } = await pairs('--out', 'p', `--repairs=${share}`);
      assert.equal(code, 2, share);
      assert.match(stderr, /--repairs/);
    }
  });

  it('takes the options of its own action only', async () => {
    const wrong: [string[], RegExp][] = [
      [['dataset', 'pairs', 'shop.sql-tests.jsonl'], /needs the file to write: --out/],
      [
        ['dataset', 'pairs', 'shop.sql-tests.jsonl', '--out', 'p', '--golds'],
        /--golds does not go with "dataset pairs"/,
      ],
      [['dataset', 'check', 'shop.sql-tests.jsonl', '--out', 'p'], /--out does not go with "dataset check"/],
      [['dataset', 'make', 'shop.sql-tests.jsonl'], /dataset pairs FILE --out PAIRS/],
    ];
    for (const [words, message] of wrong) {
      const { code, stderr } = await call(words);
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
  });
});
