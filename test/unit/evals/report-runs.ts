import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FinishedRun } from '../../../src/core/evals/compare-items.ts';
import { summarise } from '../../../src/core/evals/summary.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import type { Turn } from '../../../src/protocol/ask.ts';
import type { ItemRecord, RunFile } from '../../../src/protocol/eval.ts';
import type { Outcome } from '../../../src/protocol/ledger.ts';
import type { Reason } from '../../../src/protocol/score.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { type EvalEntry, evalEntry, evalLine } from '../ledger/support/entry.ts';

const REASONS: Record<Outcome, Reason | null> = {
  right: null,
  wrong_rows: 'row_values',
  sql_error: 'pred_failed',
  timeout: 'timeout',
  no_sql: 'pred_failed',
  provider_error: 'pred_failed',
  gold_failed: 'gold_failed',
};

const MESSAGES: Partial<Record<Outcome, [string, string]>> = {
  sql_error: ['SQLITE_ERROR', 'no such column: T1.colour'],
  timeout: ['deadline', 'The query took longer than 30 s.'],
  no_sql: ['no_sql', 'The model gave no SQL.'],
  provider_error: ['server_down', 'The server does not answer.'],
};

function turn(index: number): Turn {
  return {
    index,
    action: 'final',
    reply: 'SELECT 1',
    sql: 'SELECT 1',
    tables: [],
    observation: '',
    status: 'ok',
    error: null,
    rows: 1,
    sample: null,
    promptTokens: 900,
    completionTokens: 20,
    ms: 400,
  };
}

/** The record of an item, as a run leaves it behind. */
export function itemRecord(id: string, outcome: Outcome, changes: Partial<ItemRecord> = {}): ItemRecord {
  const answered = outcome !== 'no_sql' && outcome !== 'provider_error';
  const right = outcome === 'gold_failed' ? null : outcome === 'right';
  const [code, message] = MESSAGES[outcome] ?? [null, null];
  return {
    id,
    db_id: 'shop',
    question: `How many of ${id}?`,
    evidence: '',
    gold: `SELECT count(*) FROM item WHERE id = '${id}'`,
    difficulty: null,
    outcome,
    sql: answered ? `SELECT count(*) FROM item WHERE name = '${id}'` : null,
    status: code === null ? 'ok' : outcome === 'timeout' ? 'timeout' : 'error',
    code,
    message,
    verdict: {
      id,
      official_ex: right,
      strict_ex: right,
      spider_ex: right,
      soft_f1: right === null ? null : Number(right),
      reason: REASONS[outcome],
      gold_status: outcome === 'gold_failed' ? 'error' : 'ok',
      pred_status: outcome === 'right' || outcome === 'wrong_rows' ? 'ok' : 'error',
      ms: 3,
    },
    stop: outcome === 'no_sql' || outcome === 'provider_error' ? outcome : 'final',
    turns: [turn(1)],
    signals: { duplicates: null, expected: null, actual: null, agrees: null, differences: [] },
    vote: null,
    linked: { mode: 'full', kept: ['item', 'sale'], left: [], scores: {} },
    needed: ['item'],
    notes: [],
    promptTokens: 900,
    completionTokens: 20,
    ms: 450,
    ...changes,
  };
}

/** A finished run in memory. */
export function finishedRun(run_id: string, records: ItemRecord[], changes: Partial<EvalEntry> = {}): FinishedRun {
  const summary = summarise(records, records.length, 60_000);
  return { line: evalLine(run_id, { summary, ...changes }), records };
}

const DIFFICULTIES = ['simple', 'moderate', 'challenging'];

/**
 * Two runs over the same 120 items of 6 databases, the second better than the first; the same every time. Their texts
 * hold what would break out of HTML and Markdown.
 */
export function twoRuns(): { before: ItemRecord[]; after: ItemRecord[] } {
  const random = new Random(4);
  const before: ItemRecord[] = [];
  const after: ItemRecord[] = [];
  for (let index = 0; index < 120; index++) {
    const hard = random.below(10);
    const common: Partial<ItemRecord> = {
      db_id: `db_${index % 6}`,
      difficulty: DIFFICULTIES[index % 3] ?? null,
      ms: 100 + random.below(4000),
      turns: Array.from({ length: 1 + random.below(3) }, (_, at) => turn(at + 1)),
      ...(index % 10 === 7 ? { needed: ['item', 'person'], linked: missingTable() } : {}),
      ...(index === 3 ? { question: 'Is <script>alert(1)</script> | a `name` *bold*\nor [a link](http://x)?' } : {}),
    };
    const outcomes: [Outcome, Outcome] = [outcomeOf(hard + 1, index), outcomeOf(hard, index + 40)];
    before.push(itemRecord(`q${index}`, index === 60 ? 'gold_failed' : outcomes[0], common));
    after.push(
      itemRecord(`q${index}`, index === 60 ? 'gold_failed' : outcomes[1], {
        ...common,
        ms: Math.round(300 * 1.35 ** random.below(14)),
      }),
    );
  }
  return { before, after: after.map(creditedAnyway) };
}

function missingTable(): ItemRecord['linked'] {
  return { mode: 'linked', kept: ['item', 'sale'], left: ['person'], scores: {} };
}

function outcomeOf(hard: number, index: number): Outcome {
  if (hard <= 6) return 'right';
  const wrong: Outcome[] = ['wrong_rows', 'wrong_rows', 'sql_error', 'timeout', 'no_sql', 'provider_error'];
  return wrong[index % wrong.length] ?? 'wrong_rows';
}

/** Some right answers have rows that stand twice. */
function creditedAnyway(record: ItemRecord, index: number): ItemRecord {
  if (record.outcome !== 'right' || index % 15 !== 0) return record;
  return { ...record, verdict: { ...record.verdict, strict_ex: false, reason: 'duplicates_only' } };
}

/** Writes a run's folder and, unless it was never finished, its line of the ledger, as `eval` does. */
export async function writeRun(
  results: string,
  run_id: string,
  records: readonly ItemRecord[],
  changes: Partial<EvalEntry> & { inLedger?: boolean } = {},
): Promise<string> {
  const { inLedger = true, ...entry } = changes;
  const folder = join(results, run_id);
  mkdirSync(folder, { recursive: true });
  const items = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(join(folder, 'items.jsonl'), items);
  const whole = evalEntry(run_id, {
    summary: summarise(records, records.length, 60_000),
    output: {
      path: join(folder, 'items.jsonl'),
      sha256: createHash('sha256').update(items).digest('hex'),
      bytes: Buffer.byteLength(items),
    },
    ...entry,
  });
  const file: RunFile = {
    version: 1,
    run_id,
    started: whole.started,
    command: whole.command,
    paths: { dataset: 'dev.json', databases: null },
    config: whole.config,
    ids: records.map(({ id }) => id).sort(),
  };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(file));
  if (inLedger) await new Ledger(results).append(whole);
  return folder;
}
