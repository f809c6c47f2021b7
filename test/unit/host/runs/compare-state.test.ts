import assert from 'node:assert/strict';
import { ranFlip, unrunFlip } from '../../../../src/host/runs/compare-state.ts';
import { SideRows } from '../../../../src/host/runs/rows.ts';
import type { Flip } from '../../../../src/protocol/compare.ts';
import { FlipDetail } from '../../../../src/protocol/compare-panel.ts';
import { runSide } from '../../../../src/runtime/evals/item-detail.ts';
import { SandboxPool } from '../../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const flip: Flip = {
  id: 'q1',
  db_id: 'shop',
  difficulty: null,
  question: 'Which names are there?',
  gold: 'SELECT name FROM item ORDER BY name',
  a: { sql: 'SELECT name FROM item WHERE name < 3', outcome: 'wrong_rows', reason: 'row_count' },
  b: { sql: 'SELECT name FROM item ORDER BY 1', outcome: 'right', reason: null },
};

describe('an opened flip', () => {
  const folder = temporaryFolder();
  const sandbox = new SandboxPool({ children: 1 });
  const options = { timeoutMs: 5000, orderPolicy: 'gold_order_by' as const };
  after(async () => {
    await sandbox.dispose();
    folder.remove();
  });

  it('shows all three queries where the database was not found, and why', () => {
    const detail = unrunFlip(flip, null, { code: 'databases_not_found', message: 'gone' });
    assert.deepEqual([detail.a.sql, detail.b.sql, detail.gold.sql], [flip.a.sql, flip.b.sql, flip.gold]);
    assert.equal(detail.problem?.code, 'databases_not_found');
    assert.ok(FlipDetail.safeParse(detail).success);
  });

  it('marks the rows of the gold against the answer that is wrong', async () => {
    const db = folder.database('shop.sqlite', 'CREATE TABLE item(name); INSERT INTO item VALUES (1), (2), (3)');
    const run = (sql: string | null) => runSide(sandbox, db, sql ?? '', options);
    const results = { a: await run(flip.a.sql), b: await run(flip.b.sql), gold: await run(flip.gold) };
    const rows = new SideRows();
    const detail = ranFlip(flip, db, results, { wrong: 'a', orderPolicy: 'gold_order_by', rows });
    assert.deepEqual([detail.difference?.missing, detail.difference?.extra], [1, 0]);
    assert.deepEqual([detail.gold.differing?.rows, detail.a.differing?.rows], [1, 0]);
    assert.equal(detail.b.differing, null);
    assert.ok(FlipDetail.safeParse(detail).success);
  });

  it('has a side without rows for an answer without SQL', async () => {
    const db = folder.database('empty.sqlite', 'CREATE TABLE item(name)');
    const mute: Flip = { ...flip, a: { sql: null, outcome: 'no_sql', reason: 'pred_failed' } };
    const gold = await runSide(sandbox, db, mute.gold, options);
    const detail = ranFlip(
      mute,
      db,
      { a: null, b: gold, gold },
      { wrong: 'a', orderPolicy: 'ignore', rows: new SideRows() },
    );
    assert.deepEqual([detail.a.sql, detail.a.outcome, detail.difference], [null, null, null]);
  });
});
