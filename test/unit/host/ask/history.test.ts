import assert from 'node:assert/strict';
import { AskHistory } from '../../../../src/host/ask/history.ts';

function historyOver(kept = new Map<string, unknown>()): AskHistory {
  return new AskHistory({
    get: (key) => kept.get(key),
    update: async (key, value) => {
      // As VS Code keeps it.
      kept.set(key, JSON.parse(JSON.stringify(value)));
    },
  });
}

const item = (question: string, at: number) => ({ question, evidence: '', at, sql: null, rows: null });

describe('the history of questions', () => {
  it('is of one database, newest first', async () => {
    const history = historyOver();
    await history.add('/a', item('one', 1));
    await history.add('/b', item('other', 2));
    await history.add('/a', item('two', 3));
    assert.deepEqual(
      history.of('/a').map(({ question }) => question),
      ['two', 'one'],
    );
    assert.deepEqual(
      history.of('/b').map(({ question }) => question),
      ['other'],
    );
    assert.deepEqual(history.of('/c'), []);
  });

  it('has a question once, with what came of it last', async () => {
    const history = historyOver();
    await history.add('/a', item('one', 1));
    await history.add('/a', item('two', 2));
    await history.add('/a', { ...item('one', 3), sql: 'SELECT 1', rows: 1 });
    assert.deepEqual(
      history.of('/a').map(({ question, rows }) => [question, rows]),
      [
        ['one', 1],
        ['two', null],
      ],
    );
  });

  it('forgets one question, and a database with none left', async () => {
    const kept = new Map<string, unknown>();
    const history = historyOver(kept);
    await history.add('/a', item('one', 1));
    await history.forget('/a', 1);
    assert.deepEqual([...kept.values()], [[]]);
  });

  it('stays small', async () => {
    const history = historyOver();
    for (let at = 0; at < 60; at += 1) await history.add('/a', item(`question ${at}`, at));
    assert.equal(history.of('/a').length, 50);
    assert.equal(history.of('/a')[0]?.question, 'question 59');
  });

  it('begins anew where what was kept makes no sense', () => {
    assert.deepEqual(historyOver(new Map([['sqlAgent.askHistory', { x: 1 }]])).of('/a'), []);
  });
});
