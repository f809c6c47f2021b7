import assert from 'node:assert/strict';
import { alignedView } from '../../../../src/host/diagnosis/aligned.ts';
import { taskOfItem } from '../../../../src/host/diagnosis/item.ts';
import { startingRows } from '../../../../src/host/diagnosis/keys.ts';
import { smallestText } from '../../../../src/host/diagnosis/smallest-text.ts';
import { viewOfDiagnosis } from '../../../../src/host/diagnosis/view.ts';
import { DiagnosisState } from '../../../../src/protocol/diagnosis-view.ts';
import type { Cell } from '../../../../src/protocol/value.ts';
import { itemDetail } from '../../../../src/runtime/evals/item-detail.ts';
import { openCities } from './cities.ts';

const result = (columns: string[], ...rows: Cell[][]) => ({ columns, rows, truncated: false });

describe('a diagnosis as a view shows it', () => {
  const { db, pool, diagnoser, dispose } = openCities();
  after(dispose);

  async function viewOf(gold: string, pred: string) {
    const diagnosis = await diagnoser.diagnose({ db, gold, pred });
    return { diagnosis, view: viewOfDiagnosis(diagnosis, { gold, pred }) };
  }

  it('has the steps of both on one line, and marks the line where the rows part', async () => {
    const { view } = await viewOf(
      'SELECT c.name FROM city c',
      'SELECT c.name FROM city c\n  JOIN visit v ON v.city_id = c.id',
    );
    assert.deepEqual(
      view.lines.map(({ pred, gold, parts }) => [
        pred?.text ?? null,
        pred?.rowCount ?? null,
        gold?.text ?? null,
        parts,
      ]),
      [
        ['FROM city c', 4, 'FROM city c', false],
        ['JOIN visit v ON v.city_id = c.id', 3, null, true],
        ['SELECT c.name', 3, 'SELECT c.name', false],
      ],
    );
    assert.deepEqual(view.lines[1]?.pred?.flags, ['Multiplies: some rows of c stand several times']);
  });

  it('unfolds the steps of a subquery, with the row that it is traced for', async () => {
    const { view } = await viewOf(
      'SELECT name FROM city WHERE id IN (SELECT city_id FROM visit WHERE days > 4)',
      'SELECT name FROM city WHERE id IN (SELECT city_id FROM visit WHERE days > 2)',
    );
    const inside = view.lines.flatMap(({ pred }) => pred?.inside ?? []);
    assert.deepEqual(
      inside[0]?.steps.map(({ text, rowCount, depth }) => [text, rowCount, depth]),
      [
        ['FROM visit', 3, 0],
        ['WHERE days > 2', 3, 0],
        ['SELECT city_id', 3, 0],
      ],
    );
    // Both subqueries give other rows, and all around them is the same: that is where the rows part.
    assert.deepEqual(
      inside[0]?.steps.map(({ parts }) => parts),
      [false, true, false],
    );
    assert.match(view.sentence, /^In the subquery: WHERE keeps/);
  });

  it('crosses to a webview as it is', async () => {
    const { view } = await viewOf("SELECT name FROM city WHERE country = 'Peru'", 'SELECT name FROM city');
    const state = { phase: 'done', diagnosis: view, inspection: null, rows: null, problem: null, canDebug: true };
    assert.deepEqual(DiagnosisState.parse(JSON.parse(JSON.stringify(state))), state);
  });

  it('a search for the smallest rows begins with the rows of tables that a missing row consists of', async () => {
    const { diagnosis } = await viewOf('SELECT name FROM city', "SELECT name FROM city WHERE name <> 'Lima'");
    assert.deepEqual(startingRows(diagnosis), [{ table: 'city', columns: ['rowid'], values: [3] }]);
    assert.deepEqual(startingRows({ missing: [], extra: [] }), []);
  });

  it('an item is looked into where its rows are wrong, and only there', async () => {
    const taskOf = async (gold: string, sql: string | null) => {
      const options = { timeoutMs: 30_000, orderPolicy: 'gold_order_by' as const };
      return taskOfItem({ gold, sql }, db, await itemDetail({ sandbox: pool }, { gold, sql }, db, options), options);
    };
    assert.equal(await taskOf('SELECT name FROM city', 'SELECT name FROM city ORDER BY 1'), null);
    assert.equal(await taskOf('SELECT name FROM city', null), null);
    assert.equal(await taskOf('SELECT nme FROM city', 'SELECT name FROM city'), null);
    const wrong = await taskOf('SELECT name FROM city', 'SELECT id FROM city');
    assert.deepEqual([wrong?.timeoutMs, wrong?.rows?.totals.missing], [10_000, 4]);
    assert.notEqual(await taskOf('SELECT name FROM city', 'SELECT name, id FROM city'), null);
    const broken = await taskOf('SELECT name FROM city', 'SELECT nme FROM city');
    assert.deepEqual([broken === null, broken?.rows], [false, null]);
  });
});

