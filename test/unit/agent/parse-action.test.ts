import assert from 'node:assert/strict';
import { type Action, parseReply } from '../../../src/core/agent/parse-action.ts';

function actionIn(reply: string, cut = false): Action {
  return parseReply(reply, cut).action;
}

function sqlIn(reply: string): string | null {
  const action = actionIn(reply);
  return action.type === 'query' || action.type === 'final' ? action.sql : null;
}

const QUERY: Action = { type: 'query', sql: 'SELECT 1', expected: null };

/** What a reply looks like, and the reply; each is the query SELECT 1. */
const FORMS: [string, string][] = [
  ['a fence', '```json\n{"action": "query", "sql": "SELECT 1"}\n```'],
  ['a fence without a language', '```\n{"action": "query", "sql": "SELECT 1"}\n```'],
  ['a fence that is never closed', '```json\n{"action": "query", "sql": "SELECT 1"}'],
  ['a bare object', '{"action": "query", "sql": "SELECT 1"}'],
  ['prose around it', 'Let me {look}.\n{"action": "query", "sql": "SELECT 1"}\nI will see the rows then.'],
  ['thinking before it', '<think>{"action": "final", "sql": "SELECT 2"}</think>{"action": "query", "sql": "SELECT 1"}'],
  ['thinking whose start the server cut', 'hm {"action": "inspect"} </think>{"action": "query", "sql": "SELECT 1"}'],
  ['a semicolon at the end', '{"action": "query", "sql": "SELECT 1 ; "}'],
  ['a trailing comma', '{"action": "query", "sql": "SELECT 1",}'],
  ['single quotes', "{'action': 'query', 'sql': 'SELECT 1'}"],
  ['triple quotes', '{"action": "query", "sql": """\nSELECT 1\n"""}'],
  ['other words for it', '{"action": "Run Query", "query": "SELECT 1"}'],
  ['a tool call', '{"name": "query", "arguments": {"sql": "SELECT 1"}}'],
  ['the action as the key', '{"execute": {"sql": "SELECT 1"}}'],
  ['no action, only SQL in JSON', '{"sql": "SELECT 1"}'],
  ['a fence of SQL without JSON', 'Here you are:\n```sql\nSELECT 1;\n```\nThis counts.'],
  ['SQL alone', 'SELECT 1;'],
  ['an end mark that the server let through', '{"action": "query", "sql": "SELECT 1"}<|im_end|>\n<|im_start|>user'],
];

describe('the action in a reply', () => {
  for (const [form, reply] of FORMS)
    it(`is found in ${form}`, () => assert.deepEqual(parseReply(reply, false), { action: QUERY, more: false }));

  it('keeps line feeds that stand raw in a JSON string', () => {
    assert.equal(sqlIn('{"action": "query", "sql": "SELECT 1\nFROM t"}'), 'SELECT 1\nFROM t');
  });

  it('keeps escapes, quotes and braces inside SQL', () => {
    assert.equal(
      sqlIn(String.raw`{"action":"query","sql":"SELECT '{\"a\": 1}' AS \"x\\y\", 'caf\u00e9' -- }"}`),
      `SELECT '{"a": 1}' AS "x\\y", 'café' -- }`,
    );
  });

  it('is the first of two fences, and says that there were more', () => {
    const reply =
      '```json\n{"action": "inspect", "table": "a"}\n```\nand\n```json\n{"action": "final", "sql": "SELECT 2"}\n```';
    assert.deepEqual(parseReply(reply, false), { action: { type: 'inspect', tables: ['a'] }, more: true });
  });

  it('is the JSON where SQL stands in a fence before it', () => {
    const reply = '```sql\nSELECT 1\n```\n```json\n{"action": "final", "sql": "SELECT 2"}\n```';
    assert.equal(sqlIn(reply), 'SELECT 2');
  });

  it('is the first query of two fences of SQL', () => {
    assert.equal(sqlIn('```sql\nSELECT 1\n```\nor\n```sql\nSELECT 2\n```'), 'SELECT 1');
  });

  it('names tables as one name, a list, or names with commas', () => {
    assert.deepEqual(actionIn('{"action": "inspect", "table": "a"}'), { type: 'inspect', tables: ['a'] });
    assert.deepEqual(actionIn('{"action": "add_table", "tables": ["a", "b c"]}'), {
      type: 'add_table',
      tables: ['a', 'b c'],
    });
    assert.deepEqual(actionIn('{"action": "add-table", "table": "a, b"}'), { type: 'add_table', tables: ['a', 'b'] });
  });

  it('may be a final answer without SQL', () => {
    assert.deepEqual(actionIn('{"action": "final"}'), { type: 'final', sql: null, expected: null });
  });

  for (const [what, reply, reason] of [
    ['an unknown action', '{"action": "drop_table", "table": "a"}', /no action "drop_table"/],
    ['a query without SQL', '{"action": "query"}', /needs its "sql"/],
    ['an inspection without a table', '{"action": "inspect"}', /needs the name of a table/],
    ['prose', 'I do not know.', /no action in your reply/],
    ['nothing', '   ', /was empty/],
    ['thinking without an end', '<think>what if', /was empty/],
    ['JSON of something else', '{"answer_is": 3, "rows": [1, 2]}', /no action in your reply/],
  ] as const)
    it(`is invalid with a reason for ${what}`, () => {
      const action = actionIn(reply);
      assert.equal(action.type, 'invalid');
      assert.match(action.type === 'invalid' ? action.reason : '', reason);
    });

  it('is invalid where the reply was cut inside it, and taken where it was complete', () => {
    const cut = actionIn('```json\n{"action": "query", "sql": "SELECT 1 FROM', true);
    assert.match(cut.type === 'invalid' ? cut.reason : '', /cut because it was too long/);
    assert.equal(actionIn('SELECT 1 FROM a WHERE', true).type, 'invalid');
    assert.deepEqual(actionIn('{"action": "query", "sql": "SELECT 1"} and then and then', true), QUERY);
  });

  it('does not hang on a reply of braces, backslashes or deep nesting', () => {
    for (const reply of [
      '{'.repeat(50_000),
      '{"a":'.repeat(50_000),
      '{"a": "\\'.repeat(20_000),
      '[{'.repeat(50_000),
      '``` '.repeat(50_000),
    ])
      assert.equal(actionIn(reply).type, 'invalid');
  });
});

