import assert from 'node:assert/strict';
import { type Hint, type HintKind, Inspection } from '../../../src/protocol/diagnosis.ts';
import { at, DiagnosisBench } from './diagnose-support.ts';

describe('a query without a gold', () => {
  const bench = new DiagnosisBench();
  after(() => bench.dispose());

  async function hints(sql: string): Promise<Hint[]> {
    const inspection = await bench.inspect(sql);
    Inspection.parse(inspection);
    assert.equal(inspection.status, 'ok', inspection.message ?? '');
    return inspection.hints;
  }

  async function only(kind: HintKind, sql: string): Promise<Hint> {
    const found = await hints(sql);
    const one = found.find((hint) => hint.kind === kind);
    assert.ok(one !== undefined, JSON.stringify(found));
    return one;
  }

  const JOINED = 'FROM singer s JOIN song o ON s.id = o.singer_id';

  it('a sum over rows that a join repeats', async () => {
    const sql = `SELECT sum(s.age) ${JOINED}`;
    const hint = await only('join_multiplies_rows', sql);
    assert.equal(at(sql, hint.range), 'sum(s.age)');
    assert.deepEqual(hint.evidence, { alias: 's', rows: 5, distinct: 3 });
    for (const fine of [
      `SELECT sum(o.sales) ${JOINED}`,
      `SELECT count(DISTINCT s.id) ${JOINED}`,
      'SELECT sum(age) FROM singer',
    ])
      assert.deepEqual(await hints(fine), []);
  });

  it('a join without a condition, in ON or in WHERE', async () => {
    for (const sql of [
      'SELECT s.name, o.id FROM singer s, song o',
      'SELECT s.name, o.id FROM singer s JOIN song o WHERE s.age > 1',
    ]) {
      const hint = await only('cartesian_product', sql);
      assert.match(at(sql, hint.range) ?? '', /song o/);
      assert.match(hint.sentence, /^song o is joined without a condition: each of \d rows stands beside each of \d\./);
    }
    for (const fine of [
      'SELECT s.name, o.id FROM singer s, song o WHERE s.id = o.singer_id',
      'SELECT s.name, o.id FROM singer s JOIN song o ON s.id = o.singer_id',
      'SELECT s.name, t.n FROM singer s, (SELECT count(*) AS n FROM song) t',
    ])
      assert.ok(
        (await hints(fine)).every(({ kind }) => kind !== 'cartesian_product'),
        fine,
      );
  });

  it('rows that repeat an earlier one, with the join that does it', async () => {
    const hint = await only('duplicate_rows', `SELECT s.name ${JOINED}`);
    assert.match(hint.sentence, /^2 of 5 rows repeat an earlier one\. JOIN gives rows of before several times/);
  });

  it('a column that is not grouped by, where it has several values in a group', async () => {
    const sql = 'SELECT country, name, count(*) FROM singer GROUP BY country';
    const hint = await only('bare_column', sql);
    assert.deepEqual([at(sql, hint.range), hint.evidence['groups']], ['name', 1]);
    assert.deepEqual(await hints('SELECT id, name, count(*) FROM singer GROUP BY id'), []);
    assert.deepEqual(await hints('SELECT country, name, max(age) FROM singer GROUP BY country'), []);
  });

  it('ties at the cut, and LIMIT without ORDER BY', async () => {
    const ties = await only('arbitrary_order', 'SELECT name FROM singer ORDER BY age = 30 DESC LIMIT 1');
    assert.deepEqual(ties.evidence, { tied: 2, kept: 1 });
    await only('arbitrary_order', 'SELECT name FROM singer LIMIT 2');
    assert.deepEqual(await hints('SELECT name FROM singer ORDER BY id LIMIT 2'), []);
    assert.deepEqual(await hints('SELECT name FROM singer LIMIT 100'), []);
  });

  it('conditions that are true for no row, and those that are NULL for all', async () => {
    const never = 'SELECT name FROM singer WHERE age > 20 AND age > 100';
    assert.equal(at(never, (await only('condition_never_true', never)).range), 'age > 100');
    const unknown = 'SELECT name FROM singer WHERE age > 20 OR age = NULL';
    assert.deepEqual(await hints(unknown), []);
    const always = 'SELECT name FROM singer WHERE country <> NULL';
    const hint = await only('condition_always_null', always);
    assert.equal(at(always, hint.range), 'country <> NULL');
    const having = 'SELECT country FROM singer GROUP BY country HAVING count(*) > 9';
    assert.equal(at(having, (await only('condition_never_true', having)).range), 'count(*) > 9');
  });

  it('the clause after which no rows are left', async () => {
    const sql = 'SELECT s.name FROM singer s JOIN concert c ON s.id = c.crowd WHERE s.age > 1';
    assert.equal(at(sql, (await only('no_rows', sql)).range), 'JOIN concert c ON s.id = c.crowd');
  });

  it('a value that no row holds, with the nearest that exist; in subqueries, too', async () => {
    const sql = "SELECT name FROM singer WHERE id IN (SELECT id FROM singer WHERE country IN ('Frence', 'Spain'))";
    const hint = await only('value_not_found', sql);
    assert.equal(at(sql, hint.range), "'Frence'");
    assert.deepEqual(hint.evidence['near'], ['France', 'france ']);
    assert.match(hint.sentence, /^No row of singer\.country holds 'Frence'\. Near it: 'France'/);
  });

  it('a double-quoted name that is read as a text', async () => {
    const sql = 'SELECT "title" FROM singer';
    const hint = await only('name_as_text', sql);
    assert.match(
      hint.sentence,
      /is no column of the tables here and is read as a text; song has a column of that name/,
    );
    assert.deepEqual(await hints('SELECT name FROM singer WHERE country = "Spain"'), []);
  });

  it('a division of integers', async () => {
    const sql = 'SELECT sum(sales) / count(*) FROM song';
    assert.equal(at(sql, (await only('integer_division', sql)).range), 'sum(sales) / count(*)');
    assert.deepEqual(await hints('SELECT sum(sales) * 1.0 / count(*) FROM song'), []);
  });

  it('texts that are compared with numbers', async () => {
    const size = 'SELECT id FROM concert WHERE year > 2014';
    assert.equal(at(size, (await only('text_with_number', size)).range), 'year > 2014');
    const order = 'SELECT id FROM concert ORDER BY year DESC, id';
    assert.equal(at(order, (await only('text_with_number', order)).range), 'year');
    const word = "SELECT id FROM singer WHERE age = 'old'";
    assert.equal(at(word, (await only('text_with_number', word)).range), "age = 'old'");
  });

  it('a query that does not run, with the place of its error', async () => {
    const sql = 'SELECT nme FROM singer';
    const { status, range, message, hints: found } = await bench.inspect(sql);
    assert.deepEqual([status, at(sql, range), found], ['error', 'nme', []]);
    assert.match(message ?? '', /no such column/);
  });
});
