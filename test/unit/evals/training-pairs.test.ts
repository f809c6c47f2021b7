import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
      /^2 pairs in pairs\.jsonl\nTrain on it: sql-agent train sft --base small --adapter small --data pairs\.jsonl\n$/,
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
  });

  it('never writes over a file, and leaves nothing half-written', async () => {
    await pairs('--out', 'pairs.jsonl', '--limit', '1');
    assert.equal(written().length, 1);
    const { code, stderr } = await pairs('--out', 'pairs.jsonl');
    assert.equal(code, 1);
    assert.match(stderr, /pairs\.jsonl is there already/);
    assert.equal(written().length, 1);
    assert.equal(existsSync(join(folder.path, 'pairs.jsonl.part')), false);
    const absent = await pairs('--out', 'no/folder/pairs.jsonl');
    assert.match(absent.stderr, /cannot be written/);
    assert.ok(!readdirSync(folder.path).includes('no'));
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