describe('the expected shape that a model states', () => {
  const shapeIn = (expected: unknown) => {
    const action = actionIn(JSON.stringify({ action: 'final', sql: 'SELECT 1', expected }));
    return action.type === 'final' ? action.expected : null;
  };
  const rowsIn = (rows: unknown) => shapeIn({ rows, columns: ['x'] })?.rows;

  it('is read in the forms of the system prompt', () => {
    assert.deepEqual(rowsIn('one'), { kind: 'one' });
    assert.deepEqual(rowsIn('exactly 3'), { kind: 'exactly', n: 3 });
    assert.deepEqual(rowsIn('at most 10'), { kind: 'at_most', n: 10 });
    assert.deepEqual(rowsIn('one per singer'), { kind: 'one_per', of: 'singer' });
    assert.deepEqual(rowsIn('any'), { kind: 'any' });
  });

  it('is read in forms that models make of them', () => {
    assert.deepEqual(rowsIn(1), { kind: 'one' });
    assert.deepEqual(rowsIn('5 rows'), { kind: 'exactly', n: 5 });
    assert.deepEqual(rowsIn('1'), { kind: 'one' });
    assert.deepEqual(rowsIn('one row per country'), { kind: 'one_per', of: 'country' });
    assert.deepEqual(rowsIn('up to 2'), { kind: 'at_most', n: 2 });
    assert.deepEqual(rowsIn({ kind: 'at_most', n: 4 }), { kind: 'at_most', n: 4 });
    assert.deepEqual(rowsIn('lots'), { kind: 'any' });
  });

  it('takes columns as objects, as names with kinds, and as a number', () => {
    assert.deepEqual(
      shapeIn({
        rows: 'any',
        columns: [
          { name: 'n', kind: 'count' },
          { name: 'd', type: 'DATETIME' },
        ],
      })?.columns,
      [
        { name: 'n', kind: 'count' },
        { name: 'd', kind: 'date' },
      ],
    );
    assert.deepEqual(shapeIn({ rows: 'any', columns: ['name: text', 'total'] })?.columns, [
      { name: 'name', kind: 'text' },
      { name: 'total', kind: 'any' },
    ]);
    assert.equal(shapeIn({ rows: 'one', columns: 2 })?.columns?.length, 2);
  });

  it('is null where it says nothing', () => {
    assert.equal(shapeIn(undefined), null);
    assert.equal(shapeIn({}), null);
    assert.equal(shapeIn({ rows: 'whatever' }), null);
    assert.equal(shapeIn([1, 2]), null);
  });
});
