import assert from 'node:assert/strict';
import { columnKind } from '../../../src/core/schema/column-kind.ts';
import { estimateTokens, renderLines1 } from '../../../src/core/schema/lines1.ts';
import type { Column, ColumnValues, ForeignKey, Table, ValueScan } from '../../../src/protocol/catalog.ts';

/** A column from `name type`, with ` pk` behind it for the primary key and ` hidden` for a hidden one. */
function column(text: string): Column {
  const [name = '', declared = '', ...facts] = text.split(' ');
  return {
    name,
    declared,
    kind: columnKind(declared),
    notNull: false,
    defaultSql: null,
    primaryKey: facts.includes('pk') ? 1 : 0,
    generated: null,
    hidden: facts.includes('hidden'),
    meaning: null,
  };
}

/** A foreign key from `column -> table.column`, or `column -> table` for its primary key. */
function key(text: string, id: number): ForeignKey {
  const [from = '', to = ''] = text.split(' -> ');
  const [toTable = '', toColumn = null] = to.split('.');
  return { id, seq: 0, from, toTable, toColumn, target: null, problem: null };
}

function table(name: string, columns: string[], more: Partial<Table> = {}, keys: string[] = []): Table {
  return {
    name,
    type: 'table',
    columns: columns.map(column),
    foreignKeys: keys.map(key),
    indexes: [],
    withoutRowid: false,
    strict: false,
    sql: null,
    problem: null,
    ...more,
  };
}

function values(
  tableName: string,
  columnName: string,
  list: string[] | null,
  nonNull: number | null = 100,
): ColumnValues {
  return { table: tableName, column: columnName, values: list, nonNull };
}

function render(
  tables: Table[],
  columns: ColumnValues[],
  question: string,
  evidence = '',
  kept: string[] | null = null,
) {
  const scan: ValueScan = { columns, skipped: [] };
  return renderLines1({ catalog: { tables, problems: [] }, scan, tables: kept, question, evidence });
}

function lines(...parameters: Parameters<typeof render>): string[] {
  return render(...parameters).user.split('\n');
}

