import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { catalogFromDdl } from '../../../../src/core/schema/from-ddl.ts';
import { columnLook, columnNodes, tableLook, tableNodes } from '../../../../src/host/databases/nodes.ts';
import type { Catalog, Table } from '../../../../src/protocol/catalog.ts';

const uri = { toString: () => 'file:///music.sqlite' } as vscode.Uri;
const catalog = catalogFromDdl(`
  CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist, gone INTEGER REFERENCES nowhere(x));
`);

function table(name: string, from: Catalog = catalog): Table {
  const found = from.tables.find((candidate) => candidate.name === name);
  assert.ok(found);
  return found;
}

describe('lines of the Databases view', () => {
  it('are the tables in order of the schema, with shadow tables last', () => {
    const shadow: Table = { ...table('artist'), name: 'artist_data', type: 'shadow' };
    const names = tableNodes(uri, { tables: [shadow, ...catalog.tables], problems: [] }).map((node) =>
      node.kind === 'table' ? node.table.name : node.kind,
    );
    assert.deepEqual(names, ['artist', 'album', 'artist_data']);
  });

  it('say how many columns a table has, and its kind where it is no plain table', () => {
    assert.equal(tableLook(table('artist')).description, '2 columns');
    assert.equal(tableLook({ ...table('artist'), type: 'view' }).description, 'view · 2 columns');
  });

  it('show keys, types and where a foreign key points, also when it points nowhere', () => {
    const looks = table('album').columns.map((column) => columnLook(table('album'), column));
    assert.deepEqual(
      looks.map(({ icon }) => icon),
      ['key', 'references', 'references'],
    );
    assert.equal(looks[1]?.description, 'INTEGER → artist.id');
    assert.match(looks[2]?.description ?? '', /^INTEGER → nowhere \(.+\)$/);
  });

  it('tell why the columns of a broken view cannot be read', () => {
    const broken: Table = { ...table('artist'), type: 'view', columns: [], problem: 'no such column: x' };
    assert.deepEqual(columnNodes(uri, broken), [{ kind: 'problem', uri, message: 'no such column: x' }]);
    assert.equal(tableLook(broken).icon, 'warning');
  });
});
