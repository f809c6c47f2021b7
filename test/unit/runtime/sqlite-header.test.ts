import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasSqliteHeader } from '../../../src/runtime/sqlite-header.ts';

describe('hasSqliteHeader', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-magic-'));
  after(() => rmSync(folder, { recursive: true }));

  it('knows a database by its first bytes, whatever its name', async () => {
    const path = join(folder, 'data.txt');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE t (a)');
    database.close();
    assert.equal(await hasSqliteHeader(path), true);
  });

  it('takes no text, empty file, folder or missing file for a database', async () => {
    writeFileSync(join(folder, 'text.db'), 'SQLite format 3, it says');
    writeFileSync(join(folder, 'empty.db'), '');
    for (const name of ['text.db', 'empty.db', '.', 'missing.db'])
      assert.equal(await hasSqliteHeader(join(folder, name)), false, name);
  });
});
