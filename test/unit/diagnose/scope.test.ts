import assert from 'node:assert/strict';
import type { Core } from '../../../src/core/sql/ast/query.ts';
import { textOf } from '../../../src/core/sql/ast/source.ts';
import { resolveQuery } from '../../../src/core/sql/scope/resolve.ts';
import type { Reference, Resolution } from '../../../src/core/sql/scope/scope.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { parsed, TraceBench } from './trace-support.ts';

const SCHEMA = `
CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, size INT);
CREATE TABLE b (id INTEGER PRIMARY KEY, aid INT, name TEXT);
CREATE VIEW v (x, y) AS SELECT id, name FROM a;
CREATE TABLE keyed (k TEXT PRIMARY KEY) WITHOUT ROWID;`;

function coreOf({ query }: Resolution): Core {
  const core = query.arms[0]?.core;
  assert.ok(core !== undefined);
  return core;
}

/** A reference in short: `alias.column`, `alias^1.column` one block further out, `=alias`, `'text'`. */
function short(reference: Reference): string {
  switch (reference.kind) {
    case 'column': {
      const depth = reference.depth === 0 ? '' : `^${reference.depth}`;
      const merged = reference.sources.length > 1 ? `+${reference.sources.length - 1}` : '';
      return `${reference.source.alias}${depth}.${reference.column}${merged}`;
    }
    case 'alias':
      return `=${reference.output.name}`;
    case 'text':
      return `'${reference.text}'`;
    default:
      return reference.kind;
  }
}

