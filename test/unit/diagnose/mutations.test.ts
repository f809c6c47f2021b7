import assert from 'node:assert/strict';
import { MUTATIONS, mutationsOf } from '../../../bench/diagnose/mutations.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { resolveQuery } from '../../../src/core/sql/scope/resolve.ts';
import { RepairBench } from './repair-support.ts';
import { parsed } from './trace-support.ts';

const RIGHT = [
  `SELECT DISTINCT s.name, max(s.age) FROM singer AS s JOIN band AS b ON s.band_id = b.id WHERE b.country = 'France' AND s.age > 20
   GROUP BY s.name, s.id ORDER BY s.name DESC LIMIT 1`,
  'SELECT name FROM singer AS s JOIN concert AS c ON c.singer_id = s.id UNION SELECT name FROM band',
  'SELECT count(name), sum(age) FROM singer WHERE age >= 30',
];

describe('planted mistakes', () => {
  const music = new RepairBench();
  after(() => music.dispose());

  it('are of every kind, parse, and change the text', async () => {
    const kinds = new Set<string>();
    for (const sql of RIGHT) {
      const query = parsed(sql);
      const names = resolveQuery(query, sql, await music.bench.catalog());
      const textsOf = async () => ['France', 'Spain'];
      for (const { kind, expected, sql: spoilt } of await mutationsOf({
        sql,
        query,
        names,
        random: new Random(1),
        textsOf,
      })) {
        kinds.add(kind);
        parsed(spoilt);
        assert.notEqual(spoilt, sql);
        assert.equal(expected, MUTATIONS[kind]);
      }
    }
    assert.deepEqual([...kinds].sort(), Object.keys(MUTATIONS).sort());
  });

  it('are found and undone by the search for a repair', async () => {
    const sql = RIGHT[0] ?? '';
    const query = parsed(sql);
    const names = resolveQuery(query, sql, await music.bench.catalog());
    const textsOf = async () => ['France', 'Spain'];
    let tried = 0;
    for (const { kind, sql: spoilt } of await mutationsOf({ sql, query, names, random: new Random(1), textsOf })) {
      const [gold, pred] = [await music.run(sql), await music.run(spoilt)];
      if (pred.status !== 'ok' || JSON.stringify(gold.rows) === JSON.stringify(pred.rows)) continue;
      const { repair } = await music.repair(spoilt, sql);
      assert.ok(repair !== null, `${kind}: ${spoilt}`);
      tried++;
    }
    assert.ok(tried >= 8, `${tried} mistakes changed the rows`);
  });
});
