import assert from 'node:assert/strict';
import { AskPanelMemory, askChannel } from '../../../src/protocol/ask-panel.ts';
import { databaseChannel } from '../../../src/protocol/database-view.ts';
import { MAX_PAGE_ROWS } from '../../../src/protocol/grid.ts';

describe('messages from the database editor', () => {
  const takes = (message: unknown) => databaseChannel.up.safeParse(message).success;

  it('takes each request in its form', () => {
    assert.ok(takes({ type: 'ready' }));
    assert.ok(takes({ type: 'page', request: 1, table: 't', offset: 0, limit: 200 }));
    assert.ok(takes({ type: 'count', request: 2, table: 't' }));
    assert.ok(takes({ type: 'cell', request: 3, table: 't', column: 'c', row: 7 }));
    assert.ok(takes({ type: 'cancel', request: 2 }));
  });

  it('refuses unknown messages, unknown fields and numbers out of range', () => {
    const page = { type: 'page', request: 1, table: 't', offset: 0, limit: 200 };
    for (const bad of [
      null,
      'ready',
      {},
      { type: 'run', sql: 'DROP TABLE t' },
      { type: 'ready', more: 1 },
      { ...page, offset: -1 },
      { ...page, offset: 0.5 },
      { ...page, limit: 0 },
      { ...page, limit: MAX_PAGE_ROWS + 1 },
      { ...page, table: 5 },
      { ...page, request: Number.NaN },
    ])
      assert.equal(takes(bad), false, JSON.stringify(bad));
  });
});

describe('messages to the database editor', () => {
  it('refuses a page larger than a page may be: a big table is never pushed', () => {
    const page = (rows: number) => ({
      type: 'page',
      request: 1,
      columns: [],
      page: { offset: 0, rows: Array.from({ length: rows }, () => [1]), more: false },
      about: null,
      notes: [],
    });
    assert.ok(databaseChannel.down.safeParse(page(MAX_PAGE_ROWS)).success);
    assert.equal(databaseChannel.down.safeParse(page(MAX_PAGE_ROWS + 1)).success, false);
  });
});

describe('messages from the ask panel', () => {
  const takes = (message: unknown) => askChannel.up.safeParse(message).success;
  const question = { type: 'ask', question: 'How many?', evidence: '', previous: null, samples: 1 };

  it('takes a question, and a follow-up', () => {
    assert.ok(takes(question));
    assert.ok(takes({ ...question, previous: { question: 'Which?', sql: 'SELECT 1' }, samples: 8 }));
  });

  it('refuses an empty question, endless text and too many samples', () => {
    assert.equal(takes({ ...question, question: '' }), false);
    assert.equal(takes({ ...question, question: 'x'.repeat(20_001) }), false);
    assert.equal(takes({ ...question, samples: 33 }), false);
    assert.equal(takes({ ...question, samples: 0 }), false);
    assert.equal(takes({ ...question, db: '/etc/passwd' }), false);
  });

  it('takes only the formats that exist', () => {
    assert.ok(takes({ type: 'copyTable', table: 'run-1', format: 'csv' }));
    assert.equal(takes({ type: 'copyTable', table: 'run-1', format: 'xlsx' }), false);
  });
});

describe('what the ask panel keeps over a reload', () => {
  it('is no way out of the storage folder', () => {
    const takes = (panel: string) => AskPanelMemory.safeParse({ panel, database: '/x.sqlite' }).success;
    assert.ok(takes('0b5b27a4-1f9c-4a3e-9d27-1b7f0a5d4c11'));
    for (const bad of ['', '../../etc/x', 'a/b', 'a\\b', 'x'.repeat(65)]) assert.equal(takes(bad), false, bad);
  });
});
