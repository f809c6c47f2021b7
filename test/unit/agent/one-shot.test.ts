import assert from 'node:assert/strict';
import { lastMessage, oneShot, play } from './world.ts';

const COUNT = 'SELECT count(*) FROM singer';
const NONE = "SELECT name FROM singer WHERE country = 'Mars'";
const BROKEN = 'SELECT nope FROM singer';

describe('the protocol one_shot', () => {
  it('sends the prompt lines-1 and nothing else, greedily', async () => {
    const played = await play(oneShot(COUNT));
    const { messages, temperature, stablePrefix, prefixKey } = played.requests[0] ?? { messages: [] };
    assert.deepEqual(messages[0], { role: 'system', content: 'Write one SQLite query that answers the question.' });
    assert.match(lastMessage(played, 0), /^Schema:\n/);
    assert.deepEqual([messages.length, temperature, prefixKey], [2, 0, 'schema']);
    assert.match(lastMessage(played, 0).slice(stablePrefix), /^Question: /);
    assert.deepEqual([played.result.stop, played.result.rows, played.result.turns.length], ['final', [[3]], 1]);
    assert.equal(played.result.turns[0]?.sample, null);
  });

  it('states the expected shape by a rule', async () => {
    const { result } = await play(oneShot('SELECT name FROM singer'));
    assert.deepEqual([result.signals.expected?.source, result.signals.agrees], ['rule', false]);
    assert.equal((await play(oneShot(COUNT), { question: 'Singers!' })).result.signals.expected, null);
  });

  it('asks up to three times more where a query fails or finds nothing', async () => {
    const played = await play(oneShot(BROKEN, NONE, COUNT, 'SELECT 4'));
    assert.deepEqual([played.result.sql, played.result.turns.length], [COUNT, 3]);
    assert.deepEqual(
      played.requests.map(({ temperature, seed }) => [temperature, seed]),
      [
        [0, null],
        [0.7, 1],
        [0.7, 2],
      ],
    );
    assert.deepEqual(
      played.result.turns.map(({ sample }) => sample?.seed ?? null),
      [null, 1, 2],
    );
  });

  it('asks as many times more as it is told', async () => {
    for (const [retries, turns] of [
      [0, 1],
      [1, 2],
      [5, 6],
    ] as const) {
      const { result } = await play(oneShot(...Array<string>(6).fill(BROKEN)), { retries });
      assert.equal(result.turns.length, turns);
    }
  });

  it('shows a model that can repair its error first, greedily, and asks anew after that', async () => {
    const played = await play(oneShot('SELECT nam FROM singer', BROKEN, COUNT), { repair: true });
    const [first, second, third] = played.requests;
    assert.deepEqual(second?.messages.slice(0, 2), first?.messages);
    assert.deepEqual(second?.messages.slice(2), [
      { role: 'assistant', content: 'SELECT nam FROM singer' },
      {
        role: 'user',
        content: 'The query failed: no such column: nam.\nDid you mean singer.name?\nCorrect the query.',
      },
    ]);
    assert.deepEqual([second?.temperature, third?.temperature, third?.seed], [0, 0.7, 2]);
    assert.deepEqual(
      played.result.turns.map(({ sample, repairs }) => [sample, repairs]),
      [
        [null, undefined],
        [null, true],
        [{ seed: 2, temperature: 0.7 }, undefined],
      ],
    );
    assert.deepEqual([third?.messages, played.result.sql], [first?.messages, COUNT]);
  });

  it('asks anew at once where nothing failed that could be repaired', async () => {
    for (const first of [NONE, 'I cannot.']) {
      const { requests } = await play(oneShot(first, COUNT), { repair: true });
      assert.deepEqual([requests[1]?.messages.length, requests[1]?.seed], [2, 1]);
    }
  });

  it('takes the first that runs where none has rows', async () => {
    const { result } = await play(oneShot(BROKEN, NONE, BROKEN, `${NONE} AND 1`));
    assert.deepEqual([result.sql, result.status, result.rows, result.turns.length], [NONE, 'ok', [], 4]);
  });

  it('shows the greedy one where none runs', async () => {
    const { result } = await play(oneShot(BROKEN, 'SELECT a', 'SELECT b', 'SELECT c'));
    assert.deepEqual([result.sql, result.status, result.code, result.stop], [BROKEN, 'error', 'SQLITE_ERROR', 'final']);
  });

  it('does not run a query twice', async () => {
    const played = await play(oneShot(BROKEN, BROKEN, BROKEN, COUNT));
    assert.deepEqual(played.ran, [BROKEN, COUNT]);
  });

  it('asks again after a reply without SQL, and says so where there never is any', async () => {
    const found = await play(oneShot('I cannot.', `\`\`\`sql\n${COUNT};\n\`\`\``));
    assert.deepEqual(
      [found.result.sql, found.result.turns[0]?.action, found.result.turns[0]?.error?.code],
      [COUNT, 'invalid', 'no_sql'],
    );
    const { result } = await play(oneShot('No.', 'No.', 'No.', 'No.'));
    assert.deepEqual([result.stop, result.code, result.sql, result.turns.length], ['no_sql', 'no_sql', null, 4]);
  });

  it('keeps an empty answer where the provider fails at another try', async () => {
    const { result } = await play(
      oneShot(NONE, { text: '', error: { code: 'provider_crashed', message: 'It crashed.' } }),
    );
    assert.deepEqual([result.stop, result.status, result.sql], ['provider_error', 'ok', NONE]);
    assert.match(result.notes[0] ?? '', /It crashed\./);
  });
});
