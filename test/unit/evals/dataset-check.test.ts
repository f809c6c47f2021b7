import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqlAgent } from '../../support/cli.ts';
import { needShared } from '../../support/shared.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { birdItem, list } from './dataset-support.ts';

describe('sql-agent dataset check', function () {
  this.timeout(60_000);
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  function write(name: string, content: string): string {
    const path = join(folder.path, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  function database(name: string, root = 'dev_databases'): void {
    mkdirSync(join(folder.path, root, name), { recursive: true });
    const file = new DatabaseSync(join(folder.path, root, name, `${name}.sqlite`));
    file.exec('CREATE TABLE orders(id INTEGER); INSERT INTO orders VALUES (1), (2)');
    file.close();
  }

  const check = (...words: string[]) => sqlAgent(['dataset', 'check', ...words], { cwd: folder.path });

  async function json(...words: string[]) {
    const { code, stdout, stderr } = await check(...words, '--json');
    assert.equal(stdout.trimEnd().split('\n').length, 1, stderr);
    return { exit: code, answer: JSON.parse(stdout) };
  }

  it('is content with a dataset whose databases are there', async () => {
    database('shop');
    write('dev.json', list([birdItem(), birdItem({ question: 'Which?' })]));
    const { code, stdout, stderr } = await check('dev.json');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /dev\.json: BIRD, 2 items on 1 database, SHA-256 [0-9a-f]{64}\n {2}databases: 1 found\n$/);
  });

  it('names databases that are missing or damaged', async () => {
    database('shop');
    write('dev_databases/text/text.sqlite', 'not a database');
    write('dev_databases/none/none.sqlite', '');
    write(
      'dev.json',
      list(['shop', 'text', 'none', 'gone', 'gone'].map((db_id) => birdItem({ db_id, question: db_id }))),
    );
    const { exit, answer } = await json('dev.json');
    assert.deepEqual([exit, answer.status], [1, 'broken']);
    const { needed, found, missing, broken } = answer.datasets[0].report.databases;
    assert.deepEqual([needed, found], [4, 1]);
    const lookedFor = [join(folder.path, 'dev_databases', 'gone', 'gone.sqlite')];
    assert.deepEqual(missing, [{ name: 'gone', items: 2, lookedFor }]);
    assert.deepEqual(
      broken.map(({ name, message }: { name: string; message: string }) => [
        name,
        /a text file|is empty/.test(message),
      ]),
      [
        ['text', true],
        ['none', true],
      ],
    );
    const { stdout } = await check('dev.json');
    assert.match(stdout, /missing: gone \(2 items, looked for as .*gone\.sqlite\)/);
  });

  it('runs every gold and names those that fail, time out or return nothing', async () => {
    database('shop');
    const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    const golds = [
      'SELECT 1',
      'SELECT nope FROM orders',
      'SELECT id FROM orders WHERE 0',
      endless,
      'DELETE FROM orders',
    ];
    write('dev.json', list([...golds.map((SQL) => birdItem({ SQL, question: SQL })), birdItem({ db_id: 'gone' })]));
    const { exit, answer } = await json('dev.json', '--golds', '--timeout-ms', '300');
    assert.equal(exit, 1);
    const { golds: report } = answer.datasets[0].report;
    assert.deepEqual([report.run, report.skipped, report.empty], [5, 1, ['2']]);
    assert.deepEqual(
      report.failed.map(({ id, line, status }: { id: string; line: number; status: string }) => [id, line, status]),
      [
        ['1', 3, 'error'],
        ['3', 5, 'timeout'],
        ['4', 6, 'rejected'],
      ],
    );
    const { stdout, stderr } = await check('dev.json', '--golds', '--timeout-ms', '300');
    assert.match(stdout, /golds: 5 golds run, 2 fail, 1 time out, 1 return nothing, 1 not run, without a database/);
    assert.match(stdout, /line 3, id 1, shop: error \(SQLITE_ERROR\): no such column: nope/);
    assert.match(stderr, /golds: 6 of 6 \(100 %\)/);
  });

  it('stops running golds on an interrupt, with exit code 130', async () => {
    database('shop');
    const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    const quick = Array.from({ length: 30 }, (_, index) => birdItem({ question: `${index}` }));
    write(
      'dev.json',
      list([...quick, ...['a', 'b', 'c', 'd'].map((question) => birdItem({ SQL: endless, question }))]),
    );
    const { code, stderr } = await sqlAgent(['dataset', 'check', 'dev.json', '--golds'], {
      cwd: folder.path,
      // The first line of progress says that golds are running.
      onStart: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
    });
    assert.equal(code, 130, stderr);
    assert.match(stderr, /The check was cancelled/);
  });

  it('finds the datasets of a folder, however deep the publisher put them', async () => {
    database('shop');
    write('dev.json', list([birdItem()]));
    write('minidev/MINIDEV/mini_dev_sqlite.json', list([birdItem()]));
    write(
      'mine.sql-tests.jsonl',
      JSON.stringify({ id: 'a', database: 'dev_databases/shop/shop.sqlite', question: 'q', sql: 'SELECT 1' }),
    );
    write('train.json', '[\n{"db_id": "a"\n]');
    write('dev_tables.json', list([{ db_id: 'a', table_names_original: [], column_names_original: [] }]));
    write('dev_databases/shop/database_description/orders.csv', 'original_column_name,column_name\nid,id\n');
    write('package.json', '{"name": "x"}');
    write('numbers.json', '[1, 2]');
    write('prices.csv', 'a,b\n1,2\n');
    const { exit, answer } = await json('.');
    assert.equal(exit, 1);
    const found = answer.datasets.map(({ path, error }: { path: string; error: { code: string } | null }) => [
      path.slice(folder.path.length + 1),
      error?.code ?? null,
    ]);
    assert.deepEqual(found, [
      ['dev.json', null],
      ['mine.sql-tests.jsonl', null],
      [join('minidev', 'MINIDEV', 'mini_dev_sqlite.json'), null],
      ['train.json', 'dataset_invalid'],
    ]);
    assert.match(JSON.stringify(answer.others), /dev_tables\.json.*tables\.json/);
  });

  it('says so where a folder has no dataset', async () => {
    const { code, stderr } = await check('.');
    assert.equal(code, 1);
    assert.match(stderr, /no dataset was found in/);
  });

  it('tells of questions that stand twice, and of those whose golds differ', async () => {
    write(
      'dev.json',
      list([
        birdItem(),
        birdItem({ question: 'how  many ORDERS?', SQL: 'select COUNT(*)  from orders' }),
        birdItem({ db_id: 'else' }),
        birdItem({ question: 'Which?', SQL: 'SELECT 1' }),
        birdItem({ question: 'Which?', SQL: 'SELECT 2' }),
        birdItem({ question: 'Which?', evidence: 'the other', SQL: 'SELECT 3' }),
      ]),
    );
    const { code, stdout } = await check('dev.json');
    assert.equal(code, 0);
    assert.match(stdout, /databases: none looked for/);
    assert.match(
      stdout,
      /repeated: 2 questions more than once, 1 with different golds\n {4}shop: "Which\?": ids 3 \(line 5\), 4 \(line 6\)\n$/,
    );
  });

  it('leaves items of a sealed split alone unless a reason opens them', async () => {
    database('a');
    database('b');
    const broken = ['a', 'b'].map((db_id) => birdItem({ db_id, SQL: `SELECT ${db_id}_nope` }));
    write('dev.json', list(broken));
    const split = ['split', '--dataset', 'dev.json', '--part', 'open=0.5', '--part', 'kept=0.5', '--seal', 'kept'];
    assert.equal((await sqlAgent(split, { cwd: folder.path })).code, 0);
    const { answer } = await json('dev.json', '--golds');
    const { golds, splits, notes } = answer.datasets[0].report;
    assert.deepEqual([golds.run, golds.failed.length], [1, 1]);
    assert.deepEqual(notes, ['1 item of the sealed split "kept" is left out.']);
    assert.deepEqual(
      splits.splits.map(({ name, sealed, items }: { name: string; sealed: boolean; items: number }) => [
        name,
        sealed,
        items,
      ]),
      [
        ['open', false, 1],
        ['kept', true, 1],
      ],
    );
    const opened = await json('dev.json', '--golds', '--open-sealed', 'look for broken golds');
    assert.equal(opened.answer.datasets[0].report.golds.run, 2);
    const ledger = readFileSync(join(folder.path, 'results', 'ledger.jsonl'), 'utf8');
    assert.match(ledger, /^\{[^\n]*"kind":"open_sealed"[^\n]*"reason":"look for broken golds"[^\n]*\}\n$/);
  });

  it('reports splits of another state of the dataset, and reads no item', async () => {
    database('a');
    const path = write('dev.json', list([birdItem({ db_id: 'a', SQL: 'SELECT nope' }), birdItem({ db_id: 'b' })]));
    const split = ['split', '--dataset', 'dev.json', '--part', 'kept=0.5', '--seal', 'kept'];
    assert.equal((await sqlAgent(split, { cwd: folder.path })).code, 0);
    writeFileSync(path, `${readFileSync(path, 'utf8')} `);
    const { exit, answer } = await json('dev.json', '--golds');
    const { problems, golds, splits } = answer.datasets[0].report;
    assert.deepEqual([exit, problems[0].code, splits.fits, golds.run], [1, 'splits_stale', false, 0]);
  });

  it('answers wrong usage with exit code 2 and what cannot be read with 1', async () => {
    for (const words of [[], ['check'], ['look', 'x'], ['check', 'x', 'y'], ['check', 'x', '--format', 'xml']])
      assert.equal((await sqlAgent(['dataset', ...words])).code, 2, words.join(' '));
    const { exit, answer } = await json('nowhere.json');
    assert.deepEqual([exit, answer.code], [1, 'dataset_missing']);
  });

  it("finds the known faults of Spider's training set", async function () {
    const { exit, answer } = await json(needShared(this, 'data/spider/dev_shared.json'), '--golds');
    assert.equal(exit, 0);
    assert.deepEqual(answer.datasets[0].report.golds.failed, []);
    const train = await json(needShared(this, 'data/spider/train.json'), '--golds');
    const { golds } = train.answer.datasets[0].report;
    assert.deepEqual([golds.run, golds.skipped, golds.failed.length, golds.empty.length], [8563, 96, 3, 1616]);
  });
});
