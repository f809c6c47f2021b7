import assert from 'node:assert/strict';
import type { AskPanelState, RunView } from '../../../src/protocol/ask-panel.ts';
import { announcement, rowsOf, stopInWords, wayInWords } from '../../../webview-ui/ask/words.ts';

const RUN: RunView = {
  id: 1,
  question: 'How many?',
  evidence: '',
  previous: null,
  status: 'running',
  phase: { name: 'loading', detail: null, elapsedMs: 0 },
  elapsedMs: 0,
  linked: null,
  turns: [],
  live: null,
  notes: [],
  answer: null,
  error: null,
};

function panel(run: RunView): AskPanelState {
  return {
    panel: 'p',
    database: { name: 'x.sqlite', folder: '~', path: '/x.sqlite' },
    trusted: true,
    model: null,
    modelProblem: null,
    samples: 1,
    run,
    edited: null,
    history: [],
  };
}

const TURN: RunView['turns'][number] = {
  index: 1,
  action: 'query',
  reply: '',
  sql: 'SELECT 1',
  tables: [],
  observation: '',
  status: 'ok',
  error: null,
  rows: 5,
  sample: null,
  promptTokens: null,
  completionTokens: null,
  ms: 1,
};

describe('what a screen reader is told of a question', () => {
  it('tells of phases and turns once each', () => {
    const generating: RunView = { ...RUN, phase: { name: 'generating', detail: null, elapsedMs: 5 } };
    assert.equal(announcement(null, panel(RUN)), 'The question was sent.');
    assert.equal(announcement(RUN, panel(RUN)), '');
    assert.equal(announcement(RUN, panel(generating)), 'Writing.');
    assert.equal(announcement(generating, panel({ ...generating, turns: [TURN] })), 'Turn 1: Ran a query, 5 rows.');
  });

  it('tells of the answer and of a shape that differs', () => {
    const table = { id: 't', columns: [], rows: 5, truncated: false };
    const outcome = { status: 'ok', code: null, message: null, position: null, table, ms: null } as const;
    const signals = { duplicates: null, expected: null, actual: null, agrees: false, differences: [] };
    const model = { provider: 'scripted', name: 's', accuracy: null } as const;
    const words = { expected: null, actual: null };
    const answer = {
      sql: 'SELECT 1',
      protocol: 'turns',
      signals,
      vote: null,
      model,
      stop: 'final',
      outcome,
      words,
    } as const;
    const done = panel({ ...RUN, status: 'done', phase: null, answer });
    assert.equal(announcement(RUN, done), 'Answer: 5 rows. Its shape differs from the one expected.');
  });

  it('tells that it failed and why', () => {
    const failed = panel({ ...RUN, status: 'failed', error: { code: 'x', message: 'The server is down.' } });
    assert.equal(announcement(RUN, failed), 'It failed: The server is down.');
  });
});

describe('words of the ask panel', () => {
  it('says that more rows exist than were kept', () => {
    const table = { id: 't', columns: [], rows: 1000, truncated: true };
    const outcome = { status: 'ok', code: null, message: null, position: null, table, ms: 3 } as const;
    assert.equal(rowsOf(outcome), 'the first 1,000 rows, there are more');
    assert.equal(rowsOf({ ...outcome, table: null }), 'no rows');
  });

  it('gives a reason for every end but the usual one', () => {
    assert.equal(stopInWords('final'), null);
    for (const stop of ['budget', 'no_sql', 'provider_error', 'cancelled'] as const) assert.ok(stopInWords(stop));
  });
});

describe('how a turn was asked', () => {
  it('is said of samples and of a turn that was shown its error, not of the usual one', () => {
    assert.equal(wayInWords(TURN), '');
    assert.equal(wayInWords({ sample: { seed: 2, temperature: 0.7 } }), 'temperature 0.7, seed 2');
    assert.equal(wayInWords({ sample: null, repairs: true }), 'shown its error');
  });
});
