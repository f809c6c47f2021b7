import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trace } from '../../../src/protocol/diagnose.ts';
import { sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const SCHEMA = `
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO singer VALUES (1, 'Joe'), (2, 'Rose'), (3, 'Tim');
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer INT, year INT);
INSERT INTO concert VALUES (1, 1, 2014), (2, 1, 2015), (3, 2, 2014), (4, 2, 2015);`;

describe('sql-agent trace', () => {
  const folder = temporaryFolder();
  const db = folder.database('concerts.sqlite', SCHEMA);
  after(() => folder.remove());

  it('prints a line a stage, marks joins that multiply rows, and ties at the cut', async () => {
    const sql = `SELECT name, count(*) FROM singer s JOIN concert c ON c.singer = s.id
      WHERE s.id IN (SELECT id FROM singer) GROUP BY s.id ORDER BY count(*) DESC LIMIT 1`;
    const { code, stdout } = await sqlAgent(['trace', db, sql]);
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.match(lines[0] ?? '', /^step +rows +distinct keys +fan-out +clause$/);
    assert.match(stdout, /^JOIN +4 +s 2, c 4 +1\.33 per s ! +JOIN concert c ON c\.singer = s\.id$/m);
    assert.match(stdout, /^ {2}subquery$\n^ {4}FROM +3/m);
    assert.match(stdout, /^LIMIT +1 +LIMIT 1$/m);
    assert.match(stdout, /^! JOIN c multiplies/m);
    assert.match(stdout, /^! LIMIT cuts through 2 rows that sort alike and keeps 1 of them/m);
  });

  it('takes the query from a .sql file, with a mark of UTF-8 in front, and names one that is not there', async () => {
    writeFileSync(join(folder.path, 'query.sql'), '\uFEFF-- all\r\nSELECT name FROM singer WHERE id > 1;\r\n');
    const { code, stdout } = await sqlAgent(['trace', db, 'query.sql'], { cwd: folder.path });
    assert.equal(code, 0);
    assert.match(stdout, /^WHERE +2 +WHERE id > 1$/m);
    const absent = await sqlAgent(['trace', db, 'absent.sql'], { cwd: folder.path });
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /absent\.sql cannot be read/);
    const marked = await sqlAgent(['trace', db, '\uFEFFSELECT name FROM singer']);
    assert.match(marked.stdout, /^SELECT +3 +SELECT name$/m);
  });

  it('prints one JSON object that its schema accepts, ranges in UTF-16 units', async () => {
    const sql = `SELECT name\nFROM singer\n  WHERE name <> '🎤' AND id > 1`;
    const { code, stdout } = await sqlAgent(['trace', db, sql, '--json', '--max-keys', '1']);
    const answer = JSON.parse(stdout);
    assert.deepEqual([code, answer.status, answer.complete, answer.why], [0, 'ok', true, null]);
    const { stages } = Trace.parse(answer);
    const where = stages[1];
    assert.ok(where);
    assert.deepEqual(where.range, { offset: 26, length: 29, line: 3, column: 3 });
    assert.equal(sql.slice(where.range.offset), `WHERE name <> '🎤' AND id > 1`);
    assert.equal(where.rowCount, 2);
    assert.deepEqual(where.keys, [
      { alias: 'singer', table: 'singer', kind: 'rowid', columns: ['rowid'], values: [[2]] },
    ]);
    assert.deepEqual(where.distinct, { singer: 2 });
  });

  it('says where the error stands in a query that does not run, and exits 1', async () => {
    const plain = await sqlAgent(['trace', db, 'SELECT nme FROM singer']);
    assert.equal(plain.code, 1);
    assert.match(plain.stderr, /no such column: nme\n.*SELECT nme FROM singer\n +\^\^\^/);
    const json = await sqlAgent(['trace', db, 'SELECT name FROM singer WHERE id > = 1', '--json']);
    assert.equal(json.code, 1);
    const answer = JSON.parse(json.stdout);
    assert.deepEqual([answer.status, answer.position.offset], ['error', 35]);
  });

  it('refuses what is no query as the sandbox does', async () => {
    const { code, stdout } = await sqlAgent(['trace', db, 'DELETE FROM singer', '--json']);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).status, 'rejected');
  });

  it('shows what it can of a query that it cannot take apart whole', async () => {
    const sql = 'SELECT a.id FROM singer a JOIN singer b ON b.id = c.id JOIN singer c ON c.id = a.id';
    const { code, stdout } = await sqlAgent(['trace', db, sql]);
    assert.equal(code, 0);
    assert.match(stdout, /^JOIN … JOIN +3/m);
    assert.match(stdout, /^Not complete: .*one step/m);
  });

  it('answers wrong usage with exit code 2', async () => {
    assert.equal((await sqlAgent(['trace', db])).code, 2);
    assert.equal((await sqlAgent(['trace', db, 'SELECT 1', '--max-keys', 'x'])).code, 2);
  });
});