describe('two results beside each other, as a view shows them', () => {
  it('a changed cell has both values, others one row each', () => {
    const view = alignedView(
      result(['name', 'n'], ['Ann', 1], ['Bob', 2]),
      result(['name', 'n'], ['Bob', 9], ['Cid', 3]),
      { ordered: false },
    );
    assert.deepEqual(
      view.rows.map(({ kind, goldRow, predRow }) => [kind, goldRow, predRow]),
      [
        ['missing', 1, null],
        ['changed', 2, 1],
        ['extra', null, 2],
      ],
    );
    assert.deepEqual(view.rows[1]?.cells, [
      { gold: 'Bob', pred: 'Bob', differs: false },
      { gold: 2, pred: 9, differs: true },
    ]);
    assert.deepEqual(view.totals, { same: 0, changed: 1, missing: 1, extra: 1, repeated: 0, moved: 0 });
    assert.equal(view.suggestion, null);
  });

  it('says which column is which, and whether that is all', () => {
    const gold = result(['first', 'last'], ['Ann', 'Lee'], ['Bob', 'May']);
    const swapped = alignedView(gold, result(['last', 'first'], ['Lee', 'Ann'], ['May', 'Bob']), { ordered: false });
    assert.equal(
      swapped.suggestion,
      'Column 1 of the gold (first) is column 2 here; column 2 of the gold (last) is column 1 here. With that put right the rows are the gold’s.',
    );
    const more = alignedView(gold, result(['first', 'last', 'age'], ['Ann', 'Lee', 3], ['Bob', 'Roy', 4]), {
      ordered: false,
    });
    assert.equal(more.suggestion, 'Column 3 here (age) is not in the gold.');
    assert.deepEqual(more.columns.at(-1), { gold: null, pred: 'age' });
    assert.deepEqual(more.rows[0]?.cells.at(-1), { pred: 4, differs: false });
  });

  it('shows the first 200 rows, counts all, and says where only a part was compared', () => {
    const rows = Array.from({ length: 500 }, (_, row) => [row]);
    const view = alignedView({ ...result(['a'], ...rows), truncated: true }, result(['a']), { ordered: false });
    assert.deepEqual([view.rows.length, view.totals.missing, view.partial], [200, 500, true]);
  });
});

describe('long cells beside each other', () => {
  it('are cut, and say how long they are', () => {
    const view = alignedView(result(['a'], ['x'.repeat(9_000)]), result(['a'], ['y']), { ordered: false });
    assert.deepEqual(view.rows[0]?.cells, [
      { gold: { text: 'x'.repeat(300), chars: 9_000 }, pred: 'y', differs: true },
    ]);
  });
});

describe('the smallest rows as text', () => {
  it('says what they are and names both queries in comments, so that the text runs', () => {
    const small = { columns: [], rows: [] };
    const minimised = {
      tables: [{ table: 'city', rows: 1 }],
      rows: 1,
      sql: 'CREATE TABLE city (id);\nINSERT INTO city VALUES (1);\n',
      gold: small,
      pred: small,
      minimal: true,
      effort: { queries: 3, ms: 1, exhausted: false },
    };
    const text = smallestText(minimised, { gold: 'SELECT id\nFROM city', pred: 'SELECT 2' });
    const statements = text.split('\n').filter((line) => line !== '' && !line.startsWith('--'));
    assert.deepEqual(statements, ['CREATE TABLE city (id);', 'INSERT INTO city VALUES (1);']);
    assert.match(text, /^-- 1 row: the queries below still differ on it, and none can be left out\.$/m);
    assert.match(text, /^-- {3}FROM city$/m);
  });
});
