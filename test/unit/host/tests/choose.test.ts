import assert from 'node:assert/strict';
import { chooseFor } from '../../../../src/host/tests/choose.ts';
import type { Item } from '../../../../src/protocol/dataset.ts';
import type { Outcome } from '../../../../src/protocol/ledger.ts';

function itemsOf(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `q${index}`,
    db_id: 'shop',
    question: `Question ${index}?`,
    evidence: '',
    gold: 'SELECT 1',
    difficulty: null,
    database: null,
    line: index + 1,
  }));
}
const unknown = () => undefined;

describe('what a profile runs', () => {
  it('is a sample of 50, the same each time, and says which', () => {
    const { items, note } = chooseFor('sample', itemsOf(521), unknown);
    assert.equal(items.length, 50);
    assert.deepEqual(chooseFor('sample', itemsOf(521), unknown).items, items);
    assert.match(note ?? '', /^a sample of 50 of 521 items \(seed 1\): q\d+, /);
    assert.ok(note?.endsWith(items.at(-1)?.id ?? '?'));
  });

  it('is everything where 50 or fewer are meant: one question that is clicked is one that runs', () => {
    assert.deepEqual(chooseFor('sample', itemsOf(50), unknown), { items: itemsOf(50), note: null });
    assert.equal(chooseFor('sample', itemsOf(1), unknown).items.length, 1);
  });

  it('is everything with "All"', () => {
    assert.deepEqual(chooseFor('all', itemsOf(521), unknown), { items: itemsOf(521), note: null });
  });

  it('is what failed the last time, broken golds and unknown ones left out', () => {
    const outcomes: Outcome[] = [
      'right',
      'wrong_rows',
      'sql_error',
      'timeout',
      'no_sql',
      'provider_error',
      'gold_failed',
    ];
    const { items, note } = chooseFor('failures', itemsOf(8), (id) => outcomes[Number(id.slice(1))]);
    assert.deepEqual(
      items.map(({ id }) => id),
      ['q1', 'q2', 'q3', 'q4', 'q5'],
    );
    assert.equal(note, '5 of 8 items failed when they were run last');
  });
});
