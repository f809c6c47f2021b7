import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { loadDataset } from '../../../src/runtime/evals/load-dataset.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { birdItem, failure, list, loadText } from './dataset-support.ts';

describe('dataset faults', () => {
  let folder: TemporaryFolder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  const fails = (name: string, content: string | Buffer) => failure(loadText(folder.path, name, content));

  /** The faults that are named, a line each, without the sentence before them. */
  async function faults(name: string, content: string): Promise<string[]> {
    const error = await fails(name, content);
    assert.equal(error.code, 'dataset_invalid', error.message);
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }

  it('names the line and the field that is missing, and what there is', async () => {
    const { SQL: _, ...incomplete } = birdItem({ question_id: 3 });
    assert.deepEqual(await faults('missing.json', list([birdItem(), incomplete])), [
      'line 3: field "SQL" (or sql, gold, query) is missing; found db_id, question, evidence, question_id',
    ]);
  });

  it('names several faults at once', async () => {
    const text = list([
      birdItem({ db_id: 5, question: ['x'] }),
      birdItem({ SQL: ' \n' }),
      birdItem({ evidence: 3, difficulty: {} }),
      birdItem({ question_id: 1.5 }),
      7,
      null,
    ]);
    assert.deepEqual(await faults('several.json', text), [
      'line 2: field "db_id" is a number, not a text',
      'line 2: field "question" is a list, not a text',
      'line 3: field "SQL" is empty',
      'line 4: field "evidence" is a number, not a text',
      'line 4: field "difficulty" is an object, not a text',
      'line 5: field "question_id" is a number, neither a text nor a whole number',
      'line 6: a number stands where an item is expected',
      'line 7: null stands where an item is expected',
    ]);
  });

  it('names the first 20 faults and counts the others', async () => {
    const named = await faults('many.json', list(Array.from({ length: 50 }, () => birdItem({ SQL: '' }))));
    assert.equal(named.length, 21);
    assert.deepEqual([named[0], named[20]], ['line 2: field "SQL" is empty', 'and 30 more']);
  });

  it('names both lines of an id that stands twice', async () => {
    const twice = list([birdItem({ question_id: 4 }), birdItem({ question_id: 5 }), birdItem({ question_id: 4 })]);
    assert.deepEqual(await faults('ids.json', twice), ['line 4: the id "4" is taken already, by the item on line 2']);
  });

  it('lets no db_id lead out of the folder of databases', async () => {
    for (const db_id of ['../secret', '..', '.', 'a/b', 'a\\b', 'C:x', '/etc', 'a\0b']) {
      const [fault, ...more] = await faults('leave.json', list([birdItem({ db_id })]));
      assert.deepEqual([fault, more], [`line 2: field "db_id" is no name of a folder: ${JSON.stringify(db_id)}`, []]);
    }
  });

  it('names the line where JSON is broken', async () => {
    const [one, two] = [JSON.stringify(birdItem()), JSON.stringify(birdItem())];
    const cases: Record<string, string> = {
      [`[\n${one},\n]`]: 'line 2: a comma stands before the closing "]"',
      [`[\n${one}\n${two}\n]`]: 'line 3: a comma is missing before this item',
      [`[\n${one},\n,${two}\n]`]: 'line 3: a comma without an item before it',
      [`[\n${one},\n`]: 'line 3: the file ends before the closing "]" of the list: it is cut off',
      [`[\n${one},\n{"db_id": "a",\n`]:
        'line 3: this item has no end: a closing bracket is missing, or the file is cut off',
      [`[\n${one},\n{"db_id": "a`]: 'line 3: a text is not closed by a quote on its line',
      [`[\n${one},\n{"db_id": "a,\n"question": "b"}\n]`]: 'line 3: a text is not closed by a quote on its line',
      [`[\n${one},\n{"db_id": ["a"}\n]`]: 'line 3: "}" stands where "]" is expected',
      [`[\n${one}\n]\n\n]`]: 'line 5: text stands behind the closing "]"',
      [`[\n{"db_id": "a",\n"question": "b",\n}\n]`]:
        'line 4: this is not valid JSON: Expected double-quoted property name',
      '[]': 'the file holds no items',
    };
    for (const [text, fault] of Object.entries(cases)) assert.deepEqual(await faults('broken.json', text), [fault]);
  });

  it('names the line where JSON lines are broken', async () => {
    const good = JSON.stringify(birdItem());
    assert.deepEqual(await faults('broken.jsonl', `${good}\n${good},\n{"db_id":\n${good}\n`), [
      'line 2: this is not valid JSON: a comma stands at its end',
      'line 3: this is not valid JSON: Unexpected end of JSON input',
    ]);
  });

  it('names what is wrong with a CSV', async () => {
    assert.deepEqual(await faults('header.csv', 'question,answer\na,b\n'), [
      'line 1: the header lacks "db_id" and "gold" (or query, SQL, sql); it has question, answer',
    ]);
    assert.deepEqual(await faults('excel.csv', 'db_id;question;SQL\nd;q;SELECT 1\n'), [
      'line 1: the header lacks "db_id" and "question" and "gold" (or query, SQL, sql); it has db_id;question;SQL. Fields are parted by commas here, not by ";"',
    ]);
    assert.deepEqual(await faults('fields.csv', 'db_id,question,gold\na,b\na,,c\na,b,"SELECT\n1\n'), [
      'line 2: 2 fields, but the header has 3',
      'line 3: field "question" is empty',
      'line 4: a quote is opened here and never closed',
    ]);
  });

  it('names what is wrong with a suite', async () => {
    const line = { id: 'a', database: 'a.sqlite', question: 'q', sql: 'SELECT 1' };
    const lines = [line, { ...line, id: 7 }, { ...line, id: 'b', database: '//host/share/b.sqlite' }, { id: 'c' }];
    assert.deepEqual(await faults('bad.sql-tests.jsonl', lines.map((each) => JSON.stringify(each)).join('\n')), [
      'line 2: field "id" is a number, not a text',
      'line 3: field "database" is no path beside this file: "//host/share/b.sqlite"',
      'line 4: field "database" is missing; found id',
      'line 4: field "question" is missing; found id',
      'line 4: field "sql" is missing; found id',
    ]);
  });

  it('says what another file is that is named in place of a dataset', async () => {
    const pretty = (value: unknown) => JSON.stringify(value, null, 2);
    const cases: [string, string | Buffer, RegExp][] = [
      ['tables.json', list([{ db_id: 'a', table_names_original: [], column_names_original: [] }]), /tables\.json/],
      ['predict.json', pretty({ 0: 'SELECT 1\t----- bird -----\ta' }), /predictions in BIRD's form.*score --pairs/],
      ['one-line.json', JSON.stringify({ 0: 'SELECT 1\t----- bird -----\ta' }), /predictions in BIRD's form/],
      ['pairs.jsonl', JSON.stringify({ id: 1, db_id: 'a', gold: 'x', pred: 'y' }), /predictions; .*score --pairs/],
      ['predicted.sql', 'SELECT 1\nSELECT 2\n', /a query on each line/],
      ['verdicts.jsonl', JSON.stringify({ id: '1', official_ex: true, reason: null }), /verdicts/],
      ['items.jsonl', JSON.stringify({ id: '1', outcome: 'right', verdict: {} }), /the answers of a run/],
      ['ledger.jsonl', JSON.stringify({ v: 1, kind: 'eval', run_id: 'x', prev: null }), /a ledger/],
      ['dev.splits.json', pretty({ version: 1, seed: 1, splits: [] }), /splits/],
      ['meanings.json', pretty({ 'a|b|c': 'the c of b' }), /meanings of columns/],
      ['wrapped.json', pretty({ data: [birdItem()] }), /one JSON object \(data\)/],
      ['notes.txt', 'hello there', /neither JSON/],
      ['packed.json', gzipSync('[]'), /gzip/],
      ['wide.json', Buffer.from(`\uFEFF${list([birdItem()])}`, 'utf16le'), /UTF-16/],
      ['pointer.json', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n', /git lfs pull/],
    ];
    for (const [name, content, expected] of cases) {
      const { code, message } = await fails(name, content);
      assert.equal(code, 'not_a_dataset', `${name}: ${message}`);
      assert.match(message, expected);
    }
    const { code, message } = await failure(loadDataset(folder.database('shop.sqlite', 'CREATE TABLE t(a)')));
    assert.equal(code, 'not_a_dataset');
    assert.match(message, /a SQLite database/);
  });

  it('says where a file is not UTF-8', async () => {
    const { code, message } = await fails(
      'latin.json',
      Buffer.from(list([birdItem(), birdItem({ x: 'é' })]), 'latin1'),
    );
    assert.equal(code, 'dataset_not_utf8');
    assert.match(message, /line 3 has bytes/);
  });

  it('has an error of its own for a file that is missing, empty or a folder', async () => {
    assert.equal((await failure(loadDataset(`${folder.path}/nowhere.json`))).code, 'dataset_missing');
    assert.equal((await failure(loadDataset(folder.path))).code, 'dataset_is_folder');
    assert.equal((await fails('empty.json', '')).code, 'dataset_empty');
    assert.equal((await fails('blank.json', '\uFEFF\n  \n')).code, 'dataset_empty');
  });
});
