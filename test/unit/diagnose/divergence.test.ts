import assert from 'node:assert/strict';
import { Diagnosis } from '../../../src/protocol/diagnosis.ts';
import { at, DiagnosisBench } from './diagnose-support.ts';

describe('where two queries part', () => {
  const bench = new DiagnosisBench();
  after(() => bench.dispose());

  /** Clause and text of the diverging stage, rows missing and too many. */
  async function parting(gold: string, pred: string) {
    const diagnosis = await bench.diagnose(gold, pred);
    Diagnosis.parse(diagnosis);
    assert.equal(diagnosis.verdict, 'different', diagnosis.sentence);
    assert.equal(diagnosis.complete, true, diagnosis.why ?? '');
    const { clause, range, totals, stage, goldStage } = diagnosis;
    return { diagnosis, clause, text: at(pred, range), totals, stage, goldStage };
  }

  it('WHERE: names the rows, the stage where they die and the truth of each condition, NULL apart from false', async () => {
    const gold = 'SELECT name FROM singer WHERE age >= 20';
    const pred = "SELECT name FROM singer WHERE age > 20 AND country <> 'Spain'";
    const { diagnosis, clause, text, totals } = await parting(gold, pred);
    assert.deepEqual([clause, text], ['WHERE', "WHERE age > 20 AND country <> 'Spain'"]);
    assert.deepEqual(totals, { missing: 2, extra: 0 });
    const [bob, cy] = diagnosis.missing;
    assert.deepEqual(bob?.key, [{ table: 'singer', alias: 'singer', columns: ['rowid'], values: [2] }]);
    assert.deepEqual(bob?.dies, { stage: 1, clause: 'WHERE' });
    assert.deepEqual(
      bob?.conjuncts.map(({ text: condition, truth }) => [condition, truth]),
      [
        ['age > 20', 'false'],
        ["country <> 'Spain'", 'true'],
      ],
    );
    assert.deepEqual(
      cy?.conjuncts.map(({ truth }) => truth),
      ['true', 'false'],
    );
    assert.deepEqual(cy?.cells.find(({ name }) => name === 'singer.age')?.value, 41);
    const nulls = await parting('SELECT id FROM singer', "SELECT id FROM singer WHERE country <> 'Spain'");
    const eve = nulls.diagnosis.missing.find(({ key }) => key[0]?.values[0] === 5);
    assert.deepEqual(
      eve?.conjuncts.map(({ truth }) => truth),
      ['null'],
    );
  });

  it('WHERE that the prediction lacks is told at the stage before it, with the rows that die in the gold', async () => {
    const gold = "SELECT name FROM singer WHERE country = 'Spain'";
    const { diagnosis, clause, text, goldStage } = await parting(gold, 'SELECT name FROM singer');
    assert.deepEqual([clause, text, goldStage], ['WHERE', 'FROM singer', 1]);
    assert.equal(diagnosis.totals.extra, 5);
    assert.deepEqual(
      diagnosis.extra[0]?.conjuncts.map(({ text: condition, truth }) => [condition, truth]),
      [["country = 'Spain'", 'false']],
    );
  });

  it('joins are compared by their tables, not by alias or order, and only where they change the rows', async () => {
    const gold = 'SELECT s.name FROM singer s JOIN song o ON s.id = o.singer_id WHERE o.sales > 6';
    const other = 'SELECT a.name FROM song b JOIN singer a ON a.id = b.singer_id WHERE b.sales > 8';
    const swapped = await parting(gold, other);
    assert.deepEqual([swapped.clause, swapped.totals], ['WHERE', { missing: 1, extra: 0 }]);
    const wrongKey = 'SELECT s.name FROM singer s JOIN song o ON s.id = o.id WHERE o.sales > 6';
    const joined = await parting(gold, wrongKey);
    assert.deepEqual([joined.clause, joined.text], ['JOIN', 'JOIN song o ON s.id = o.id']);
    const comma = 'SELECT s.name FROM singer s, song o WHERE s.id = o.singer_id AND o.sales > 8';
    assert.equal((await parting(gold, comma)).clause, 'WHERE');
  });

  it('a join of one side alone parts the queries where it drops rows', async () => {
    const gold = 'SELECT count(*) FROM singer';
    const extra = await parting(gold, 'SELECT count(DISTINCT s.id) FROM singer s JOIN concert c ON c.singer_id = s.id');
    assert.deepEqual([extra.clause, extra.text], ['JOIN', 'JOIN concert c ON c.singer_id = s.id']);
    assert.equal(extra.totals.missing, 2);
    const missing = await parting('SELECT s.name FROM singer s JOIN concert c ON c.singer_id = s.id', gold);
    assert.deepEqual([missing.clause, missing.text, missing.goldStage], ['JOIN', 'FROM singer', 1]);
  });

  it('a join that only repeats rows parts them where rows are counted or shown, and not under DISTINCT', async () => {
    const gold = 'SELECT sum(o.sales) FROM song o JOIN singer s ON s.id = o.singer_id';
    const repeated =
      'SELECT sum(o.sales) FROM song o JOIN singer s ON s.id = o.singer_id JOIN concert c ON c.singer_id = s.id';
    const { clause, text, diagnosis } = await parting(gold, repeated);
    assert.deepEqual([clause, text], ['JOIN', 'JOIN concert c ON c.singer_id = s.id']);
    assert.match(diagnosis.sentence, /another number of times/);
    const distinct = 'SELECT DISTINCT s.name FROM song o JOIN singer s ON s.id = o.singer_id';
    const shown = `SELECT DISTINCT s.age FROM song o JOIN singer s ON s.id = o.singer_id JOIN concert c ON c.singer_id = s.id`;
    assert.equal((await parting(distinct, shown)).clause, 'SELECT');
    const having = 'SELECT s.name FROM singer s JOIN song o ON s.id = o.singer_id GROUP BY s.id HAVING count(*) > 2';
    const counted = `SELECT s.name FROM singer s JOIN song o ON s.id = o.singer_id JOIN concert c ON c.singer_id = s.id
      GROUP BY s.id HAVING count(*) > 2`;
    assert.equal((await parting(having, counted)).clause, 'JOIN');
  });

  it('other tables from the start: FROM', async () => {
    const { clause, text } = await parting('SELECT title FROM song', 'SELECT name FROM singer');
    assert.deepEqual([clause, text], ['FROM', 'FROM singer']);
  });

  it('the aliases of a self-join are paired as their rows agree best', async () => {
    const gold = 'SELECT a.name FROM singer a JOIN singer b ON a.age = b.age AND a.id < b.id';
    const pred = 'SELECT y.country FROM singer x JOIN singer y ON x.age = y.age AND y.id < x.id';
    assert.equal((await parting(gold, pred)).clause, 'SELECT');
  });

  it('GROUP BY: by the rows that are together, not by the names of the terms; HAVING by the groups that are left', async () => {
    const gold = 'SELECT max(age) FROM singer GROUP BY country';
    assert.equal((await parting(gold, 'SELECT max(age) FROM singer GROUP BY age')).clause, 'GROUP BY');
    const byId = 'SELECT s.name, count(*) FROM singer s JOIN song o ON o.singer_id = s.id GROUP BY s.id';
    const byName = 'SELECT s.country, count(*) FROM singer s JOIN song o ON o.singer_id = s.id GROUP BY o.singer_id';
    assert.equal((await parting(byId, byName)).clause, 'SELECT');
    const having = `${byId} HAVING count(*) > 1`;
    const { clause, diagnosis, totals } = await parting(having, `${byId} HAVING count(*) > 2`);
    assert.deepEqual([clause, totals], ['HAVING', { missing: 2, extra: 0 }]);
    assert.deepEqual(
      diagnosis.missing.map(({ key, conjuncts }) => [key[0]?.values, conjuncts[0]?.truth]),
      [
        [[1], 'false'],
        [[3], 'false'],
      ],
    );
    assert.equal((await parting('SELECT count(*) FROM singer', 'SELECT id FROM singer')).clause, 'AGGREGATE');
  });

  it('SELECT, DISTINCT, ORDER BY, LIMIT: the first of them after which the results differ', async () => {
    const gold = 'SELECT country FROM singer';
    assert.equal((await parting(gold, 'SELECT age FROM singer')).clause, 'SELECT');
    const distinct = await parting('SELECT DISTINCT country FROM singer', gold);
    assert.deepEqual([distinct.clause, distinct.text, distinct.goldStage], ['DISTINCT', 'SELECT country', 2]);
    assert.equal((await parting(gold, 'SELECT DISTINCT country FROM singer')).clause, 'DISTINCT');
    const sorted = 'SELECT name FROM singer ORDER BY name';
    const order = await parting(sorted, `${sorted} DESC`);
    assert.deepEqual([order.clause, order.text], ['ORDER BY', 'ORDER BY name DESC']);
    const limit = await parting(`${sorted} LIMIT 3`, `${sorted} LIMIT 2`);
    assert.deepEqual([limit.clause, limit.text], ['LIMIT', 'LIMIT 2']);
    const without = await parting(`${sorted} LIMIT 3`, sorted);
    assert.deepEqual([without.clause, without.text], ['LIMIT', 'ORDER BY name']);
  });

  it('set operations: another operator, an arm inside which rows part, a compound against one SELECT', async () => {
    const gold = "SELECT id FROM singer WHERE age > 25 INTERSECT SELECT id FROM singer WHERE country = 'France'";
    const union = await parting(gold, gold.replace('INTERSECT', 'UNION'));
    assert.equal(union.clause, 'SET OPERATION');
    const arm = await parting(gold, gold.replace('age > 25', 'age > 35'));
    assert.deepEqual([arm.clause, arm.text, arm.stage], ['WHERE', 'WHERE age > 35', 0]);
    const single = await parting(gold, 'SELECT id FROM singer WHERE age > 25');
    assert.deepEqual([single.clause, single.goldStage], ['SET OPERATION', 0]);
  });

  it('inside the FROM-subquery that both queries are made of', async () => {
    const gold = 'SELECT count(*) FROM (SELECT name FROM singer WHERE age > 20)';
    const { clause, text } = await parting(gold, gold.replace('> 20', '> 30').replace('name', 'country'));
    assert.deepEqual([clause, text], ['WHERE', 'WHERE age > 30']);
  });

  it('results too large to be fetched: by their sets of rows, and never by an order that nobody asked for', async () => {
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT';
    const items = await parting(`${many} i FROM n`, `${many} i % 7 FROM n`);
    assert.deepEqual([items.clause, items.text], ['SELECT', 'SELECT i % 7']);
    const sorted = await parting(`${many} i FROM n ORDER BY i DESC`, `${many} i FROM n ORDER BY i`);
    assert.equal(sorted.clause, 'ORDER BY');
  });

  it('groups by other terms: those of the same rows are the same', async () => {
    const gold = 'SELECT singer_id, count(*) FROM song GROUP BY singer_id';
    const { diagnosis, totals } = await parting(gold, 'SELECT title, count(*) FROM song GROUP BY title');
    const terms = (rows: Diagnosis['missing']) => rows.map(({ key }) => key[0]?.values[0]);
    // Singer 2 and the title Rain are both made of song 3.
    assert.deepEqual(terms(diagnosis.missing), [1, 3]);
    assert.deepEqual(terms(diagnosis.extra), ['Moon', 'Sun', 'Wind']);
    assert.deepEqual(totals, { missing: 2, extra: 3 });
  });

  it('inside a WITH: names it and the stage there, on both sides', async () => {
    const gold = `WITH old AS (SELECT id, name FROM singer WHERE age > 25) SELECT name FROM old ORDER BY name`;
    const { diagnosis, clause, text, stage } = await parting(gold, gold.replace('> 25', '> 35'));
    assert.deepEqual([clause, text, stage], ['WHERE', 'WHERE age > 35', 0]);
    const inside = { trace: 0, stage: 1 };
    assert.deepEqual(diagnosis.nested, [{ pred: inside, gold: inside }]);
    assert.match(diagnosis.sentence, /^In WITH old: WHERE drops \d rows? that the gold keeps\.$/);
    assert.equal(diagnosis.missing[0]?.key[0]?.table, 'singer');
    assert.deepEqual(diagnosis.missing[0]?.dies, { stage: 1, clause: 'WHERE' });
  });

  it('inside a WITH inside a SELECT of a compound', async () => {
    const gold = `SELECT name FROM singer WHERE id = 1 UNION ALL
      SELECT name FROM (SELECT name, count(*) AS songs FROM singer GROUP BY name HAVING count(*) > 0)`;
    const { diagnosis, clause } = await parting(gold, gold.replace('> 0', '> 5'));
    assert.equal(clause, 'HAVING');
    assert.match(diagnosis.sentence, /^In the second SELECT, in the subquery: HAVING drops/);
    assert.deepEqual(
      diagnosis.nested.map(({ pred }) => pred),
      [
        { trace: 1, stage: 0 },
        { trace: 0, stage: 2 },
      ],
    );
    assert.deepEqual(diagnosis.missing[0]?.conjuncts[0]?.truth, 'false');
  });

  it('inside a subquery of a condition where all around it is the same, else at the condition', async () => {
    const gold = 'SELECT name FROM singer WHERE id IN (SELECT id FROM singer WHERE age > 25)';
    const inner = await parting(gold, gold.replace('> 25', '> 35').replace('name', 'name '));
    assert.deepEqual([inner.text, inner.diagnosis.nested.length], ['WHERE age > 35', 1]);
    assert.match(inner.diagnosis.sentence, /^In the subquery: WHERE/);
    const outer = await parting(gold, gold.replace('> 25', '> 35').replace('id IN', 'age > 1 AND id IN'));
    assert.deepEqual([outer.clause, outer.diagnosis.nested], ['WHERE', []]);
    const same = await parting(
      `${gold} AND age < 40`,
      `${gold.replace('SELECT id', 'SELECT DISTINCT id')} AND age < 30`,
    );
    assert.deepEqual(same.diagnosis.nested, []);
  });

  it('a compound against one SELECT: which of its SELECTs gives the rows of the other', async () => {
    const gold = "SELECT id FROM singer WHERE age > 25 INTERSECT SELECT id FROM singer WHERE country = 'France'";
    const { diagnosis } = await parting(gold, 'SELECT s.id FROM singer s WHERE s.age >= 26');
    assert.match(diagnosis.sentence, /one SELECT\. It gives the rows of the gold's first SELECT alone\.$/);
    assert.deepEqual([diagnosis.taxonomy[0]?.class, diagnosis.taxonomy[0]?.confidence], ['wrong_set_operation', 1]);
    const other = await parting('SELECT id FROM singer WHERE age > 25', gold);
    assert.match(other.diagnosis.sentence, /Its first SELECT alone gives the gold's rows\.$/);
  });

  it('equal results, errors of the prediction and of the gold have no stage', async () => {
    const gold = 'SELECT name FROM singer';
    const equal = await bench.diagnose(gold, 'SELECT s.name FROM singer s ORDER BY 1');
    assert.deepEqual([equal.verdict, equal.stage, equal.taxonomy], ['equal', null, []]);
    const pred = 'SELECT nme FROM singer';
    const failed = await bench.diagnose(gold, pred);
    assert.deepEqual([failed.verdict, at(pred, failed.range), failed.stage], ['error', 'nme', null]);
    assert.match(failed.message ?? '', /no such column: nme/);
    const broken = await bench.diagnose('SELECT x FROM nowhere', gold);
    assert.deepEqual([broken.verdict, broken.range], ['gold_error', null]);
  });

  it('at most 20 rows are listed; totals count all', async () => {
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i FROM n';
    const { missing, totals } = await bench.diagnose(many, `${many} WHERE i > 45`);
    assert.deepEqual([missing.length, totals.missing], [20, 45]);
  });

  it('stops where its signal aborts, also while a query runs', async () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const controller = new AbortController();
    const going = bench.diagnose('SELECT 1', endless, controller.signal);
    controller.abort();
    await assert.rejects(going, { code: 'cancelled' });
  });
});
