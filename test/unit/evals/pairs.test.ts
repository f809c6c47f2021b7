import assert from 'node:assert/strict';
import { problemText } from '../../../src/core/evals/dataset/problems.ts';
import { formOfPairs, parsePairs } from '../../../src/core/evals/pairs.ts';

describe('files of predictions', () => {
  /** The pairs, or what is wrong with them. */
  function read(text: string, gold: string | null = null, name = 'gold.sql') {
    const parsed = parsePairs({ name: 'pred', text }, gold === null ? null : { name, text: gold });
    const { pairs, problems } = parsed;
    return problems.count === 0 ? pairs : problems.inOrder.map(problemText);
  }

  const LINE = '{"id": "a", "db_id": "d", "gold": "SELECT 1", "pred": "SELECT 2"}';
  const PAIR = { id: 'a', db_id: 'd', gold: 'SELECT 1', pred: 'SELECT 2' };

  it('are our JSON lines, with numbers for ids, or none, and other fields', () => {
    assert.deepEqual(read(`${LINE}\n`), [PAIR]);
    const more = '{"id": 7, "db_id": "d", "gold": "g", "pred": null, "correct": true}';
    const none = '{"question_id": 0, "db_id": "d", "gold": "g", "pred": "p"}';
    assert.deepEqual(read([LINE, '', more, none].join('\n')), [
      PAIR,
      { id: '7', db_id: 'd', gold: 'g', pred: '' },
      { id: '4', db_id: 'd', gold: 'g', pred: 'p' },
    ]);
  });

  it('name both lines of an id that stands twice', () => {
    assert.deepEqual(read([LINE, LINE].join('\n')), ['line 2: the id "a" is taken already, by the pair on line 1']);
  });

  it('say by line and field what is wrong', () => {
    const lines = [
      '{"id": "b", "db_id": 3, "gold": "g"}',
      '[1]',
      '{"id": "", "db_id": "d", "gold": "g", "pred": ',
      LINE,
    ];
    assert.deepEqual(read(lines.join('\n')), [
      'line 1: field "pred" is missing; found id, db_id, gold',
      'line 1: field "db_id" is a number, not a text',
      'line 2: a list stands where a pair is expected',
      'line 3: this is not valid JSON: Unexpected end of JSON input',
    ]);
    assert.deepEqual(read('{"id": "", "db_id": "d", "gold": "g", "pred": "p"}'), [
      'line 1: field "id" is empty; it takes a text or a number',
    ]);
    assert.deepEqual(read(LINE, 'SELECT 1\td'), ['each line holds its gold already, so that gold.sql is not needed']);
  });

  it("are BIRD's JSON object, beside its file of golds or its dataset", () => {
    const preds = JSON.stringify({ 0: 'SELECT 1\t----- bird -----\td', 1: 0, 2: 'SELECT 3' }, null, 2);
    const expected = [
      { id: '0', db_id: 'd', gold: 'SELECT a', pred: 'SELECT 1' },
      { id: '1', db_id: 'e', gold: "SELECT 'x\ty'", pred: '' },
      { id: '2', db_id: 'd', gold: 'SELECT c', pred: 'SELECT 3' },
    ];
    assert.equal(formOfPairs(preds), 'bird');
    assert.deepEqual(read(preds, "SELECT a\td\nSELECT 'x\ty'\te\nSELECT c\td\n"), expected);
    const dataset = expected.map(({ db_id, gold }) => ({ db_id, question: 'q', evidence: '', SQL: gold }));
    assert.deepEqual(read(preds, JSON.stringify(dataset), 'dev.json'), expected);
    const csv = "db_id,question,SQL\nd,q,SELECT a\ne,q,SELECT 'x\ty'\nd,q,SELECT c\n";
    assert.deepEqual(read(preds, csv, 'dev.csv'), expected);
    assert.equal(formOfPairs('{"0": "SELECT 1\\t----- bird -----\\td"}'), 'bird');
  });

  it("are Spider's lines, with or without the database", () => {
    assert.deepEqual(read('SELECT 1\td\r\n\nSELECT 3\n', 'SELECT a\td\nSELECT b\td\nSELECT c\te\n\n'), [
      { id: '1', db_id: 'd', gold: 'SELECT a', pred: 'SELECT 1' },
      { id: '2', db_id: 'd', gold: 'SELECT b', pred: '' },
      { id: '3', db_id: 'e', gold: 'SELECT c', pred: 'SELECT 3' },
    ]);
  });

  it('need golds where they hold none, in the same number and for the same databases', () => {
    assert.deepEqual(read('SELECT 1\td'), [
      'this is no JSON but one query a line: name the file of the golds with --gold',
    ]);
    assert.deepEqual(read('[{"db_id": "d", "question": "q", "query": "SELECT 1"}]'), [
      'this is a JSON list, as a dataset is, and holds no predictions: a dataset is named with --gold',
    ]);
    assert.deepEqual(read('SELECT 1\nSELECT 2', 'SELECT 1\td'), ['there are 2 predictions, but 1 golds in gold.sql']);
    assert.deepEqual(read('SELECT 1\td', 'SELECT 1\te'), [
      'prediction 1 is for the database d, its gold in gold.sql for e',
    ]);
    assert.deepEqual(read('SELECT 1', 'SELECT 1'), [
      'line 1: gold.sql has no database behind a tab here: "SQL<tab>db_id"',
    ]);
    assert.deepEqual(read('SELECT 1', '[{"db_id": "d", "question": "q"}]', 'dev.json'), [
      'line 1: dev.json: field "query" (or gold, SQL) is missing; found db_id, question',
    ]);
  });

  it('are not empty', () => {
    assert.deepEqual(read(' \n'), ['the file is empty']);
    assert.deepEqual(read('{}', 'SELECT 1\td'), ['the file holds no predictions']);
  });
});
