import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JsonQueryResult } from '../../../src/protocol/query.ts';
import { sqlAgent } from '../../support/cli.ts';

const RUNAWAY = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

describe('sql-agent run', function () {
  this.timeout(60_000);
  let folder: string;
  let db: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'run-test-'));
    db = join(folder, 'a.sqlite');
    const database = new DatabaseSync(db);
    database.exec(
      `CREATE TABLE t(id INTEGER, name TEXT); INSERT INTO t VALUES (1, 'one'), (2, NULL), (9007199254740993, '')`,
    );
    database.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs with --json and reads the one object of the answer. */
  async function json(...words: string[]) {
    const { code, stdout } = await sqlAgent(['run', ...words, '--json']);
    assert.equal(stdout.trimEnd().split('\n').length, 1, stdout);
    return { exit: code, answer: JSON.parse(stdout) };
  }

  it('prints the rows, their number and the time', async () => {
    const { code, stdout, stderr } = await sqlAgent(['run', db, 'SELECT * FROM t']);
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    const lines = stdout.split('\n');
    assert.match(lines[0] ?? '', /^ +id {2}name$/);
    assert.match(lines[2] ?? '', /^ +1 {2}one$/);
    assert.match(lines[3] ?? '', /^ +2 {2}∅$/);
    assert.match(lines[4] ?? '', /^9007199254740993$/);
    assert.match(stdout, /\n3 rows, [\d.]+ ms\n$/);
  });

  it('prints one JSON object with exact values', async () => {
    const { exit, answer } = await json(
      db,
      "SELECT id, name, x'00ff' AS b, CAST(x'ff' AS TEXT) AS i FROM t ORDER BY id",
    );
    assert.equal(exit, 0);
    const result = JsonQueryResult.parse(answer);
    assert.deepEqual(Object.keys(answer).sort(), Object.keys(JsonQueryResult.shape).sort());
    assert.deepEqual([result.status, result.code, result.message, result.position], ['ok', null, null, null]);
    assert.deepEqual(result.columns, ['id', 'name', 'b', 'i']);
    const rest = [
      { hex: '00ff', bytes: 2 },
      { text: '\uFFFD', invalid: true },
    ];
    assert.deepEqual(result.rows, [
      [1, 'one', ...rest],
      [2, null, ...rest],
      [{ int: '9007199254740993' }, '', ...rest],
    ]);
    assert.deepEqual(result.touched, [{ table: 't', columns: ['id', 'name'] }]);
    assert.equal(result.truncated, false);
    assert.equal(result.origins[0]?.declared, 'INTEGER');
  });

  it('says where an error stands, with a caret under it', async () => {
    const sql = 'SELECT id,\n  nope\nFROM t';
    const { code, stdout, stderr } = await sqlAgent(['run', db, sql]);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /error \(SQLITE_ERROR\): no such column: nope\n {2}line 2: {3}nope\n {12}\^\^\^\^\n/);
    const { answer } = await json(db, sql);
    assert.deepEqual(answer.position, { offset: 13, length: 4, line: 2, column: 3 });
  });

  it('refuses what is not one reading statement with exit code 1', async () => {
    for (const [sql, code] of [
      ['', 'empty'],
      ['-- nothing', 'empty'],
      ['DROP TABLE t', 'write'],
      ['SELECT 1; SELECT 2', 'second_statement'],
    ] as const) {
      const { exit, answer } = await json(db, sql);
      assert.deepEqual([exit, answer.status, answer.code], [1, 'rejected', code]);
    }
  });

  it('keeps its time limit', async () => {
    const { exit, answer } = await json(db, RUNAWAY, '--timeout-ms', '200');
    assert.deepEqual([exit, answer.status, answer.code], [1, 'timeout', 'deadline']);
  });

  it('keeps its limit of rows, and says that there are more', async () => {
    const { exit, answer } = await json(db, 'SELECT * FROM t', '--max-rows', '2');
    assert.deepEqual([exit, answer.rows.length, answer.truncated], [0, 2, true]);
    const { stdout } = await sqlAgent(['run', db, 'SELECT * FROM t', '--max-rows', '1']);
    assert.match(stdout, /1 row, and more that were cut off/);
  });

  it('is cancelled by an interrupt with exit code 130, and leaves nothing', async () => {
    const home = join(folder, 'tmp');
    mkdirSync(home, { recursive: true });
    const { code, stdout } = await sqlAgent(['run', db, RUNAWAY, '--json'], {
      env: { TMPDIR: home },
      onStart: (child) => {
        // The pool's folder is there as soon as the query is on its way.
        const timer = setInterval(() => {
          if (readdirSync(home).length === 0) return;
          clearInterval(timer);
          child.kill('SIGINT');
        }, 10);
      },
    });
    assert.equal(code, 130);
    assert.equal(JSON.parse(stdout).status, 'cancelled');
    assert.deepEqual(readdirSync(home), []);
  });

  it('says what is the matter with a file, and makes none', async () => {
    const missing = join(folder, 'missing.sqlite');
    const { exit, answer } = await json(missing, 'SELECT 1');
    assert.deepEqual([exit, answer.status, answer.code], [1, 'error', 'db_missing']);
    assert.match(answer.message, /missing\.sqlite/);
    assert.ok(!existsSync(missing));
  });

  it('finds a file from the folder it is called in', async () => {
    const { code, stderr } = await sqlAgent(['run', 'a.sqlite', 'SELECT 1'], { cwd: folder });
    assert.equal(code, 0, stderr);
  });

  it('answers wrong usage with exit code 2', async () => {
    for (const words of [
      [],
      [db],
      [db, 'SELECT 1', 'more'],
      [db, 'SELECT 1', '--max-rows', 'x'],
      [db, 'SELECT 1', '--nope'],
    ])
      assert.equal((await sqlAgent(['run', ...words])).code, 2, words.join(' '));
  });

  it('explains itself', async () => {
    const { code, stdout } = await sqlAgent(['run', '--help']);
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: sql-agent run DB "SQL"/);
  });
});
