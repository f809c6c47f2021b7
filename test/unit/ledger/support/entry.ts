import type { EvalLine, LedgerEntry } from '../../../../src/protocol/ledger.ts';

export type EvalEntry = Extract<LedgerEntry, { kind: 'eval' }>;

const HASH = '0'.repeat(64);

/** What the evaluation of a small dataset writes into the ledger. */
export function evalEntry(run_id: string, changes: Partial<EvalEntry> = {}): EvalEntry {
  return {
    kind: 'eval',
    run_id,
    started: '2026-11-29T21:00:00.000Z',
    state: 'done',
    command: ['sql-agent', 'eval', '--dataset', 'dev.json'],
    git: { commit: 'a'.repeat(40), dirty: false },
    machine: { program: '0.1.0', node: 'v24.22.3', platform: 'linux-x64', cpus: 2 },
    config: {
      dataset: { name: 'dev.json', format: 'bird', hash: HASH },
      split: null,
      items: { count: 4, of: 4, hash: HASH },
      model: { provider: 'local', name: 'small', base: HASH, adapter: HASH, server: null },
      protocol: 'one_shot',
      decoding: { samples: 1, retries: 3, turns: 4 },
      prompt: { name: 'lines1', link: 'auto' },
      timeoutMs: 30_000,
      metric: 'official_ex',
      score: {
        metrics: ['official_ex', 'strict_ex', 'spider_ex', 'soft_f1'],
        timeoutMs: 30_000,
        orderPolicy: 'gold_order_by',
        keepDistinct: false,
        suite: false,
        fragile: false,
      },
    },
    summary: {
      items: 4,
      done: 4,
      outcomes: { right: 2, wrong_rows: 1, sql_error: 1, timeout: 0, no_sql: 0, provider_error: 0, gold_failed: 0 },
      shares: {
        official_ex: { right: 2, of: 4, low: 0.15, high: 0.85 },
        strict_ex: { right: 1, of: 4, low: 0.05, high: 0.7 },
        spider_ex: { right: 2, of: 4, low: 0.15, high: 0.85 },
      },
      soft_f1: 0.6,
      r_ves: null,
      official_not_strict: 1,
      fragile: null,
      tokens: { prompt: 4000, completion: 120 },
      turns: 5,
      linking: { items: 4, all_kept: 4, kept: 12, needed: 6, needed_kept: 6 },
      ms: 61_000,
      item_ms: 60_000,
    },
    output: { path: `${run_id}/items.jsonl`, sha256: HASH, bytes: 0 },
    ...changes,
  };
}

/** The same as a line. */
export function evalLine(run_id: string, changes: Partial<EvalEntry> = {}): EvalLine {
  return { v: 1, time: '2026-11-29T21:01:01.000Z', prev: null, ...evalEntry(run_id, changes) };
}
