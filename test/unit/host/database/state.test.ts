import assert from 'node:assert/strict';
import { catalogFromDdl } from '../../../../src/core/schema/from-ddl.ts';
import { canHold, reachSql } from '../../../../src/host/database/queries.ts';
import { changed, failed, folderForPeople, read, unread } from '../../../../src/host/database/state.ts';

describe('the state of the database editor', () => {
  const empty = { tables: [], problems: [] };

  it('begins with nothing read, and a new revision for each reading', () => {
    const first = unread('/data/music.sqlite');
    assert.deepEqual([first.file.name, first.catalog, first.revision], ['music.sqlite', null, 0]);
    const second = read(first, empty, 10);
    assert.equal(second.revision, 1);
    assert.equal(failed(second, { code: 'db_missing', message: 'gone' }).revision, 2);
  });

  it('keeps what was read while the file has changed, so that it can be looked at', () => {
    const state = changed(read(unread('/x'), empty, 10));
    assert.deepEqual([state.catalog, state.changed, state.revision], [empty, true, 1]);
  });

  it('forgets the problem and the change once it is read again', () => {
    const broken = failed(unread('/x'), { code: 'db_empty', message: 'empty' });
    assert.equal(broken.catalog, null);
    const again = read(changed(broken), empty, 4096);
    assert.equal(again.problem, null);
    assert.equal(again.changed, false);
    assert.equal(again.file.bytes, 4096);
  });

  it('writes folders below home as people do', () => {
    assert.equal(folderForPeople('/home/ann/data', '/home/ann'), '~/data');
    assert.equal(folderForPeople('/home/ann', '/home/ann'), '~');
    assert.equal(folderForPeople('/home/anna/data', '/home/ann'), '/home/anna/data');
  });
});

describe('the estimate of a row count', () => {
  const [plain, taken, without] = catalogFromDdl(`
    CREATE TABLE plain (a TEXT, b TEXT);
    CREATE TABLE taken (rowid TEXT, _rowid_ TEXT, oid TEXT);
    CREATE TABLE without (k TEXT PRIMARY KEY) WITHOUT ROWID;`).tables;

  it('needs row numbers that the table does not hide', () => {
    assert.ok(plain && taken && without);
    assert.match(reachSql(plain) ?? '', /max\(rowid\)/);
    assert.equal(reachSql(taken), null);
    assert.equal(reachSql(without), null);
  });

  it('is dropped where a file of that size cannot hold so many rows', () => {
    assert.ok(plain);
    assert.equal(canHold(100, 4096, plain), true);
    assert.equal(canHold(1_000_000_000_000, 1_000_000, plain), false);
    assert.equal(canHold(0, 4096, plain), false);
  });
});
