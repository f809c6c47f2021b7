import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processOutput } from '../../../src/cli/output.ts';
import { verb } from '../../../src/cli/verbs/schema.ts';
import { Catalog } from '../../../src/protocol/catalog.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { projectRoot, sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('sql-agent schema', () => {
  let folder: TemporaryFolder;
  let db: string;
  before(() => {
    folder = temporaryFolder();
    db = folder.database(
      'shop.sqlite',
      `CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, -- as on the bill
         city TEXT DEFAULT 'Rome');
       CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer INT REFERENCES customer (id), item INT REFERENCES item (id));
       CREATE INDEX by_customer ON "order" (customer);
       CREATE VIEW buyers AS SELECT name FROM customer;
       CREATE TABLE gone (a); CREATE VIEW lost AS SELECT a FROM gone; DROP TABLE gone;
       CREATE VIRTUAL TABLE note USING fts5(body);
       INSERT INTO customer (name) VALUES ('Ann'), ('Bob')`,
    );
  });
  after(() => folder.remove());

  const schema = (...words: string[]) =>
    sqlAgent(['schema', ...words], { env: { SQL_AGENT_HOME: join(folder.path, 'home') } });

  it('prints a tree of tables with columns, keys, indexes, and what is broken', async () => {
    const { code, stdout } = await schema(db, '--counts');
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `3 tables, 2 views

customer (2 rows)
  id    INTEGER  primary key
  name  TEXT     not null  -- as on the bill
  city  TEXT     default 'Rome'

order (0 rows)
  id        INTEGER  primary key
  customer  INT      -> customer.id
  item      INT      -> item.id (broken: there is no table "item")
  index: by_customer (customer)

buyers (view, 2 rows)
  name  TEXT

lost (view)
  cannot be read: no such table: main.gone

note (virtual table, 0 rows)
  body
  note    hidden
  rank    hidden

Shadow tables of virtual ones: note_data, note_idx, note_content, note_docsize, note_config

Broken:
  View lost cannot be read: no such table: main.gone.
  Foreign key "order"(item) is broken: there is no table "item".
`,
    );
  });

  it('prints one JSON object with the catalog', async () => {
    const { code, stdout } = await schema(db, '--json');
    assert.equal(code, 0);
    const { status, ...catalog } = JSON.parse(stdout);
    assert.equal(status, 'ok');
    assert.equal(Catalog.parse(catalog).tables.length, 10);
    assert.equal(catalog.problems.length, 2);
    assert.equal(stdout.trim().split('\n').length, 1);
  });

  it('prints CREATE statements', async () => {
    const { stdout } = await schema(db, '--ddl');
    assert.match(
      stdout,
      /^CREATE TABLE customer \(\n {2}id INTEGER PRIMARY KEY,\n {2}name TEXT NOT NULL, -- as on the bill\n/,
    );
    assert.match(stdout, /\nCREATE VIRTUAL TABLE note USING fts5\(body\);/);
    assert.doesNotMatch(stdout, /note_data/);
  });

  it('prints exactly the message that a local model gets', async () => {
    const [line = ''] = readFileSync(join(projectRoot, 'test/fixtures/lines1/chinook.jsonl'), 'utf8').split('\n');
    const { question, user, system } = JSON.parse(line);
    const plain = await schema('media/chinook.sqlite', '--prompt', question);
    assert.equal(plain.stdout, `${user}\n`);
    assert.equal(plain.stderr, '');
    const answer = JSON.parse((await schema('media/chinook.sqlite', '--prompt', question, '--json')).stdout);
    assert.equal(answer.status, 'ok');
    assert.equal(answer.user, user);
    assert.equal(answer.system, system);
    assert.deepEqual(answer.skipped, []);
    assert.ok(answer.stablePrefix > 0 && answer.tokens > 0);
  });

  it('adds the evidence, and says which columns there was no time for', async () => {
    const fresh = folder.database('fresh.sqlite', "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('Rome')");
    const { code, stdout, stderr } = await schema(
      fresh,
      '--prompt',
      'Who is in Rome?',
      '--evidence',
      'Rome is a city',
      '--scan-ms',
      '0',
    );
    assert.equal(code, 0);
    assert.equal(stdout, 'Schema:\nt(a text)\nEvidence: Rome is a city\nQuestion: Who is in Rome?\n');
    assert.match(stderr, /no time was left to read the values of t\.a/);
  });

  it('shows control characters in names as symbols', async () => {
    const odd = folder.database('odd.sqlite', 'CREATE TABLE "a\u001b[31m" ("b\nc" TEXT)');
    const { stdout } = await schema(odd);
    assert.match(stdout, /a␛\[31m\n {2}b↵c {2}TEXT/);
  });

  it('fails with a code and exit 1 for a file that is no database', async () => {
    const text = join(folder.path, 'notes.sqlite');
    writeFileSync(text, 'only text');
    const { code, stdout } = await schema(text, '--json');
    assert.equal(code, 1);
    const answer = JSON.parse(stdout);
    assert.deepEqual([answer.status, answer.code], ['error', 'db_not_sqlite']);
    assert.match(answer.message, /notes\.sqlite/);
  });

  it('exits 2 for words that make no sense', async () => {
    for (const words of [
      [],
      [db, 'other.sqlite'],
      [db, '--ddl', '--counts'],
      [db, '--ddl', '--prompt', 'q'],
      [db, '--evidence', 'e'],
      [db, '--prompt', 'q', '--scan-ms', 'soon'],
    ])
      assert.equal((await schema(...words)).code, 2, words.join(' '));
  });

  it('ends as cancelled while it counts the rows of a view without end', async () => {
    const endless = folder.database(
      'endless.sqlite',
      'CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
    );
    const controller = new AbortController();
    const running = verb.run(
      { out: processOutput(true, {}), env: {}, cwd: folder.path, signal: controller.signal },
      { positionals: [endless], values: { counts: true } },
    );
    // The count never ends by itself, so that it is all the same when the cancellation comes.
    setTimeout(() => controller.abort(), 300);
    await assert.rejects(running, (error) => error instanceof AppError && error.code === 'cancelled');
  });
});
