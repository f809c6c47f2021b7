import type { AskResult } from '../../../../src/protocol/ask.ts';
import type { QueryResult } from '../../../../src/protocol/query.ts';

/** The result of a question that was answered, but for what `change` says. */
export function askResult(change: Partial<AskResult> = {}): AskResult {
  return {
    question: 'How many?',
    evidence: '',
    sql: 'SELECT count(*) AS n FROM t',
    status: 'ok',
    code: null,
    message: null,
    position: null,
    columns: ['n'],
    rows: [[3]],
    truncated: false,
    protocol: 'one_shot',
    turns: [],
    linked: { mode: 'full', kept: ['t'], left: [], scores: {} },
    signals: { duplicates: null, expected: null, actual: null, agrees: null, differences: [] },
    vote: null,
    model: { provider: 'scripted', name: 'scripted', accuracy: null },
    stop: 'final',
    notes: [],
    ms: 120,
    ...change,
  };
}

/** The result of a query that ran, but for what `change` says. */
export function queryResult(change: Partial<QueryResult> = {}): QueryResult {
  return {
    status: 'ok',
    code: null,
    message: null,
    position: null,
    columns: ['a'],
    origins: [{ table: 't', column: 'a', declared: 'INTEGER' }],
    rows: [[1], [9007199254740993n]],
    truncated: false,
    ms: 2,
    touched: [],
    notes: [],
    ...change,
  };
}
