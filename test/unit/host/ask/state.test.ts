import assert from 'node:assert/strict';
import { type AskAction, type AskState, EMPTY, isRunning, reduce, runAt } from '../../../../src/host/ask/state.ts';
import type { AskEvent, Turn } from '../../../../src/protocol/ask.ts';
import { RunView } from '../../../../src/protocol/ask-panel.ts';
import { askResult, queryResult } from './support.ts';

const QUESTION = { question: 'How many?', evidence: 'all of them', previous: null, samples: 3 };
const TURN: Turn = {
  index: 1,
  action: 'query',
  reply: 'SELECT 1',
  sql: 'SELECT 1',
  tables: [],
  observation: '',
  status: 'ok',
  error: null,
  rows: 1,
  sample: null,
  promptTokens: null,
  completionTokens: null,
  ms: 5,
};

function stateAfter(...actions: AskAction[]): AskState {
  return actions.reduce(reduce, EMPTY);
}

const asked: AskAction = { type: 'asked', at: 1000, question: QUESTION };
const event = (given: AskEvent, at = 1100): AskAction => ({ type: 'event', at, event: given });

describe('the state of an ask panel', () => {
  it('runs from the moment a question is asked', () => {
    const state = stateAfter(asked);
    assert.equal(isRunning(state), true);
    assert.deepEqual(
      [state.run?.id, state.run?.question, state.run?.evidence, state.run?.phase?.name],
      [1, 'How many?', 'all of them', 'starting'],
    );
    assert.equal(RunView.safeParse(state.run).success, true);
  });

  it('measures the time of the question and of its phase', () => {
    const state = stateAfter(asked, event({ type: 'phase', phase: 'loading', detail: null }, 1500));
    const run = runAt(state, 1800);
    assert.deepEqual([run?.elapsedMs, run?.phase?.elapsedMs], [800, 300]);
    const same = reduce(state, event({ type: 'phase', phase: 'loading', detail: '40 %' }, 1700));
    assert.deepEqual(runAt(same, 1800)?.phase, { name: 'loading', detail: '40 %', elapsedMs: 300 });
  });

  it('joins tokens to the reply that is written, and clears it when the turn is over', () => {
    const tokens = ['SEL', 'ECT', ' 1'].map((text) => event({ type: 'token', turn: 1, text }));
    const state = stateAfter(asked, ...tokens);
    assert.deepEqual(state.run?.live, { turn: 1, text: 'SELECT 1' });
    const next = reduce(state, event({ type: 'token', turn: 2, text: 'Then' }));
    assert.deepEqual(next.run?.live, { turn: 2, text: 'Then' });
    const over = reduce(next, event({ type: 'turn', turn: TURN }));
    assert.equal(over.run?.live, null);
    assert.deepEqual(over.run?.turns, [TURN]);
  });

  it('keeps the answer without its rows, which are asked for by the page', () => {
    const rows = Array.from({ length: 500 }, (_, index) => [index]);
    const result = askResult({ rows, truncated: true, notes: ['a note'] });
    const state = stateAfter(asked, event({ type: 'note', text: 'a note' }), event({ type: 'result', result }));
    assert.equal(state.run?.status, 'done');
    assert.equal(isRunning(state), false);
    assert.deepEqual(state.run?.answer?.outcome.table, {
      id: 'run-1',
      columns: [{ name: 'n', declared: null }],
      rows: 500,
      truncated: true,
    });
    assert.equal(state.rows['run-1'], rows);
    assert.equal(JSON.stringify(state.run).includes('499'), false);
    assert.deepEqual(state.run?.notes, ['a note']);
    assert.equal(runAt(state, 9_999_999)?.elapsedMs, 120);
  });

  it('says the expected and the actual shape in words', () => {
    const signals = {
      duplicates: null,
      expected: { source: 'rule', rows: { kind: 'one' }, columns: [{ name: null, kind: 'count' }] },
      actual: { rows: 1000, truncated: true, columns: [{ name: 'n', kind: 'text' }] },
      agrees: false,
      differences: ['The question asks for one row; there are more than 1,000.'],
    } as const;
    const result = askResult({ signals: structuredClone(signals) as never });
    const { words } = stateAfter(asked, event({ type: 'result', result })).run?.answer ?? {};
    assert.deepEqual(words, {
      expected: 'one row with one column (a whole number)',
      actual: 'more than 1,000 rows with 1 column (n: text)',
    });
  });

  it('keeps why there is no answer', () => {
    const result = askResult({
      sql: null,
      status: 'error',
      code: 'no_sql',
      message: 'No SQL.',
      stop: 'no_sql',
      rows: [],
    });
    const outcome = stateAfter(asked, event({ type: 'result', result })).run?.answer?.outcome;
    assert.deepEqual([outcome?.status, outcome?.message, outcome?.table], ['error', 'No SQL.', null]);
  });

  it('is stopped where the user stopped it before there was SQL', () => {
    const result = askResult({ sql: null, status: 'cancelled', stop: 'cancelled', rows: [], turns: [TURN] });
    const state = stateAfter(asked, { type: 'stopping' }, event({ type: 'result', result }));
    assert.deepEqual([state.run?.status, state.run?.answer, state.run?.turns.length], ['stopped', null, 1]);
    const other = stateAfter(asked, { type: 'failed', at: 1200, error: { code: 'cancelled', message: 'Stopped.' } });
    assert.deepEqual([other.run?.status, other.run?.error], ['stopped', null]);
  });

  it('keeps the error of a question that failed, once', () => {
    const failed = stateAfter(
      asked,
      event({ type: 'failed', error: { code: 'db_missing', message: 'There is no file.' } }, 1250),
    );
    assert.deepEqual([failed.run?.status, failed.run?.elapsedMs], ['failed', 250]);
    const again = reduce(failed, { type: 'failed', at: 9000, error: { code: 'other', message: 'Other.' } });
    assert.equal(again, failed);
  });

  it('forgets the last answer and its rows when it asks anew', () => {
    const state = stateAfter(asked, event({ type: 'result', result: askResult() }), { ...asked, at: 5000 });
    assert.deepEqual([state.run?.id, state.run?.answer, state.rows], [2, null, {}]);
  });

  it('drops events of a question that is over', () => {
    const done = stateAfter(asked, event({ type: 'result', result: askResult() }));
    assert.equal(reduce(done, event({ type: 'token', turn: 1, text: 'late' })), done);
    assert.equal(reduce(done, { type: 'stopping' }), done);
  });
});

