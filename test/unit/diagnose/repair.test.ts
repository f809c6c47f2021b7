import assert from 'node:assert/strict';
import { replay } from '../../../src/core/diagnose/repair/change.ts';
import { findRepair } from '../../../src/core/diagnose/repair/find-repair.ts';
import { isOrdered } from '../../../src/core/score/order.ts';
import { compareStrictly } from '../../../src/core/score/strict-ex.ts';
import { tokensOf } from '../../../src/core/sql/tokens.ts';
import type { Repair } from '../../../src/protocol/diagnosis.ts';
import { RepairBench } from './repair-support.ts';
import { parsed } from './trace-support.ts';

/** Pairs with what their repair says. */
const PAIRS: [title: string, pred: string, gold: string, sentence: string][] = [
  [
    'rows counted that the gold counts once each',
    'SELECT COUNT(*) FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id WHERE T2.year < 2016',
    'SELECT count(DISTINCT T1.id) FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id WHERE T2.year < 2016',
    'COUNT(*) should be COUNT(DISTINCT T1.id).',
  ],
  [
    'a literal of another case',
    `SELECT name FROM band WHERE country = 'france'`,
    `SELECT name FROM band WHERE country = 'France'`,
    `'france' should be 'France'.`,
  ],
  [
    'a comparison that leaves out its border',
    'SELECT name FROM singer WHERE age > 30',
    'SELECT name FROM singer WHERE age >= 30',
    'age > 30 should be age >= 30.',
  ],
  [
    'DISTINCT that is missing',
    'SELECT name FROM singer',
    'SELECT DISTINCT name FROM singer',
    'SELECT name should be SELECT DISTINCT name.',
  ],
  [
    'a LEFT JOIN that should be inner',
    'SELECT s.name, b.name FROM singer s LEFT JOIN band b ON s.band_id = b.id',
    'SELECT s.name, b.name FROM singer s JOIN band b ON s.band_id = b.id',
    'LEFT JOIN should be JOIN.',
  ],
  [
    'a filter that is missing',
    'SELECT name FROM singer',
    'SELECT name FROM singer WHERE age < 30',
    'WHERE age < 30 should be added.',
  ],
  [
    'the order of rows, where the gold has one',
    'SELECT name FROM singer ORDER BY age, id',
    'SELECT name FROM singer ORDER BY age DESC, id',
    'ORDER BY age should be ORDER BY age DESC.',
  ],
  [
    'columns in another order',
    'SELECT age, name FROM singer',
    'SELECT name, age FROM singer',
    'age, name should be name, age.',
  ],
  [
    'a column too many whose alias the order uses',
    'SELECT place, count(*) AS n FROM concert GROUP BY place ORDER BY n DESC LIMIT 1',
    'SELECT place FROM concert GROUP BY place ORDER BY count(*) DESC LIMIT 1',
    'count(*) AS n should be left out; n should be count(*).',
  ],
  [
    'three mistakes at once',
    `SELECT name FROM singer WHERE age > 30 ORDER BY salary LIMIT 2`,
    `SELECT id FROM singer WHERE age < 30 ORDER BY salary DESC LIMIT 2`,
    'name should be id; age > 30 should be age < 30; ORDER BY salary should be ORDER BY salary DESC.',
  ],
  [
    'a table that is the wrong one',
    'SELECT name FROM band WHERE id < 3',
    'SELECT name FROM singer WHERE id < 3',
    'band should be singer.',
  ],
  [
    'a comparison with NULL',
    'SELECT name FROM singer WHERE band_id = NULL',
    'SELECT name FROM singer WHERE band_id IS NULL',
    'band_id = NULL should be band_id IS NULL.',
  ],
  [
    'a division that drops the fraction',
    'SELECT name, age / id FROM singer',
    'SELECT name, CAST(age AS REAL) / id FROM singer',
    'age / id should be age * 1.0 / id.',
  ],
  [
    'tables that nothing joins',
    'SELECT s.name, b.name FROM singer s, band b WHERE s.age > 25',
    'SELECT s.name, b.name FROM singer s JOIN band b ON s.band_id = b.id WHERE s.age > 25',
    's.band_id = b.id should be added.',
  ],
];

