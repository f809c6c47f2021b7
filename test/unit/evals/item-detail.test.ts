import assert from 'node:assert/strict';
import { itemDetail } from '../../../src/runtime/evals/item-detail.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('the rows of an item, by running its queries again', () => {
  const folder = temporaryFolder();
  const sandbox = new SandboxPool({ children: 2 });
  const db = folder.database(
    'shop.sqlite',
    'CREATE TABLE item(n); WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20000) INSERT INTO item SELECT n FROM c',
  );
  const options = { timeoutMs: 10_000, orderPolicy: 'gold_order_by' as const };
  const detail = (gold: string, sql: string | null) => itemDetail({ sandbox }, { gold, sql }, db, options);
  after(async () => {
    await sandbox.dispose();
    folder.remove();
  });

  it('are those of both queries, compared in the order of the gold where it has one', async () => {
    const ordered = await detail('SELECT n FROM item WHERE n < 4 ORDER BY n DESC', 'SELECT n FROM item WHERE n < 4');
    assert.deepEqual([ordered.compared?.difference.moved, ordered.compared?.difference.ordered], [2, true]);
    const free = await detail('SELECT n FROM item WHERE n < 4', 'SELECT n FROM item WHERE n < 4 ORDER BY n DESC');
    assert.equal(free.compared?.marks, null);
  });

  it('are ten thousand of each at most, and the comparison says that it is of those', async () => {
    const { gold, pred, compared } = await detail('SELECT n FROM item', 'SELECT n FROM item WHERE n <> 5');
    assert.deepEqual([gold.rows.length, gold.truncated, pred?.truncated], [10_000, true, true]);
    assert.equal(compared?.difference.partial, true);
  });

  it('are compared with nothing where a query fails or there is none', async () => {
    const failed = await detail('SELECT n FROM item LIMIT 1', 'SELECT x FROM item');
    assert.deepEqual([failed.pred?.status, failed.compared], ['error', null]);
    const none = await detail('SELECT n FROM item LIMIT 1', null);
    assert.deepEqual([none.pred, none.compared, none.gold.rows.length], [null, null, 1]);
  });

  it('never come of a query that writes', async () => {
    const { pred } = await detail('SELECT 1', 'DELETE FROM item');
    assert.equal(pred?.status, 'rejected');
    assert.equal((await detail('SELECT count(*) FROM item', null)).gold.rows[0]?.[0], 20_000);
  });
});