describe('what column names mean', () => {
  const folder = temporaryFolder();
  const bench = new TraceBench(folder.database('scope.sqlite', SCHEMA));
  after(async () => {
    await bench.dispose();
    folder.remove();
  });

  const resolved = async (sql: string): Promise<Resolution> => resolveQuery(parsed(sql), sql, await bench.catalog());

  /** `written: meaning` of every name in the text, in order. */
  async function meanings(sql: string): Promise<string[]> {
    const resolution = await resolved(sql);
    return [...resolution.names()]
      .sort(([first], [second]) => first.span.offset - second.span.offset)
      .map(([{ span }, reference]) => `${textOf(sql, span)}: ${short(reference)}`);
  }

  async function columns(sql: string): Promise<readonly string[] | null> {
    const resolution = await resolved(sql);
    return resolution.columnsOf(resolution.query);
  }

  it('finds the table of a bare name, and spells columns as the table does', async () => {
    assert.deepEqual(await meanings('SELECT NAME, AID FROM a AS t JOIN b ON T.ID = b.aid WHERE size > 1'), [
      'NAME: ambiguous',
      'AID: b.aid',
      'T.ID: t.id',
      'b.aid: b.aid',
      'size: t.size',
    ]);
  });

  it('takes the real column before the alias in WHERE, GROUP BY and HAVING, the alias in ORDER BY', async () => {
    const sql =
      'SELECT size AS name, id + 1 AS next FROM a WHERE name = 1 AND next = 2 GROUP BY name HAVING next ORDER BY name';
    assert.deepEqual(await meanings(sql), [
      'size: a.size',
      'id: a.id',
      'name: a.name',
      'next: =next',
      'name: a.name',
      'next: =next',
      'name: =name',
    ]);
    assert.deepEqual(await meanings('SELECT size AS name FROM a ORDER BY name + 1'), ['size: a.size', 'name: a.name']);
  });

  it('does not take aliases in select items', async () => {
    assert.deepEqual(await meanings('SELECT id AS n, n FROM a'), ['id: a.id', 'n: unknown']);
  });

  it('leads out of a subquery to the blocks around it, the nearest first', async () => {
    const sql =
      'SELECT name FROM a WHERE EXISTS (SELECT 1 FROM b WHERE aid = a.id AND size = (SELECT max(aid) FROM b c WHERE c.id = a.id))';
    assert.deepEqual(await meanings(sql), [
      'name: a.name',
      'aid: b.aid',
      'a.id: a^1.id',
      'size: a^1.size',
      'aid: c.aid',
      'c.id: c.id',
      'a.id: a^2.id',
    ]);
    const resolution = await resolved(sql);
    const exists = resolution.subqueriesOf(coreOf(resolution))[0];
    assert.ok(exists);
    assert.deepEqual(
      resolution.outerOf(exists.query).map(({ reference }) => short(reference)),
      ['a^1.id', 'a^1.size', 'a^2.id'],
    );
    assert.deepEqual(resolution.outerOf(resolution.query), []);
  });

  it('does not let a FROM-subquery see its neighbours', async () => {
    assert.deepEqual(await meanings('SELECT 1 FROM a, (SELECT size FROM b) s'), ['size: unknown']);
  });

  it('takes a double-quoted name that means nothing else as a text, a bracketed one not', async () => {
    assert.deepEqual(await meanings('SELECT "name", "Rome", [Rome], a."Rome" FROM a'), [
      '"name": a.name',
      `"Rome": 'Rome'`,
      '[Rome]: unknown',
      'a."Rome": unknown',
    ]);
  });

  it('merges columns by USING and NATURAL', async () => {
    assert.deepEqual(await meanings('SELECT id, b.id, a.name FROM a JOIN b USING (id)'), [
      'id: a.id+1',
      'b.id: b.id',
      'a.name: a.name',
    ]);
    assert.deepEqual(await columns('SELECT * FROM a JOIN b USING (id)'), ['id', 'name', 'size', 'aid', 'name:1']);
    assert.deepEqual(await columns('SELECT * FROM a NATURAL JOIN b'), ['id', 'name', 'size', 'aid']);
    assert.deepEqual(await columns('SELECT b.* FROM a NATURAL JOIN b'), ['id', 'aid', 'name']);
  });

  it('knows the columns of views, subqueries and common table expressions, forward and recursive ones too', async () => {
    assert.deepEqual(await columns('SELECT * FROM v'), ['x', 'y']);
    assert.deepEqual(await columns('SELECT * FROM (SELECT id i, count(*), a.name FROM a)'), ['i', 'count(*)', 'name']);
    assert.deepEqual(await columns('WITH c AS (SELECT * FROM d), d (p) AS (SELECT id FROM a) SELECT * FROM c'), ['p']);
    const recursive = 'WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r';
    assert.deepEqual(await meanings(recursive), ['n: r.n', 'n: r.n', 'n: r.n']);
    assert.deepEqual(await columns('VALUES (1, 2)'), ['column1', 'column2']);
  });

  it('knows the rowid of tables that have one', async () => {
    assert.deepEqual(await meanings('SELECT rowid, a.oid FROM a'), ['rowid: a.rowid', 'a.oid: a.oid']);
    assert.deepEqual(await meanings('SELECT rowid FROM keyed'), ['rowid: unknown']);
  });

  it('gives an aggregate to the block whose rows it works over', async () => {
    const sql = 'SELECT (SELECT max(a.size) FROM b), (SELECT count(*) FROM b), sum(size) OVER () FROM a';
    const resolution = await resolved(sql);
    const outer = resolution.scopeOf(coreOf(resolution));
    assert.deepEqual(
      outer.aggregates.map(({ name }) => name.name),
      ['max'],
    );
    assert.deepEqual(
      outer.windows.map(({ name }) => name.name),
      ['sum'],
    );
  });

  it('finds the result column that a number or an alias in ORDER BY names', async () => {
    const resolution = await resolved('SELECT *, size AS big FROM a ORDER BY 2, big, id, 9');
    const scope = resolution.scopeOf(coreOf(resolution));
    const terms = resolution.query.orderBy?.items ?? [];
    assert.deepEqual(
      terms.map(({ expression }) => resolution.outputOf(expression.node, scope, 'ORDER BY')),
      [1, 3, null, null],
    );
  });
});
