import type { QueryResult } from '../../protocol/query.ts';
import type { Exit } from './process.ts';

const NOTHING = {
  position: null,
  columns: [],
  origins: [],
  rows: [],
  truncated: false,
  touched: [],
  notes: [],
} as const satisfies Partial<QueryResult>;

function outcome(status: QueryResult['status'], code: string, message: string, ms: number): QueryResult {
  return { ...structuredClone(NOTHING), status, code, message, ms };
}

export function timedOut(timeoutMs: number, ms: number): QueryResult {
  const message = `The query was stopped after ${timeoutMs} ms, its time limit. Narrow it down, or allow more time.`;
  return outcome('timeout', 'deadline', message, ms);
}

export function cancelled(ms: number): QueryResult {
  return outcome('cancelled', 'cancelled', 'The query was cancelled.', ms);
}

export function outOfMemory(limitBytes: number, ms: number): QueryResult {
  const limit = Math.round(limitBytes / 2 ** 20);
  const message = `The query was stopped because it needed more than ${limit} MiB of memory. Sort, group or concatenate less.`;
  return outcome('oom', 'memory', message, ms);
}

/** What a query came to whose process ended by itself. */
export function processEnded(exit: Exit, limitBytes: number, ms: number): QueryResult {
  if (exit.outOfMemory) return outOfMemory(limitBytes, ms);
  const how = exit.signal ?? `exit code ${exit.code}`;
  const message = `The process that ran the query ended unexpectedly (${how}). Run it again; if it happens again, it is this query that ends it.`;
  return outcome('error', 'process_ended', message, ms);
}