describe('the SQL that the user runs beside an answer', () => {
  const done = stateAfter(asked, event({ type: 'result', result: askResult() }));

  it('keeps its rows beside those of the answer, with types', () => {
    const state = [
      { type: 'sqlStarted', sql: 'SELECT a FROM t' } as const,
      { type: 'sqlEnded', result: queryResult() } as const,
    ].reduce(reduce, done);
    assert.deepEqual(state.edited?.outcome?.table?.columns, [{ name: 'a', declared: 'INTEGER' }]);
    assert.deepEqual(Object.keys(state.rows), ['run-1', 'edited-1']);
    assert.deepEqual(state.rows['edited-1'], [[1], [{ int: '9007199254740993' }]]);
  });

  it('gives each result a name of its own, so that no view shows old rows', () => {
    const run = (state: AskState) =>
      reduce(reduce(state, { type: 'sqlStarted', sql: 'SELECT a FROM t' }), {
        type: 'sqlEnded',
        result: queryResult(),
      });
    assert.deepEqual(Object.keys(run(run(done)).rows), ['run-1', 'edited-2']);
  });

  it('keeps errors with their place, and what could not be run at all', () => {
    const position = { offset: 7, length: 1, line: 1, column: 8 };
    const started = reduce(done, { type: 'sqlStarted', sql: 'SELECT x' });
    const wrong = reduce(started, {
      type: 'sqlEnded',
      result: queryResult({ status: 'error', message: 'no such column: x', position, rows: [] }),
    });
    assert.deepEqual([wrong.edited?.outcome?.position, wrong.edited?.outcome?.table], [position, null]);
    const gone = reduce(started, { type: 'sqlFailed', error: { code: 'db_missing', message: 'There is no file.' } });
    assert.equal(gone.edited?.error?.code, 'db_missing');
  });

  it('is gone when it is discarded', () => {
    const state = reduce(reduce(done, { type: 'sqlStarted', sql: 'SELECT 1' }), { type: 'sqlDiscarded' });
    assert.equal(state.edited, null);
    assert.deepEqual(Object.keys(state.rows), ['run-1']);
  });
});
