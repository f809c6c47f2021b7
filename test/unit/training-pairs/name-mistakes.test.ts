import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { nameMistakes } from '../../../src/core/training/pairs/name-mistakes.ts';
import { tooHard } from '../../../src/core/training/pairs/too-hard.ts';

const DDL = `CREATE TABLE singers (singer_id INTEGER PRIMARY KEY, name TEXT, home_country TEXT);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER, year INTEGER);
CREATE TABLE stadium (id INTEGER PRIMARY KEY, city_name TEXT);`;
const GOLD =
  "SELECT T1.name, T2.year FROM singers AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id WHERE T1.home_country = 'Peru'";
const mistakes = (seed: number) => nameMistakes(GOLD, catalogFromDdl(DDL), new Random(seed));

describe('mistakes with names', () => {
  it('are of every kind, and SQLite refuses nearly all of them for a name', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(DDL);
    const all = Array.from({ length: 20 }, (_, seed) => mistakes(seed)).flat();
    const kinds = new Set(all.map(({ kind }) => kind));
    assert.equal(kinds.size, 6);
    const refused = all.filter(({ sql }) => {
      try {
        database.prepare(sql);
        return false;
      } catch (error) {
        assert.match(String(error), /no such (?:column|table)|ambiguous column/);
        return true;
      }
    });
    database.close();
    assert.ok(refused.length > 0.9 * all.length, `${refused.length} of ${all.length}`);
  });

  it('are the same for the same seed, and in another order for others', () => {
    assert.deepEqual(mistakes(3), mistakes(3));
    assert.notDeepEqual(mistakes(3), mistakes(4));
  });

  it('are none where a text is no query', () => {
    assert.deepEqual(nameMistakes('nothing', catalogFromDdl(DDL), new Random(1)), []);
  });
});

describe('bounds of what is learned', () => {
  const none = { joins: null, answer: null, prompt: null };

  it('say which one a pair exceeds', () => {
    assert.equal(tooHard('Question: Who?', GOLD, none), null);
    assert.equal(tooHard('', GOLD, { ...none, joins: 1, answer: GOLD.length }), null);
    assert.equal(tooHard('', GOLD, { ...none, joins: 0 }), 'its query has 1 join');
    assert.equal(tooHard('', GOLD, { ...none, answer: 20 }), `its query has ${GOLD.length} characters`);
    assert.match(tooHard('a b c d e f g h', GOLD, { ...none, prompt: 4 }) ?? '', /about \d+ tokens/);
  });

  it('count the joins of subqueries', () => {
    assert.match(tooHard('', `SELECT 1 WHERE 1 IN (${GOLD})`, { ...none, joins: 0 }) ?? '', /1 join$/);
  });
});
