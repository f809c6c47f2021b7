import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadDataset } from '../../../src/runtime/evals/load-dataset.ts';
import { needShared } from '../../support/shared.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { birdItem, list, loadText } from './dataset-support.ts';

describe('dataset formats', () => {
  let folder: TemporaryFolder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  const load = (name: string, content: string | Buffer) => loadText(folder.path, name, content);

  it("reads BIRD's list with evidence, ids and difficulty", async () => {
    const text = list([birdItem({ question_id: 7, evidence: 'orders are rows', difficulty: 'simple' }), birdItem()]);
    const { format, items, name, hash } = await load('dev.json', text);
    assert.deepEqual([format, name], ['bird', 'dev.json']);
    assert.equal(hash, createHash('sha256').update(text).digest('hex'));
    assert.deepEqual(items, [
      {
        id: '7',
        db_id: 'shop',
        question: 'How many orders?',
        evidence: 'orders are rows',
        gold: 'SELECT count(*) FROM orders',
        difficulty: 'simple',
        database: null,
        line: 2,
      },
      {
        id: '1',
        db_id: 'shop',
        question: 'How many orders?',
        evidence: '',
        gold: 'SELECT count(*) FROM orders',
        difficulty: null,
        database: null,
        line: 3,
      },
    ]);
  });

  it("reads Spider's list, where the field sql is a parsed form and not the query", async () => {
    const item = { db_id: 'a', query: 'SELECT 1', query_toks: ['SELECT', '1'], question: 'One?', sql: { select: [] } };
    const { format, items } = await load('train_spider.json', list([item]));
    assert.equal(format, 'spider');
    assert.deepEqual([items[0]?.gold, items[0]?.id, items[0]?.evidence], ['SELECT 1', '0', '']);
  });

  it('reads JSON lines with any of the names of the gold, skipping blank lines', async () => {
    const lines = ['gold', 'query', 'SQL', 'sql'].map((field) =>
      JSON.stringify({ id: field, db_id: 'a', question: 'q', [field]: `SELECT '${field}'` }),
    );
    const { format, items } = await load('mine.jsonl', `\n${lines.join('\r\n\r\n')}\r\n`);
    assert.equal(format, 'jsonl');
    assert.deepEqual(
      items.map(({ id, gold, line }) => [id, gold, line]),
      [
        ['gold', "SELECT 'gold'", 2],
        ['query', "SELECT 'query'", 4],
        ['SQL', "SELECT 'SQL'", 6],
        ['sql', "SELECT 'sql'", 8],
      ],
    );
  });

  it('tells JSON lines from a list by content, whatever the name', async () => {
    assert.equal((await load('lines.json', `${JSON.stringify(birdItem())}\n`)).format, 'jsonl');
    assert.equal((await load('list.jsonl', list([birdItem()]))).format, 'bird');
  });

  it('reads CSV with quoted fields over several lines, and knows where each record begins', async () => {
    const csv =
      '\uFEFFdb_id,question,SQL,question_id,difficulty\r\n' +
      'a,"Which ""big""\r\nones, please?",SELECT 1,,\r\n' +
      '\r\n' +
      'b,Two?,"SELECT ""x""",9,hard\r\n';
    const { format, items } = await load('q.csv', csv);
    assert.equal(format, 'csv');
    assert.deepEqual(
      items.map(({ id, question, gold, difficulty, line }) => [id, question, gold, difficulty, line]),
      [
        ['0', 'Which "big"\r\nones, please?', 'SELECT 1', null, 2],
        ['9', 'Two?', 'SELECT "x"', 'hard', 5],
      ],
    );
  });

  it('reads a suite, whose items name their databases', async () => {
    const line = { id: 'totals', database: '../data/shop.v2.sqlite', question: 'How much?', sql: 'SELECT 1' };
    const { format, items } = await load('mine.sql-tests.jsonl', `${JSON.stringify(line)}\n`);
    assert.equal(format, 'suite');
    assert.deepEqual([items[0]?.database, items[0]?.db_id, items[0]?.id], [line.database, 'shop.v2', 'totals']);
  });

  it('takes a format that is forced', async () => {
    const path = `${folder.path}/forced.json`;
    await load('forced.json', list([{ ...birdItem(), query: 'SELECT 2' }]));
    assert.equal((await loadDataset(path)).items[0]?.gold, 'SELECT count(*) FROM orders');
    const forced = await loadDataset(path, { format: 'spider' });
    assert.deepEqual([forced.format, forced.items[0]?.gold], ['spider', 'SELECT 2']);
  });

  it('finds the line of each item however the JSON is laid out', async () => {
    const items = [birdItem({ question: 'a [ { , "quoted" \\ ?' }), birdItem({ nested: [{ deep: [1] }] }), birdItem()];
    const starts = async (text: string) => (await load('layout.json', text)).items.map(({ line }) => line);
    assert.deepEqual(await starts(JSON.stringify(items)), [1, 1, 1]);
    assert.deepEqual(await starts(list(items)), [2, 3, 4]);
    const pretty = JSON.stringify(items, null, 2);
    const expected = pretty.split('\n').flatMap((line, index) => (line === '  {' ? [index + 1] : []));
    assert.deepEqual(await starts(pretty), expected);
    assert.deepEqual(
      await starts(`\uFEFF\r\n${pretty.replaceAll('\n', '\r\n')}`),
      expected.map((line) => line + 1),
    );
    const [one, two] = items.map((item) => JSON.stringify(item));
    assert.deepEqual(await starts(`[${one}\n,\n\n${two}]`), [1, 4]);
  });

  it('hashes the bytes, so that a byte order mark counts', async () => {
    const plain = await load('a.json', list([birdItem()]));
    const marked = await load('b.json', `\uFEFF${list([birdItem()])}`);
    assert.deepEqual(plain.items, marked.items);
    assert.notEqual(plain.hash, marked.hash);
  });

  it('reads 100,000 items', async () => {
    const items = Array.from({ length: 100_000 }, (_, index) => birdItem({ question_id: index }));
    const dataset = await load('many.json', list(items));
    assert.equal(dataset.items.length, 100_000);
    assert.equal(dataset.items.at(-1)?.line, 100_001);
  }).timeout(20_000);

  it('reads Spider train and BIRD train as published', async function () {
    const spider = needShared(this, 'data/spider/train.json');
    const bird = needShared(this, 'data/bird/train.json');
    for (const [path, format, count, gold] of [
      [spider, 'spider', 8_659, 'query'],
      [bird, 'bird', 9_428, 'SQL'],
    ] as const) {
      const dataset = await loadDataset(path);
      const published: Record<string, unknown>[] = JSON.parse(readFileSync(path, 'utf8'));
      assert.deepEqual([dataset.format, dataset.items.length], [format, count]);
      const lines = readFileSync(path, 'utf8').split('\n');
      for (const [index, item] of dataset.items.entries()) {
        const source = published[index] ?? {};
        assert.deepEqual(
          [item.id, item.db_id, item.question, item.gold, item.evidence],
          [String(source['question_id']), source['db_id'], source['question'], source[gold], source['evidence'] ?? ''],
        );
        assert.ok(lines[item.line - 1]?.startsWith(`{"question_id": ${item.id},`), `${path}:${item.line}`);
      }
    }
  });
});
