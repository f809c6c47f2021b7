import assert from 'node:assert/strict';
import type { Catalog, Column, Table } from '../../../src/protocol/catalog.ts';
import { columnBadges, firstTable, treeNodes } from '../../../webview-ui/database/tree-model.ts';

function column(name: string, change: Partial<Column> = {}): Column {
  return {
    name,
    declared: 'TEXT',
    kind: 'text',
    notNull: false,
    defaultSql: null,
    primaryKey: 0,
    generated: null,
    hidden: false,
    meaning: null,
    ...change,
  };
}

function table(name: string, change: Partial<Table> = {}): Table {
  const columns = [column('id', { primaryKey: 1 }), column('name')];
  const rest = { foreignKeys: [], indexes: [], withoutRowid: false, strict: false, sql: null, problem: null };
  return { name, type: 'table', columns, ...rest, ...change };
}

const CATALOG: Catalog = {
  tables: [
    table('artist'),
    table('album', { columns: [column('id'), column('artist_id')] }),
    table('best', { type: 'view' }),
    table('broken', { type: 'view', columns: [], problem: 'no such table: gone' }),
    table('notes_data', { type: 'shadow' }),
    table('notes', { type: 'virtual' }),
  ],
  problems: ['view broken: no such table: gone'],
};

function labels(toggled: string[], filter = ''): string[] {
  return treeNodes(CATALOG, new Set(toggled), filter).map(({ level, label }) => `${'  '.repeat(level - 1)}${label}`);
}

describe('the schema tree', () => {
  it('groups tables, views and virtual tables; shadow tables are folded away', () => {
    assert.deepEqual(labels([]), [
      'Tables',
      '  artist',
      '  album',
      'Views',
      '  best',
      '  broken',
      'Virtual tables',
      '  notes',
      'Shadow tables',
      'Problems',
      '  view broken: no such table: gone',
    ]);
  });

  it('opens and closes what was toggled', () => {
    const shown = labels(['table artist', 'group Views', 'group Shadow tables', 'group Problems']);
    assert.deepEqual(shown.slice(0, 5), ['Tables', '  artist', '    id', '    name', '  album']);
    assert.deepEqual(shown.slice(5), [
      'Views',
      'Virtual tables',
      '  notes',
      'Shadow tables',
      '  notes_data',
      'Problems',
    ]);
  });

  it('shows why a view cannot be read below it', () => {
    const nodes = treeNodes(CATALOG, new Set(['table broken']), '');
    const below = nodes.find(({ kind, level }) => kind === 'problem' && level === 3);
    assert.equal(below?.label, 'no such table: gone');
    assert.equal(below?.table, 'broken');
    assert.equal(nodes.find(({ label }) => label === 'broken')?.badges[0]?.kind, 'problem');
  });

  it('finds tables by name, and opens those of which a column is found', () => {
    assert.deepEqual(labels([], ' ARTIST'), ['Tables', '  artist', '  album', '    artist_id']);
    assert.deepEqual(labels([], 'nothing of that'), []);
  });

  it('numbers each line among its siblings, as screen readers say it', () => {
    const nodes = treeNodes(CATALOG, new Set(['table artist']), '');
    const places = nodes.slice(0, 5).map(({ label, position, siblings }) => `${label} ${position}/${siblings}`);
    assert.deepEqual(places, ['Tables 1/5', 'artist 1/2', 'id 1/2', 'name 2/2', 'album 2/2']);
    assert.equal(new Set(nodes.map(({ id }) => id)).size, nodes.length);
  });

  it('marks keys, targets of foreign keys, and what else is special of a column', () => {
    const child = table('line', {
      columns: [
        column('order_id', { primaryKey: 1, notNull: true }),
        column('number', { primaryKey: 2 }),
        column('total', { generated: 'stored' }),
      ],
      foreignKeys: [
        {
          id: 0,
          seq: 0,
          from: 'ORDER_ID',
          toTable: 'orders',
          toColumn: null,
          target: { column: 'order_id', toTable: 'Orders', toColumn: 'id' },
          problem: null,
        },
        {
          id: 1,
          seq: 0,
          from: 'number',
          toTable: 'gone',
          toColumn: 'x',
          target: null,
          problem: 'there is no table gone',
        },
      ],
    });
    const titles = child.columns.map((each) => columnBadges(each, child).map(({ title }) => title));
    assert.deepEqual(titles, [
      ['part 1 of the primary key', 'foreign key to Orders.id', 'not null'],
      ['part 2 of the primary key', 'there is no table gone'],
      ['generated column, stored'],
    ]);
  });

  it('begins with a table that has rows to show', () => {
    assert.equal(firstTable(CATALOG), 'artist');
    assert.equal(firstTable({ tables: CATALOG.tables.slice(3), problems: [] }), 'notes');
    assert.equal(firstTable({ tables: CATALOG.tables.slice(3, 4), problems: [] }), 'broken');
    assert.equal(firstTable({ tables: [], problems: [] }), null);
  });
});
