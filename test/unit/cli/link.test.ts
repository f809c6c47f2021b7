import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verb } from '../../../src/cli/verbs/link.ts';
import { sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

const TABLES = `CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist_id INT REFERENCES artist (id));
${Array.from({ length: 14 }, (_, at) => `CREATE TABLE zz${at} (qq${at} INT);`).join('\n')}`;

describe('sql-agent link', () => {
  let folder: TemporaryFolder;
  let db: string;
  before(() => {
    folder = temporaryFolder();
    db = folder.database('music.sqlite', `${TABLES} INSERT INTO artist (name) VALUES ('Miles Davis')`);
  });
  after(() => folder.remove());

  const link = (...words: string[]) =>
    sqlAgent(['link', ...words], { env: { SQL_AGENT_HOME: join(folder.path, 'home') } });
  const ddlFile = (name: string, text: string | Uint8Array): string => {
    const file = join(folder.path, name);
    writeFileSync(file, text);
    return file;
  };

  it('prints kept tables with their scores, the best first, and those left out', async () => {
    const { code, stdout, stderr } = await link(db, 'Which albums are by Miles Davis?', '--tight');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Kept 8 of 16 tables \(mode linked\); about \d+ of \d+ prompt tokens\.\nscore {2}table\n/);
    assert.match(stdout, /\n +\d+\.\d {2}(?:album\n +\d+\.\d {2}artist|artist\n +\d+\.\d {2}album)\n/);
    assert.match(stdout, /\nLeft out: (?:zz\d+, ){7}zz\d+\n$/);
  });

  it('gives one JSON object with status, kept, left and scores', async () => {
    const { code, stdout } = await link(db, 'Which albums are by Miles Davis?', '--json');
    assert.equal(code, 0);
    const { status, mode, kept, left, scores, tokens, skipped, problems } = JSON.parse(stdout);
    assert.deepEqual([status, mode, kept.length, left.length], ['ok', 'linked', 12, 4]);
    assert.ok(scores.artist > 3, 'the cell value counts');
    assert.ok(tokens.kept < tokens.full);
    assert.deepEqual([skipped, problems], [[], []]);
  });

  it('takes CREATE statements instead of a database, and names what it left out of them', async () => {
    const file = ddlFile('schema.sql', `\uFEFF${TABLES}\nCREATE TABLE sqlite_sequence(name,seq);`);
    const { code, stdout, stderr } = await link('--ddl', file, 'Which albums?', '--json');
    const result = JSON.parse(stdout);
    assert.deepEqual([code, result.status, result.kept.length, result.left.length], [0, 'ok', 12, 4]);
    assert.ok(result.kept.includes('album'));
    assert.match(result.problems[0], /"sqlite_sequence" is a name reserved/);
    assert.match(stderr, /note: Line 17: "sqlite_sequence"/);
  });

  it('knows the other modes', async () => {
    const oracle = await link(db, 'x', '--mode', 'oracle', '--gold', 'SELECT name FROM ARTIST', '--json');
    assert.deepEqual(JSON.parse(oracle.stdout).kept, ['artist']);
    const auto = JSON.parse((await link(db, 'x', '--mode', 'auto', '--json')).stdout);
    assert.deepEqual([auto.mode, auto.kept.length, auto.scores], ['full', 16, {}]);
  });

  it('fails with a code and exit 1 for what cannot be linked', async () => {
    const failing: [string, string[]][] = [
      ['oracle_needs_gold', [db, 'x', '--mode', 'oracle']],
      ['gold_unusable', [db, 'x', '--mode', 'oracle', '--gold', 'SELEC']],
      ['db_missing', [join(folder.path, 'gone.sqlite'), 'x']],
      ['ddl_unreadable', ['--ddl', join(folder.path, 'gone.sql'), 'x']],
      ['ddl_unreadable', ['--ddl', folder.path, 'x']],
      ['ddl_is_database', ['--ddl', db, 'x']],
      ['ddl_no_tables', ['--ddl', ddlFile('prose.sql', 'Dear all,'), 'x']],
      ['ddl_no_tables', ['--ddl', ddlFile('empty.sql', ''), 'x']],
    ];
    for (const [expected, words] of failing) {
      const { code, stdout } = await link(...words, '--json');
      const { status, code: reason } = JSON.parse(stdout);
      assert.deepEqual([code, status, reason], [1, 'error', expected], words.join(' '));
    }
  });

  it('exits with 2 for words that make no sense', async () => {
    for (const words of [
      [],
      [db],
      [db, ' '],
      [db, 'x', 'y'],
      ['--ddl', 'f.sql'],
      ['--ddl', 'f.sql', 'x', 'y'],
      [db, 'x', '--mode', 'most'],
      [db, 'x', '--gold', 'SELECT 1'],
      ['--ddl', 'f.sql', 'x', '--scan-ms', '5'],
      [db, 'x', '--loose'],
    ])
      assert.equal((await link(...words)).code, 2, words.join(' '));
  });

  it('explains every option', () => {
    for (const option of Object.keys(verb.options)) assert.ok(verb.help.includes(`--${option}`), option);
  });
});