describe('the search for a repair', () => {
  const music = new RepairBench();
  after(() => music.dispose());

  async function found(pred: string, gold: string): Promise<Repair> {
    const { repair } = await music.repair(pred, gold);
    assert.ok(repair !== null, `no repair of ${pred}`);
    return repair;
  }

  for (const [title, pred, gold, sentence] of PAIRS)
    it(`names ${title}`, async () => {
      const repair = await found(pred, gold);
      assert.equal(repair.sentence, sentence);
      assert.equal(repair.certain, true);
    });

  it('gives edits that replay to its statement, whose rows are the gold’s', async () => {
    for (const [, pred, gold] of PAIRS) {
      const repair = await found(pred, gold);
      assert.equal(replay(pred, repair.edits), repair.sql);
      for (const { range, before } of repair.edits)
        assert.equal(pred.slice(range.offset, range.offset + range.length), before);
      const reason = compareStrictly(
        await music.run(gold),
        await music.run(repair.sql),
        isOrdered(gold, 'gold_order_by'),
      );
      assert.equal(reason, null, repair.sql);
    }
  });

  it('copies no part of the gold: what an edit writes shares no long run of tokens with it', async () => {
    const gold = `SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert WHERE year = 2014 OR place = 'Bonn')`;
    const { repair } = await music.repair('SELECT name FROM singer WHERE age > 100', gold);
    const texts = [
      ...(repair?.edits ?? []),
      ...(await Promise.all(PAIRS.map(([, pred, other]) => found(pred, other)))).flatMap(({ edits }) => edits),
    ].map(({ after }) => after);
    for (const after of texts) {
      assert.doesNotMatch(after, /select/i);
      assert.ok(tokensOf(after).length <= 16, after);
    }
  });

  it('ends without a repair where more than three edits are needed', async () => {
    const { repair, effort } = await music.repair(
      'SELECT name FROM band',
      `SELECT s.name, count(*) FROM singer s JOIN concert c ON c.singer_id = s.id
       WHERE c.year > 2013 AND s.age < 40 GROUP BY s.id ORDER BY count(*) DESC, s.name LIMIT 3`,
    );
    assert.equal(repair, null);
    assert.ok(effort.queries <= 402, `${effort.queries} queries`);
  });

  it('prefers one edit to two', async () => {
    const { edits } = await found(
      'SELECT COUNT(age) FROM singer WHERE age >= 30',
      'SELECT count(*) FROM singer WHERE age > 30',
    );
    assert.equal(edits.length, 1);
  });

  it('says that a match may be luck where the gold has no rows', async () => {
    const repair = await found(
      `SELECT name FROM singer WHERE age > 1`,
      `SELECT s.name FROM singer s JOIN band b ON s.band_id = b.id WHERE b.country = 'Nowhere' AND s.salary > 99`,
    );
    assert.equal(repair.certain, false);
    assert.match(repair.sentence, /perhaps by chance\.$/);
  });

  it('knows a literal that the gold has for no luck, even where the gold has no rows', async () => {
    const repair = await found(
      `SELECT name FROM band WHERE country = 'Italy'`,
      `SELECT name FROM band WHERE country = 'Norway'`,
    );
    assert.equal(repair.sentence, `'Italy' should be 'Norway'.`);
    assert.equal(repair.certain, true);
  });

  it('tries a match of one number on changed copies before it is sure', async () => {
    // Three singers are 30 or older by both, but by no other row.
    const { certain } = await found(
      'SELECT count(*) FROM singer WHERE salary > 100',
      'SELECT count(*) FROM singer s JOIN band b ON s.band_id = b.id WHERE s.age < 20 OR b.country = 3',
    );
    assert.equal(certain, false);
  });

  it('does not take a cut that happens to leave the right rows for certain, though the gold cuts there, too', async () => {
    const { sql, certain } = await found(
      'SELECT name, age FROM singer WHERE id < 4',
      `SELECT s.name, s.age FROM singer s
       WHERE s.band_id IN (SELECT id FROM band WHERE country = 'France') AND s.id < 4 LIMIT 2`,
    );
    assert.equal(sql, 'SELECT name, age FROM singer WHERE id < 4 LIMIT 2');
    assert.equal(certain, false);
  });

  it('gives a repair made of the gold’s own things a second chance where a busy machine cuts it off', async () => {
    const pred = 'SELECT name FROM band WHERE country = 3';
    const gold = "SELECT name FROM band WHERE country = 'Spain'";
    const late: string[] = [];
    const { repair } = await findRepair({
      run: async (sql, isPatient) => {
        const result = await music.run(sql);
        if (isPatient) late.push(sql);
        return isPatient ? result : { ...result, status: 'timeout', rows: [] };
      },
      now: () => 0,
      catalog: await music.bench.catalog(),
      pred: { sql: pred, query: parsed(pred) },
      gold: { sql: gold, query: parsed(gold) },
      goldResult: await music.run(gold),
      predResult: await music.run(pred),
      ordered: false,
    });
    assert.equal(repair?.sql, gold);
    assert.deepEqual(late, [gold]);
  });

  it('finds repairs by the rows alone where the gold cannot be parsed', async () => {
    const pred = 'SELECT name FROM singer WHERE age > 30';
    const [goldResult, predResult] = [
      await music.run('SELECT name FROM singer WHERE age >= 30'),
      await music.run(pred),
    ];
    const { repair } = await findRepair({
      run: (sql) => music.run(sql),
      now: () => 0,
      catalog: await music.bench.catalog(),
      pred: { sql: pred, query: parsed(pred) },
      gold: null,
      goldResult,
      predResult,
      ordered: false,
    });
    assert.equal(repair?.sql, 'SELECT name FROM singer WHERE age >= 30');
  });

  it('keeps to its budget of queries and stops when it is cancelled', async () => {
    const pred = 'SELECT name FROM band';
    const gold = 'SELECT salary * 2 + age FROM singer';
    const goldResult = await music.run(gold);
    const parts = {
      run: (sql: string) => music.run(sql),
      now: () => 0,
      catalog: await music.bench.catalog(),
      pred: { sql: pred, query: parsed(pred) },
      gold: { sql: gold, query: parsed(gold) },
      goldResult,
      predResult: await music.run(pred),
      ordered: false,
    };
    const spent = await findRepair(parts, { queries: 10, ms: 60_000 });
    assert.ok(spent.effort.queries <= 11, `${spent.effort.queries} queries`);
    assert.equal(spent.effort.exhausted, true);
    const cancelled = await findRepair(parts, { queries: 400, ms: 60_000 }, AbortSignal.abort());
    assert.equal(cancelled.effort.queries, 0);
  });
});
