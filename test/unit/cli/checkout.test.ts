import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('sql-agent in a checkout', function () {
  this.timeout(60_000);
  let folder = '';

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')));
    const db = new DatabaseSync(join(folder, 'books.db'));
    db.exec('CREATE TABLE book (title TEXT)');
    db.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const call = (file: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
    spawnSync(file, args, { encoding: 'utf8', ...options });

  it('runs without a build, on paths of the folder it is called in, and ends with the exit code of the verb', () => {
    const program = join(root, 'scripts/sql-agent.mjs');
    const shown = call(process.execPath, [program, 'schema', 'books.db'], { cwd: folder });
    assert.deepEqual([shown.status, shown.stderr], [0, '']);
    assert.match(shown.stdout, /^1 table, 0 views\n\nbook\n/);
    assert.equal(call(process.execPath, [program, 'schema'], { cwd: folder }).status, 2);
  });

  it('lies where npx looks for programs', function () {
    if (process.platform === 'win32') this.skip();
    call(process.execPath, [join(root, 'scripts/sql-agent.mjs'), '--help'], { cwd: folder });
    const env = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}` };
    const shown = call(join(root, 'node_modules/.bin/sql-agent'), ['--help'], { cwd: folder, env });
    assert.equal(shown.status, 0);
    assert.match(shown.stdout, /^sql-agent: ask a SQLite file/);
  });

  it('npm start takes a path from the folder where npm was called', () => {
    const env = { ...process.env, INIT_CWD: folder };
    const asked = call(process.execPath, [join(root, 'scripts/start.mjs'), 'none.sqlite', 'How many?'], {
      cwd: root,
      env,
    });
    assert.equal(asked.status, 1);
    assert.ok(asked.stderr.includes(join(folder, 'none.sqlite')), asked.stderr);
  });
});
