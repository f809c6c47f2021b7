import assert from 'node:assert/strict';
import { beforeRows, placeOf, withDatabase, withRows } from '../../../../src/host/runs/item-state.ts';
import { SideRows } from '../../../../src/host/runs/rows.ts';
import { ItemPanelState } from '../../../../src/protocol/item-panel.ts';
import { itemDetail } from '../../../../src/runtime/evals/item-detail.ts';
import { SandboxPool } from '../../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { itemRecord } from '../../evals/report-runs.ts';
import { runOn } from './support.ts';

const run = runOn(1, 'r1');
const options = { timeoutMs: 5000, orderPolicy: 'gold_order_by' as const };

describe('where an item stands', () => {
  it('is told among those of the same outcome', () => {
    const records = (['right', 'wrong_rows', 'right', 'wrong_rows', 'wrong_rows'] as const).map((outcome, index) =>
      itemRecord(String(index), outcome),
    );
    const at = (index: number) => placeOf(records[index] ?? itemRecord('?', 'right'), records);
    assert.deepEqual(at(3), { position: 2, of: 3, previous: '1', next: '4' });
    assert.deepEqual(at(1), { position: 1, of: 3, previous: null, next: '3' });
    assert.deepEqual(at(2), { position: 2, of: 2, previous: '0', next: null });
  });
});

describe('the state of an item panel', () => {
  const folder = temporaryFolder();
  const sandbox = new SandboxPool({ children: 1 });
  after(async () => {
    await sandbox.dispose();
    folder.remove();
  });

  it('shows question and queries before anything has run, and fits its channel', () => {
    const record = itemRecord('q1', 'wrong_rows');
    const state = beforeRows(run, record, [record]);
    assert.deepEqual([state.gold.sql, state.pred.sql], [record.gold, record.sql]);
    assert.deepEqual([state.gold.outcome, state.difference, state.database], [null, null, null]);
    assert.ok(ItemPanelState.safeParse(state).success);
  });

  it('has the rows of both queries with what differs once they have run', async () => {
    const db = folder.database('shop.sqlite', 'CREATE TABLE item(name); INSERT INTO item VALUES (1), (2), (2), (3)');
    const record = itemRecord('q1', 'wrong_rows', {
      gold: 'SELECT name FROM item',
      sql: 'SELECT DISTINCT name FROM item WHERE name > 1 UNION ALL SELECT 9',
    });
    const rows = new SideRows();
    const before = withDatabase(beforeRows(run, record, [record]), db);
    const state = withRows(before, await itemDetail({ sandbox }, record, db, options), rows);
    assert.equal(state.database?.name, 'shop.sqlite');
    const { missing, extra, recounted } = state.difference ?? {};
    assert.deepEqual([missing, extra, recounted], [1, 1, 1]);
    assert.deepEqual([state.gold.differing?.rows, state.pred.differing?.rows], [3, 2]);
    assert.ok(ItemPanelState.safeParse(state).success);
  });

  it('keeps the words "no SQL" of an answer without any, beside the rows of the gold', async () => {
    const db = folder.database('other.sqlite', 'CREATE TABLE item(name); INSERT INTO item VALUES (1)');
    const record = itemRecord('q1', 'no_sql', { gold: 'SELECT name FROM item' });
    const state = withRows(
      beforeRows(run, record, [record]),
      await itemDetail({ sandbox }, record, db, options),
      new SideRows(),
    );
    assert.deepEqual([state.pred.sql, state.pred.outcome, state.difference], [null, null, null]);
    assert.equal(state.gold.outcome?.table?.rows, 1);
  });
});
