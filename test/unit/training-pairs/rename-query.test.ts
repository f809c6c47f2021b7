import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';
import { renameQuery } from '../../../src/core/training/pairs/rename-query.ts';
import { OWN_NAMES, type SchemaNames } from '../../../src/core/training/pairs/schema-names.ts';
import { underNames } from '../../../src/core/training/pairs/under-names.ts';

const DDL = `CREATE TABLE Singer (Singer_ID INTEGER PRIMARY KEY, Name TEXT, Country TEXT);
CREATE TABLE concert (id INTEGER PRIMARY KEY, Singer_ID INTEGER, "order" INTEGER);`;
const ROWS = `INSERT INTO Singer VALUES (1, 'Ann', 'France'), (2, 'Bo', 'Peru'); INSERT INTO concert VALUES (1, 1, 7), (2, 1, 8);`;
const catalog = catalogFromDdl(DDL);

/** Every table with an x, every column with a y in front. */
const MARKED: SchemaNames = { table: (name) => `x${name}`, column: (_, column) => `y${column}` };
const renamed = (sql: string, names = MARKED) => renameQuery(sql, catalog, names);

describe('a query in other names', () => {
  it('has every table and column renamed, and its aliases kept', () => {
    assert.equal(
      renamed(
        "SELECT s.name, count(*) AS n FROM singer AS s JOIN concert c ON c.singer_id = s.Singer_ID WHERE country = 'Country' GROUP BY 1 ORDER BY n",
      ),
      "SELECT s.yName, count(*) AS n FROM xSinger AS s JOIN xconcert c ON c.ySinger_ID = s.ySinger_ID WHERE yCountry = 'Country' GROUP BY 1 ORDER BY n",
    );
  });

  it('renames tables that stand for themselves before a dot, in stars and in USING', () => {
    assert.equal(
      renamed('SELECT singer.*, concert.id FROM singer JOIN concert USING (singer_id)'),
      'SELECT xSinger.*, xconcert.yid FROM xSinger JOIN xconcert USING (ySinger_ID)',
    );
  });

  it('follows a column out of subqueries and common table expressions', () => {
    assert.equal(
      renamed('SELECT name FROM (SELECT name, country AS c FROM singer) WHERE c IS NOT NULL'),
      'SELECT yName FROM (SELECT yName, yCountry AS c FROM xSinger) WHERE c IS NOT NULL',
    );
    assert.equal(
      renamed(
        'WITH f AS (SELECT * FROM singer) SELECT f.name FROM f WHERE EXISTS (SELECT 1 FROM concert WHERE singer_id = f.singer_id)',
      ),
      'WITH f AS (SELECT * FROM xSinger) SELECT f.yName FROM f WHERE EXISTS (SELECT 1 FROM xconcert WHERE ySinger_ID = f.ySinger_ID)',
    );
  });

  it('writes what stands in double quotes but is no name as the text that it is, and leaves the rowid', () => {
    assert.equal(
      renamed('SELECT rowid FROM singer WHERE name = "Ann"'),
      "SELECT rowid FROM xSinger WHERE yName = 'Ann'",
    );
  });

  it('is not there where names must be the same by themselves', () => {
    assert.equal(renamed('SELECT * FROM singer NATURAL JOIN concert'), null);
    const apart: SchemaNames = { ...MARKED, column: (table, column) => `${table}_${column}` };
    assert.equal(renamed('SELECT 1 FROM singer JOIN concert USING (singer_id)', apart), null);
    assert.equal(renamed('SELEC name'), null);
  });

  it('spells names as the schema does, quoted where SQLite needs it, when they stay the same', () => {
    assert.equal(
      renamed('select NAME, c."order" from SINGER s join Concert c on c.SINGER_ID = s.singer_id', OWN_NAMES),
      'select Name, c."order" from Singer s join concert c on c.Singer_ID = s.Singer_ID',
    );
  });

  it('runs on the database as it is, with the same rows', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(DDL + ROWS);
    const tables = new Set(['singer', 'concert']);
    for (const sql of [
      'SELECT s.name, count(*) FROM singer AS s LEFT JOIN concert c USING (singer_id) GROUP BY s.name',
      'WITH f AS (SELECT * FROM singer) SELECT name FROM f',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, name FROM n, singer',
    ]) {
      const other = renamed(sql) ?? '';
      const rows = (text: string) =>
        database
          .prepare(text)
          .all()
          .map((row) => Object.values(row));
      assert.throws(() => database.prepare(other), /no such/);
      assert.deepEqual(rows(underNames(other, catalog, MARKED, tables)), rows(sql));
    }
    database.close();
  });
});
