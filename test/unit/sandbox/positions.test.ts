import assert from 'node:assert/strict';
import { Bench } from './support.ts';

const SCHEMA = `
  CREATE TABLE t(a, b); CREATE TABLE u(a, c);
  CREATE VIEW broken AS SELECT nope FROM t;
  CREATE VIEW lost AS SELECT * FROM gone;`;

/** Statements whose error stands at the words between « and », or nowhere that can be told. */
const ERRORS = [
  'SELECT «FROM» t',
  'SELECT a FROM t WHER «a» = 1',
  '«SELEC» 1',
  'SELECT 1 +«»',
  'SELECT (1«»',
  "SELECT a FROM t WHERE b = «'open»",
  'SELECT a § «b»',
  'SELECT a,\n  b,\n  «nope»\nFROM t',
  'SELECT «t.nope» FROM t',
  'SELECT x.a, «x . nope» FROM t AS x',
  'SELECT «[no pe]» FROM t',
  'SELECT «`nope`» FROM t',
  'SELECT «main.t.nope» FROM t',
  'SELECT a AS nope, «nope» + 1 FROM t',
  "SELECT 'nope', «nope» FROM t -- nope",
  'SELECT «nope», b FROM t ORDER BY nope',
  'SELECT * FROM t JOIN u ON t.a = «u.nope»',
  'SELECT «a» FROM t, u',
  'SELECT t.a, «a» FROM t JOIN u ON t.a = u.a',
  'SELECT * FROM t WHERE a IN (SELECT «nope» FROM u)',
  'SELECT * FROM «nope»',
  'SELECT * FROM t, «main.nope»',
  'WITH nope AS (SELECT 1) SELECT * FROM nope, (SELECT * FROM «gone»)',
  'SELECT * FROM t LIMIT «a»',
  'SELECT «nope»(a) FROM t',
  'SELECT «nope»(1), nope FROM t',
  'SELECT «substr»() FROM t',
  'SELECT a FROM t WHERE «count»(*) > 1',
  'SELECT a FROM t ORDER BY b COLLATE «nope»',
  // In a view, where the text of the query has nothing to do with it.
  'SELECT * FROM broken',
  'SELECT nope FROM broken',
  'SELECT * FROM lost',
  'SELECT * FROM lost AS gone',
  'SELECT a FROM t UNION SELECT a, b FROM t',
];

/** Statements that are refused because of the words between « and ». */
const REFUSALS = [
  'SELECT 1; «SELECT 2»',
  'SELECT 1 «\0»',
  '«INSERT» INTO t VALUES (1, 2)',
  'WITH c AS (SELECT 1) «DELETE» FROM t',
  'EXPLAIN «UPDATE» t SET a = 1',
  "«ATTACH» 'x' AS y",
  '«BEGIN»',
  'CREATE TEMP TABLE x(a)'.replace('CREATE', '«CREATE»'),
  'PRAGMA «user_version» = 3',
  "SELECT a, «load_extension»('x') FROM t",
  "SELECT load_extension('x'), load_extension('y')",
  '',
];

describe('position of an error', () => {
  let bench: Bench;
  let db: string;
  before(() => {
    bench = new Bench({ spares: 0 });
    db = bench.database('positions.sqlite', SCHEMA);
  });
  after(() => bench.close());

  async function marked(text: string, status: string): Promise<void> {
    const start = text.indexOf('«');
    const sql = text.replace(/[«»]/g, '');
    const { position, ...result } = await bench.query(db, sql);
    assert.equal(result.status, status, `${result.message}`);
    const shown =
      position &&
      `${sql.slice(0, position.offset)}«${sql.slice(position.offset, position.offset + position.length)}»${sql.slice(position.offset + position.length)}`;
    assert.equal(shown, start < 0 ? null : text, `${result.message}`);
    if (position === null) return;
    const lines = sql.slice(0, position.offset).split('\n');
    assert.deepEqual([position.line, position.column], [lines.length, (lines.at(-1) ?? '').length + 1]);
  }

  for (const text of ERRORS)
    it(`${text.includes('«') ? 'is found' : 'is not guessed'} in ${JSON.stringify(text)}`, () => marked(text, 'error'));

  for (const text of REFUSALS)
    it(`${text.includes('«') ? 'is found' : 'is not guessed'} for a refusal in ${JSON.stringify(text)}`, () =>
      marked(text, 'rejected'));

  it('does not change what the result says was touched', async () => {
    const result = await bench.query(db, 'SELECT a, nope FROM t');
    assert.ok(result.touched.every(({ table }) => table === 't'));
  });
});
