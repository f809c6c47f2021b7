import assert from 'node:assert/strict';
import { parseQuery, parseView } from '../../../src/core/sql/ast/parse-query.ts';
import type { Block, Query, Range } from '../../../src/core/sql/ast/query.ts';
import { textOf } from '../../../src/core/sql/ast/source.ts';
import { queriesIn } from '../../../src/core/sql/ast/walk.ts';
import { parsed } from './trace-support.ts';

function blockOf(query: Query, arm = 0): Block {
  const core = query.arms[arm]?.core;
  assert.ok(core?.kind === 'select');
  return core;
}

/** The texts of the ranges of some nodes. */
function texts(sql: string, nodes: readonly { range: Range }[] | undefined): string[] {
  return (nodes ?? []).map(({ range }) => textOf(sql, range));
}

describe('source ranges of a query', () => {
  it('give each clause with its keyword', () => {
    const sql = `SELECT DISTINCT a , b AS c FROM t WHERE a>1 GROUP  BY a,b HAVING count( * )>2
      WINDOW w AS (ORDER BY a), v AS (PARTITION BY b) ORDER BY a DESC NULLS LAST, b LIMIT 3 OFFSET 4`;
    const query = parsed(sql);
    const block = blockOf(query);
    const clauses = [block.from, block.where, block.groupBy, block.having, block.windows, query.orderBy, query.limit];
    assert.deepEqual(
      clauses.map((clause) => clause && textOf(sql, clause.range)),
      [
        'FROM t',
        'WHERE a>1',
        'GROUP  BY a,b',
        'HAVING count( * )>2',
        'WINDOW w AS (ORDER BY a), v AS (PARTITION BY b)',
        'ORDER BY a DESC NULLS LAST, b',
        'LIMIT 3 OFFSET 4',
      ],
    );
    assert.deepEqual(texts(sql, block.items), ['a', 'b AS c']);
    assert.deepEqual(texts(sql, query.orderBy?.items), ['a DESC NULLS LAST', 'b']);
    assert.equal(block.distinct && textOf(sql, block.distinct.range), 'DISTINCT');
    assert.equal(textOf(sql, block.range), sql.slice(0, sql.indexOf(' ORDER BY a DESC')));
  });

  it('give each FROM item and join without what follows it', () => {
    const sql = `SELECT 1 FROM main.a AS x INDEXED BY i LEFT  OUTER JOIN b ON x.i = b.i , (SELECT 2) s
      JOIN (p JOIN q USING (k)) ON s.k = p.k NATURAL JOIN "odd name" z CROSS JOIN json_each('[1]', '$')`;
    const from = blockOf(parsed(sql)).from;
    assert.ok(from);
    assert.deepEqual(texts(sql, [from.first, ...from.joins.map(({ item }) => item)]), [
      'main.a AS x INDEXED BY i',
      'b',
      '(SELECT 2) s',
      '(p JOIN q USING (k))',
      '"odd name" z',
      `json_each('[1]', '$')`,
    ]);
    assert.deepEqual(texts(sql, from.joins), [
      'LEFT  OUTER JOIN b ON x.i = b.i',
      ', (SELECT 2) s',
      'JOIN (p JOIN q USING (k)) ON s.k = p.k',
      'NATURAL JOIN "odd name" z',
      `CROSS JOIN json_each('[1]', '$')`,
    ]);
    assert.deepEqual(
      from.joins.map(({ kind, natural }) => [kind, natural]),
      [
        ['left', false],
        ['comma', false],
        ['inner', false],
        ['inner', true],
        ['cross', false],
      ],
    );
  });

  it('open the ANDs of a condition, also in parentheses, and nothing else', () => {
    const sql = 'SELECT 1 FROM t WHERE a = 1 AND (b BETWEEN 2 AND 3 AND (c OR d)) AND NOT (e AND f) AND (g)';
    assert.deepEqual(texts(sql, blockOf(parsed(sql)).where?.conjuncts), [
      'a = 1',
      'b BETWEEN 2 AND 3',
      '(c OR d)',
      'NOT (e AND f)',
      '(g)',
    ]);
  });

  it('give stars, compound operators and arms', () => {
    const sql = 'SELECT *, t . * FROM t UNION  ALL SELECT ALL 1, 2 EXCEPT VALUES (1, 2), (3, (4)) ORDER BY 1';
    const query = parsed(sql);
    assert.deepEqual(texts(sql, blockOf(query).items), ['*', 't . *']);
    assert.deepEqual(texts(sql, query.arms), ['SELECT *, t . * FROM t', 'SELECT ALL 1, 2', 'VALUES (1, 2), (3, (4))']);
    assert.deepEqual(
      query.arms.map(({ operator }) => operator && [operator.kind, textOf(sql, operator.range)]),
      [null, ['UNION ALL', 'UNION  ALL'], ['EXCEPT', 'EXCEPT']],
    );
  });

  it('give WITH to the end of its last item, and each item', () => {
    const sql = 'WITH RECURSIVE a(x, y) AS NOT MATERIALIZED (SELECT 1, 2) , b AS (SELECT 3) SELECT * FROM a, b';
    const query = parsed(sql);
    assert.equal(query.with && textOf(sql, query.with.range), sql.slice(0, sql.indexOf(' SELECT * FROM')));
    assert.deepEqual(texts(sql, query.with?.items), ['a(x, y) AS NOT MATERIALIZED (SELECT 1, 2)', 'b AS (SELECT 3)']);
  });

  it('give subqueries with where they stand', () => {
    const sql = `SELECT (SELECT 1) + 1 FROM t JOIN u ON EXISTS (SELECT 2) WHERE x NOT IN (SELECT 3 WHERE (SELECT 4))`;
    const block = blockOf(parsed(sql));
    const where = block.where?.expression.subqueries ?? [];
    assert.deepEqual([where[0]?.kind, ...texts(sql, where)], ['in', 'x NOT IN (SELECT 3 WHERE (SELECT 4))']);
    assert.deepEqual(texts(sql, queriesIn(parsed(sql))), ['SELECT 1', 'SELECT 2', 'SELECT 3 WHERE (SELECT 4)']);
  });

  it('read LIMIT with a comma as offset and count', () => {
    const sql = 'SELECT 1 LIMIT 5, 10';
    const { limit } = parsed(sql);
    assert.ok(limit?.offset);
    assert.deepEqual(texts(sql, [limit.offset, limit.count, limit]), ['5', '10', 'LIMIT 5, 10']);
  });

  it('are right beside comments and line feeds', () => {
    const sql = 'SELECT a -- first\n, b FROM t /* here */ WHERE /* not */ a = 1 -- end\n;';
    const block = blockOf(parsed(sql));
    assert.deepEqual(texts(sql, block.items), ['a', 'b']);
    assert.equal(block.where && textOf(sql, block.where.range), 'WHERE /* not */ a = 1');
  });
});

describe('a text that is no single SELECT', () => {
  const code = (sql: string) => parseQuery(sql).failure?.code;

  it('is told apart by a code, with the place of a syntax error', () => {
    assert.equal(code(' -- nothing'), 'empty');
    assert.equal(code('SELECT 1; SELECT 2'), 'several_statements');
    assert.equal(code('DELETE FROM t'), 'not_a_select');
    const sql = 'SELECT a FROM t WHERE a > = 1';
    const { failure } = parseQuery(sql);
    assert.equal(failure?.code, 'syntax');
    assert.equal(failure.range && textOf(sql, failure.range), '=');
  });

  it('is refused where it is nested too deeply to be walked', () => {
    assert.equal(code(`SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`), 'too_deep');
  });

  it('may be a view, whose query is found in its text', () => {
    const sql = 'CREATE VIEW v (a) AS SELECT 1 FROM t';
    const view = parseView(sql);
    assert.equal(view && textOf(sql, view.range), 'SELECT 1 FROM t');
    assert.equal(parseView('CREATE TABLE t (a)'), null);
  });
});
