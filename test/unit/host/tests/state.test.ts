import assert from 'node:assert/strict';
import { describeItem, labelOf, tagsOf } from '../../../../src/host/tests/state.ts';
import type { Item } from '../../../../src/protocol/dataset.ts';

const item: Item = {
  id: '7',
  db_id: 'shop',
  question: 'How many\n  items? ',
  evidence: '',
  gold: 'SELECT 1',
  difficulty: 'Extra Hard',
  database: null,
  line: 3,
};

describe('a question in the Test Explorer', () => {
  it('is described by its difficulty and what came of it last', () => {
    assert.equal(describeItem(item, undefined), 'Extra Hard');
    assert.equal(describeItem(item, { outcome: 'wrong_rows', runId: 'r' }), 'Extra Hard · wrong rows');
    assert.equal(describeItem({ ...item, difficulty: null }, undefined), '');
  });

  it('has tags that can be typed into the filter', () => {
    assert.deepEqual(tagsOf(item, { outcome: 'wrong_rows', runId: 'r' }), ['extra-hard', 'wrong-rows']);
    assert.deepEqual(tagsOf({ ...item, difficulty: null }, undefined), []);
  });

  it('is called by its question on one line, by its id where it is blank', () => {
    assert.equal(labelOf(item), 'How many items?');
    assert.equal(labelOf({ ...item, question: ' \n' }), '7');
  });
});
