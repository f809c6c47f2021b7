import assert from 'node:assert/strict';
import { lastMessage, oneShot, play, say, turns } from './world.ts';

const COUNT = 'SELECT count(*) FROM singer';
const ONE_COUNT = { rows: 'one', columns: [{ name: 'n', kind: 'count' }] };

describe('the protocol turns', () => {
  it('looks at a table, runs a query and answers', async () => {
    const played = await play(
      turns(
        say({ action: 'inspect', table: 'SINGER' }),
        say({ action: 'query', sql: COUNT }),
        say({ action: 'final', sql: COUNT, expected: ONE_COUNT }),
      ),
    );
    const { result } = played;
    assert.deepEqual([result.stop, result.status, result.sql, result.rows], ['final', 'ok', COUNT, [[3]]]);
    assert.deepEqual(
      result.turns.map(({ action }) => action),
      ['inspect', 'query', 'final'],
    );
    assert.deepEqual(result.turns[0]?.tables, ['singer']);
    assert.match(
      lastMessage(played, 1),
      /CREATE TABLE singer[\s\S]*First rows:\nid \| name \| country \| age\n1 \| Ann \| France \| 31[\s\S]*Turns left: 3\.$/,
    );
    assert.match(
      lastMessage(played, 2),
      /^1 row:\ncount\(\*\)\n3\nIf this answers the question, reply with [^\n]*\nTurns left: 2\.$/,
    );
    assert.deepEqual([result.signals.agrees, result.signals.expected?.source], [true, 'model']);
  });

  it('states the budget, the dialect and the format in the system prompt', async () => {
    const played = await play(turns(say({ action: 'final', sql: COUNT })), { turns: 6 });
    const [system, user] = played.requests[0]?.messages ?? [];
    assert.match(system?.content ?? '', /SQLite 3[\s\S]*read-only[\s\S]*"action": "final"[\s\S]*You have 6 turns/);
    assert.match(user?.content ?? '', /^Schema:\nsinger\([\s\S]*Question: How many singers are there\?$/);
  });

  it('runs a final query that was not run, and one that was run only once', async () => {
    const unrun = await play(turns(say({ action: 'final', sql: COUNT })));
    assert.deepEqual(unrun.ran, [COUNT]);
    const run = await play(turns(say({ action: 'query', sql: COUNT }), say({ action: 'final', sql: COUNT })));
    assert.deepEqual([run.ran, run.result.rows], [[COUNT], [[3]]]);
  });

  it('takes the last query where the final answer leaves out its SQL', async () => {
    const { result } = await play(turns(say({ action: 'query', sql: COUNT }), say({ action: 'final' })));
    assert.deepEqual([result.stop, result.sql], ['final', COUNT]);
  });

  it('feeds a shape that does not fit back once, before the answer is final', async () => {
    const wrong = 'SELECT name FROM singer';
    const played = await play(
      turns(
        say({ action: 'final', sql: wrong, expected: ONE_COUNT }),
        say({ action: 'final', sql: COUNT, expected: ONE_COUNT }),
      ),
    );
    assert.match(
      lastMessage(played, 1),
      /^3 rows:[\s\S]*The question asks for one row; there are 3\.\nColumn name should hold a whole number; it holds text\.\nIs that what/,
    );
    assert.deepEqual([played.result.sql, played.result.signals.agrees], [COUNT, true]);
    const stubborn = await play(
      turns(
        say({ action: 'final', sql: wrong, expected: ONE_COUNT }),
        say({ action: 'final', sql: wrong, expected: ONE_COUNT }),
      ),
    );
    assert.deepEqual(
      [stubborn.result.stop, stubborn.result.sql, stubborn.result.signals.agrees],
      ['final', wrong, false],
    );
    assert.equal(stubborn.result.turns.length, 2);
  });

  it('feeds duplicated rows back, but not twice of one query', async () => {
    const doubled = 'SELECT s.name FROM singer s JOIN concert c ON c.singer_id = s.id';
    const played = await play(turns(say({ action: 'query', sql: doubled }), say({ action: 'final', sql: doubled })));
    assert.match(lastMessage(played, 1), /1 of 3 rows is equal to an earlier row/);
    assert.deepEqual([played.result.stop, played.result.turns.length], ['final', 2]);
    assert.deepEqual(played.result.signals.duplicates, { rows: 1, total: 3 });
    const direct = await play(turns(say({ action: 'final', sql: doubled }), say({ action: 'final', sql: doubled })));
    assert.equal(direct.result.turns.length, 2);
  });

  it('tells an error with what may have been meant, and lets the model correct a final query', async () => {
    const played = await play(
      turns(
        say({ action: 'query', sql: 'SELECT nme FROM singer' }),
        say({ action: 'final', sql: 'SELECT * FROM singers' }),
        say({ action: 'final', sql: COUNT }),
      ),
    );
    assert.match(lastMessage(played, 1), /^The query failed: no such column: nme\.\nDid you mean singer\.name\?/);
    assert.match(lastMessage(played, 2), /no such table: singers\.\nDid you mean singer\?\nCorrect the query/);
    assert.deepEqual(
      played.result.turns.map(({ status }) => status),
      ['error', 'error', 'ok'],
    );
    assert.deepEqual(played.result.turns[0]?.error?.code, 'SQLITE_ERROR');
  });

  it('says that nothing fits where a result is empty', async () => {
    const none = "SELECT name FROM singer WHERE country = 'Prance'";
    const played = await play(turns(say({ action: 'final', sql: none }), say({ action: 'final', sql: none })), {
      question: 'Who sings?',
    });
    assert.match(lastMessage(played, 1), /^0 rows\.\nNo row fits/);
    assert.equal(played.result.turns.length, 2);
  });

  it('answers a reply without an action with the format, and goes on', async () => {
    const played = await play(turns('I like singers.', say({ action: 'dance' }), say({ action: 'final', sql: COUNT })));
    assert.match(lastMessage(played, 1), /no action in your reply\. Reply with one JSON object/);
    assert.match(lastMessage(played, 2), /no action "dance"\./);
    assert.deepEqual(
      played.result.turns.map(({ action }) => action),
      ['invalid', 'invalid', 'final'],
    );
  });

  it('tells a model that repeats its query so', async () => {
    const query = say({ action: 'query', sql: COUNT });
    const played = await play(turns(query, query, say({ action: 'final' })));
    assert.match(lastMessage(played, 2), /You have run this query before\. If this answers/);
    assert.equal(played.ran.length, 1);
    const broken = say({ action: 'query', sql: 'SELECT nope' });
    const stuck = await play(turns(broken, broken, say({ action: 'final', sql: COUNT })));
    assert.match(lastMessage(stuck, 2), /no such column: nope\.\nYou have run this query before\. Change it\./);
  });

  it('says that only the first of several actions was taken', async () => {
    const two = `${say({ action: 'query', sql: COUNT })}\n${say({ action: 'final', sql: 'SELECT 4' })}`;
    const played = await play(turns(two, say({ action: 'final', sql: COUNT })));
    assert.match(lastMessage(played, 1), /Only the first action/);
    assert.deepEqual(played.result.rows, [[3]]);
  });

  it('leaves thinking out of the conversation', async () => {
    const played = await play(
      turns(`<think>long</think>${say({ action: 'query', sql: COUNT })}`, say({ action: 'final' })),
    );
    assert.doesNotMatch(JSON.stringify(played.requests[1]?.messages), /long/);
    assert.match(played.result.turns[0]?.reply ?? '', /long/);
  });

  describe('at the end of its budget', () => {
    it('is told that the last turn must be final', async () => {
      const played = await play(turns(say({ action: 'query', sql: COUNT }), say({ action: 'final', sql: COUNT })), {
        turns: 2,
      });
      assert.match(lastMessage(played, 1), /This is your last turn: reply with the action "final"\.$/);
    });

    it('answers with the last query that had rows', async () => {
      const played = await play(
        turns(
          say({ action: 'query', sql: COUNT }),
          say({ action: 'query', sql: 'SELECT name FROM singer WHERE age > 99' }),
          say({ action: 'query', sql: 'SELECT nope' }),
        ),
        { turns: 3 },
      );
      const { result } = played;
      assert.deepEqual([result.stop, result.status, result.sql, result.rows], ['budget', 'ok', COUNT, [[3]]]);
      assert.match(result.notes[0] ?? '', /no final answer in 3 turns/);
    });

    it('runs a query of the last turn', async () => {
      const { result } = await play(turns(say({ action: 'query', sql: COUNT })), { turns: 1 });
      assert.deepEqual([result.stop, result.rows], ['budget', [[3]]]);
    });

    it('takes a final answer as it is', async () => {
      const { result } = await play(turns(say({ action: 'final', sql: 'SELECT nope' })), { turns: 1 });
      assert.deepEqual([result.stop, result.status, result.code], ['final', 'error', 'SQLITE_ERROR']);
      assert.equal(result.turns[0]?.observation, '');
    });

    it('has no SQL where the model never gave any', async () => {
      const { result } = await play(turns('No.', 'Never.'), { turns: 2 });
      assert.deepEqual([result.stop, result.sql, result.status, result.code], ['no_sql', null, 'error', 'no_sql']);
    });
  });

  describe('with tables left out', () => {
    it('names them in the prompt, the prompt of one_shot stays as it is', async () => {
      const played = await play(turns(say({ action: 'final', sql: COUNT })), { kept: ['singer'] });
      assert.match(played.requests[0]?.messages[0]?.content ?? '', /"add_table"/);
      assert.match(played.requests[0]?.messages[1]?.content ?? '', /Tables left out: concert, stadium\nQuestion:/);
      const single = await play(oneShot(COUNT), { kept: ['singer'] });
      assert.doesNotMatch(JSON.stringify(single.requests), /left out/);
      assert.deepEqual(single.result.linked.left, ['concert', 'stadium']);
    });

    it('adds those that the model asks for and tells it', async () => {
      const played = await play(
        turns(
          say({ action: 'add_table', tables: ['Concert', 'arena'] }),
          say({ action: 'final', sql: 'SELECT count(*) FROM concert' }),
        ),
        { kept: ['singer'] },
      );
      assert.match(lastMessage(played, 1), /CREATE TABLE concert[\s\S]*There is no table "arena"\./);
      assert.deepEqual([played.result.linked.kept, played.result.linked.left], [['singer', 'concert'], ['stadium']]);
      assert.deepEqual(played.events.filter(({ type }) => type === 'linked').length, 1);
      assert.deepEqual(played.result.turns[0]?.tables, ['concert']);
    });
  });

  it('takes a follow-up question as the next of a conversation', async () => {
    const played = await play(turns(say({ action: 'final', sql: COUNT })), {
      question: 'And in Peru?',
      previous: {
        question: 'How many singers are from France?',
        sql: "SELECT count(*) FROM singer WHERE country = 'France'",
      },
    });
    const messages = played.requests[0]?.messages ?? [];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
    assert.match(messages[1]?.content ?? '', /^Schema:[\s\S]*Question: How many singers are from France\?$/);
    assert.match(messages[2]?.content ?? '', /"action":"final","sql":"SELECT count/);
    assert.match(messages[3]?.content ?? '', /Question: And in Peru\?$/);
  });

  it('ends with the provider, and keeps what it had until then', async () => {
    const gone = { text: '{"act', error: { code: 'provider_interrupted', message: 'The server is gone.' } };
    const { result } = await play(turns(say({ action: 'query', sql: COUNT }), gone));
    assert.deepEqual([result.stop, result.status, result.sql, result.rows], ['provider_error', 'ok', COUNT, [[3]]]);
    assert.match(result.notes[0] ?? '', /The server is gone\. This is the query it had until then\./);
    assert.deepEqual([result.turns[1]?.reply, result.turns[1]?.error?.code], ['{"act', 'provider_interrupted']);
    const nothing = await play(turns({ ...gone, text: '' }));
    assert.deepEqual(
      [nothing.result.stop, nothing.result.status, nothing.result.code, nothing.result.turns],
      ['provider_error', 'error', 'provider_interrupted', []],
    );
  });

  it('clips observations: rows, columns and cells', async () => {
    const wide = `SELECT ${Array.from({ length: 30 }, (_, index) => `${index} AS c${index}`).join(', ')}`;
    const long =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i, hex(zeroblob(200)) || char(10) AS h FROM n';
    const played = await play(
      turns(
        say({ action: 'query', sql: wide }),
        say({ action: 'query', sql: long }),
        say({ action: 'final', sql: COUNT }),
      ),
    );
    assert.match(lastMessage(played, 1), /c19 \| … 10 more columns\n/);
    const seen = lastMessage(played, 2);
    assert.match(seen, /^50 rows, the first 8:/);
    assert.ok(seen.split('\n').length <= 12 && seen.length < 1000);
  });
});
