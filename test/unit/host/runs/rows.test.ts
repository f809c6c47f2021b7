import assert from 'node:assert/strict';
import { SideRows } from '../../../../src/host/runs/rows.ts';
import type { RowMark } from '../../../../src/protocol/grid.ts';
import type { QueryResult } from '../../../../src/protocol/query.ts';

function result(rows: QueryResult['rows'], changes: Partial<QueryResult> = {}): QueryResult {
  return {
    status: 'ok',
    code: null,
    message: null,
    position: null,
    columns: ['n'],
    origins: [{ table: 't', column: 'n', declared: 'INT' }],
    rows,
    truncated: false,
    ms: 2,
    touched: [],
    notes: [],
    ...changes,
  };
}

const extra = (row: number): RowMark => ({ kind: 'extra', row, gold: 0, pred: 1 });

describe('the rows that a panel shows', () => {
  it('are asked for by the page, each with its mark', () => {
    const rows = new SideRows();
    const side = rows.side('SELECT n FROM t', result([[1], [2n ** 60n], [3]]), [null, extra(1), null]);
    const table = side.outcome?.table;
    assert.ok(table);
    assert.deepEqual([table.rows, table.columns], [3, [{ name: 'n', declared: 'INT' }]]);
    assert.deepEqual(rows.answer({ type: 'page', request: 7, table: table.id, offset: 1, limit: 1 }), {
      type: 'page',
      request: 7,
      page: { offset: 1, rows: [[{ int: String(2n ** 60n) }]], more: true, marks: [extra(1)] },
    });
  });

  it('have a table of those that differ alone, which says where they stand', () => {
    const rows = new SideRows();
    const { differing } = rows.side('SELECT 1', result([[1], [2], [3]]), [null, extra(1), extra(2)]);
    assert.equal(differing?.rows, 2);
    const answer = rows.answer({ type: 'page', request: 1, table: differing?.id ?? '', offset: 0, limit: 10 });
    assert.ok(answer.type === 'page');
    assert.deepEqual(answer.page.rows, [[2], [3]]);
    assert.deepEqual(
      answer.page.marks?.map((mark) => mark?.row),
      [1, 2],
    );
  });

  it('have no marks where they were compared with nothing', () => {
    const rows = new SideRows();
    const { outcome, differing } = rows.side('SELECT 1', result([[1]]), null);
    assert.equal(differing, null);
    const answer = rows.answer({ type: 'page', request: 1, table: outcome?.table?.id ?? '', offset: 0, limit: 10 });
    assert.ok(answer.type === 'page' && answer.page.marks === undefined);
  });

  it('are none of a query that failed', () => {
    const failed = result([], { status: 'error', code: 'SQLITE_ERROR', message: 'no such column: x' });
    const { outcome } = new SideRows().side('SELECT x', failed, null);
    assert.deepEqual([outcome?.table, outcome?.message], [null, 'no such column: x']);
  });

  it('are told to be gone once another item is shown, and never another item’s', () => {
    const rows = new SideRows();
    const before = rows.side('SELECT 1', result([[1]]), null).outcome?.table?.id ?? '';
    rows.clear();
    const after = rows.side('SELECT 2', result([[2]]), null).outcome?.table?.id ?? '';
    assert.notEqual(before, after);
    const answer = rows.answer({ type: 'page', request: 1, table: before, offset: 0, limit: 10 });
    assert.ok(answer.type === 'failed' && answer.error.code === 'page_gone');
  });

  it('are cut in a page and whole when one cell is asked for', () => {
    const rows = new SideRows();
    const long = 'x'.repeat(10_000);
    const table = rows.side('SELECT 1', result([[long]]), null).outcome?.table?.id ?? '';
    const page = rows.answer({ type: 'page', request: 1, table, offset: 0, limit: 1 });
    assert.ok(page.type === 'page' && JSON.stringify(page.page.rows).length < 5000);
    const cell = rows.answer({ type: 'cell', request: 2, table, row: 0, column: 0 });
    assert.ok(cell.type === 'cell' && cell.cell === long);
  });

  it('are copied with their names', () => {
    const rows = new SideRows();
    const table = rows.side('SELECT 1', result([[1], [2]], { truncated: true }), null).outcome?.table?.id ?? '';
    assert.deepEqual(rows.text(table, 'csv'), { text: 'n\r\n1\r\n2', said: 'Copied the first 2 rows as CSV.' });
    assert.equal(rows.text('rows-99', 'csv'), null);
  });
});