describe('the schema in a lines-1 prompt', () => {
  it('shows tables and virtual tables, and no views, shadow tables, unreadable ones or names like sqlite_', () => {
    const tables = [
      table('a', ['x INT']),
      table('v', ['x INT'], { type: 'view' }),
      table('f', ['body '], { type: 'virtual' }),
      table('f_data', ['id INT'], { type: 'shadow' }),
      table('broken', [], { type: 'virtual', problem: 'no such module: m' }),
      table('SQLiteX', ['x INT']),
      table('sqlite', ['x INT']),
    ];
    assert.deepEqual(lines(tables, [], 'q'), [
      'Schema:',
      'a(x integer)',
      'f(body numeric)',
      'sqlite(x integer)',
      'Question: q',
    ]);
  });

  it('marks each column of the primary key, leaves out hidden columns and quotes names that need it', () => {
    const tables = [table('Order', ['id INTEGER pk', 'group TEXT pk', 'rank REAL hidden', 'größe REAL'])];
    assert.deepEqual(lines(tables, [], 'q')[1], '"Order"(id integer pk, "group" text pk, "größe" real)');
  });

  it('shows only the tables that are kept, and only the foreign keys between them', () => {
    const tables = [
      table('a', ['id INT pk']),
      table('b', ['id INT pk', 'a INT'], {}, ['a -> a.id']),
      table('c', ['b INT', 'a INT'], {}, ['b -> b.id', 'a -> a.id']),
    ];
    assert.deepEqual(lines(tables, [], 'q', '', ['c', 'b']), [
      'Schema:',
      'b(id integer pk, a integer)',
      'c(b integer, a integer)',
      'Foreign keys:',
      'c.b = b.id',
      'Question: q',
    ]);
  });

  it('writes foreign keys with the names as the tables spell them, repeats kept, and leaves out those that lead nowhere', () => {
    const tables = [
      table('Ärzte', ['Id INT pk', 'Name TEXT']),
      table('pair', ['x INT pk', 'y INT pk']),
      table('none', ['x INT']),
      table('v', ['id INT'], { type: 'view' }),
      table('visit', ['Arzt INT', 'h INT hidden'], {}, [
        'ARZT -> ärzte.ID',
        'arzt -> ÄRZTE',
        'arzt -> pair',
        'arzt -> none',
        'arzt -> v.id',
        'arzt -> missing.id',
        'arzt -> none.missing',
        'missing -> none.x',
        'h -> none.x',
        'arzt -> ärzte.id',
      ]),
    ];
    assert.deepEqual(lines(tables, [], 'q').slice(5, -1), [
      'Foreign keys:',
      'visit.Arzt = "Ärzte".Id',
      'visit.Arzt = "Ärzte".Id',
      'visit.Arzt = "Ärzte".Id',
    ]);
  });

  it('lists one to six short values of a column that repeats them, sorted by code point', () => {
    const tables = [table('t', ['c TEXT'])];
    const first = (list: string[], nonNull: number | null = 100) =>
      lines(tables, [values('t', 'c', list, nonNull)], 'q')[1];
    assert.equal(first(['b', "it's", 'B', '😀', '\uff21']), "t(c text {'B', 'b', 'it''s', '\uff21', '😀'})");
    assert.equal(first(['a', 'b'], 4), "t(c text {'a', 'b'})");
    assert.equal(first(['a', 'b'], 3), 't(c text)');
    assert.equal(first(['a', 'b'], null), 't(c text)');
    assert.equal(first(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 't(c text)');
    assert.equal(first([]), 't(c text)');
    assert.equal(first(['a', '😀'.repeat(20)]), `t(c text {'a', '${'😀'.repeat(20)}'})`);
    assert.equal(first(['a', 'x'.repeat(21)]), 't(c text)');
    assert.equal(first(['a', 'two\nlines']), 't(c text)');
    assert.equal(first(['1', ' 2 ', '٣']), 't(c text)');
    assert.equal(first(['1', '2b']), "t(c text {'1', '2b'})");
  });

  it('lists no values for a primary key, a column of another kind, or one with longer values besides', () => {
    const tables = [table('t', ['k TEXT pk', 'n INTEGER', 'd DATE', 'l TEXT'])];
    const scan = [
      values('t', 'k', ['a']),
      values('t', 'n', ['a']),
      values('t', 'd', ['a']),
      { ...values('t', 'l', ['a']), longer: 1 },
    ];
    assert.equal(lines(tables, scan, 'q')[1], "t(k text pk, n integer, d date {'a'}, l text)");
  });
});

describe('the values in a lines-1 prompt', () => {
  const tables = [table('t', ['k TEXT pk', 'c TEXT', 'n INTEGER'])];
  const matched = (list: string[], question: string, evidence = '') =>
    lines(tables, [values('t', 'c', list, null)], question, evidence).filter((line) => line.startsWith('t.'));

  it('are those of any column, primary keys included, that stand in the question or the evidence', () => {
    const scan = [
      values('t', 'k', ['Rock'], null),
      values('t', 'c', ['Jazz', 'Blues'], null),
      values('t', 'n', ['Rock'], null),
    ];
    assert.deepEqual(lines(tables, scan, 'how much rock?', 'jazz only').slice(2), [
      'Values:',
      "t.k: 'Rock'",
      "t.c: 'Jazz'",
      'Evidence: jazz only',
      'Question: how much rock?',
    ]);
  });

  it('can reach from the end of the question into the evidence', () => {
    assert.deepEqual(matched(['New York'], 'who is new', 'York is a city'), ["t.c: 'New York'"]);
  });

  it('are not repeated where the schema lists them', () => {
    const scan = [values('t', 'c', ['Rock', 'Jazz'], 10)];
    assert.ok(!lines(tables, scan, 'rock').includes('Values:'));
  });

  it('are not searched in a column with too many values', () => {
    assert.ok(!lines(tables, [values('t', 'c', null, null)], 'rock').includes('Values:'));
  });

  it('are dropped where their words stand in those of another of the column; two with the same words drop each other', () => {
    assert.deepEqual(matched(['York', 'New York', 'New'], 'new york'), ["t.c: 'New York'"]);
    assert.deepEqual(matched(['New York', 'NEW-YORK', 'York', 'Old'], 'new york old'), ["t.c: 'Old'"]);
    assert.deepEqual(matched(['Yorks', 'York'], 'yorks york'), ["t.c: 'Yorks', 'York'"]);
  });

  it('are the two longest of a column in code points, ties by code point', () => {
    assert.deepEqual(matched(['Rome', 'Oslo', 'Paris', 'Bonn'], 'rome oslo paris bonn'), ["t.c: 'Paris', 'Bonn'"]);
    assert.deepEqual(matched(['😀😀 ab', 'abcdef', 'abcd e'], '😀 ab abcdef abcd e'), ["t.c: 'abcd e', 'abcdef'"]);
  });

  it('are shown for the twelve columns with the longest first value, in schema order', () => {
    const names = Array.from({ length: 14 }, (_, position) => `c${position}`);
    const wide = [
      table(
        't',
        names.map((name) => `${name} TEXT`),
      ),
    ];
    const words = names.map((_, position) => 'x'.repeat(3 + ((position * 5) % 14)));
    const scan = names.map((name, position) => values('t', name, [words[position] ?? ''], null));
    const shown = lines(wide, scan, words.join(' ')).filter((line) => line.startsWith('t.'));
    // Words have 3 to 16 letters; the columns with 3 (c0) and 4 (c3) are left out.
    assert.deepEqual(
      shown.map((line) => line.slice(2, line.indexOf(':'))),
      names.filter((name) => name !== 'c0' && name !== 'c3'),
    );
  });

  it('double their quotes and stand as stored', () => {
    assert.deepEqual(matched(["  O'Neil  "], "what did O'Neil do"), ["t.c: '  O''Neil  '"]);
  });

  it('of tables that are left out do not stand in the prompt', () => {
    const two = [table('a', ['c TEXT']), table('b', ['c TEXT'])];
    const scan = [values('a', 'c', ['Rock'], null), values('b', 'c', ['Rock'], null)];
    assert.deepEqual(lines(two, scan, 'rock', '', ['b']).slice(1), [
      'b(c text)',
      'Values:',
      "b.c: 'Rock'",
      'Question: rock',
    ]);
  });
});

describe('question and evidence in a lines-1 prompt', () => {
  it('have their white space collapsed; blank evidence has no line', () => {
    const tables = [table('t', ['c TEXT'])];
    assert.deepEqual(lines(tables, [], ' a\n\tb ', ' x\u3000y ').slice(2), ['Evidence: x y', 'Question: a b']);
    assert.deepEqual(lines(tables, [], 'a', ' \u2003 ').slice(2), ['Question: a']);
  });

  it('stand behind the stable prefix, with the values', () => {
    const { user, stablePrefix } = render([table('t', ['c TEXT'])], [values('t', 'c', ['Rock'], null)], 'rock');
    assert.equal(user.slice(0, stablePrefix), 'Schema:\nt(c text)\n');
    assert.equal(user.slice(stablePrefix), "Values:\nt.c: 'Rock'\nQuestion: rock");
  });

  it('make a prompt of a database without tables', () => {
    assert.equal(render([], [], 'q').user, 'Schema:\nQuestion: q');
  });
});

describe('the estimate of tokens', () => {
  it('is near the count of the tokenizer of the bundled model', () => {
    // Counted with the tokenizer of SmolLM2-135M-Instruct.
    const text =
      'Schema:\nAlbum(AlbumId integer pk, Title text, ArtistId integer)\nQuestion: How many albums are there?';
    assert.ok(Math.abs(estimateTokens(text) - 30) <= 4, String(estimateTokens(text)));
    assert.equal(estimateTokens(''), 0);
  });
});
