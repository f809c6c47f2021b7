import { basename } from 'node:path';
import { isAnswered, outcomeOf } from '../../core/evals/outcome.ts';
import type { CancelSignal } from '../../core/ports.ts';
import { isOrdered } from '../../core/score/order.ts';
import { diffRows } from '../../core/score/row-diff.ts';
import type { AskResult } from '../../protocol/ask.ts';
import type { Item } from '../../protocol/dataset.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { BinaryMetric, RowDiff, ScoreSettings, Verdict } from '../../protocol/score.ts';
import type { SandboxPool } from '../sandbox/pool.ts';
import type { Scorer } from '../score/scorer.ts';

/** Results up to these limits are looked through for differing rows. */
const DIFF_LIMITS = { maxRows: 100_000, maxBytes: 16 * 2 ** 20 };
const DIFF_SHOWN = { maxRows: 20, maxBytes: 2048 };

/** What answers are judged with. */
export interface Judge {
  scorer: Scorer;
  sandbox: SandboxPool;
  settings: ScoreSettings;
  metric: BinaryMetric;
}

/** What is known of an item before its answer is judged. */
export interface Asked {
  item: Item;
  databases: readonly string[];
  needed: string[] | null;
  result: AskResult;
}

/** The verdict of an item whose database cannot be read. */
function unreadableVerdict(id: string, message: string, { metrics }: ScoreSettings): Verdict {
  const nulls = Object.fromEntries(metrics.map((metric) => [metric, null]));
  return { id, ...nulls, reason: 'gold_failed', gold_status: 'error', pred_status: 'error', message, ms: 0 };
}

async function verdictOf(
  { scorer, settings }: Judge,
  { item, databases, result }: Asked,
  signal: CancelSignal,
): Promise<Verdict> {
  const { id, db_id, gold } = item;
  const pred = isAnswered(result) ? (result.sql ?? '') : '';
  try {
    return await scorer.score({ id, db_id, gold, pred, databases }, signal);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'cancelled') return unreadableVerdict(id, error.message, settings);
    throw error;
  }
}

/** Where the rows of a wrong answer differ; null where that cannot be told. */
async function diffOf(
  { sandbox, settings }: Judge,
  { item, databases, result }: Asked,
  verdict: Verdict,
  signal: CancelSignal,
): Promise<RowDiff | null> {
  const db = databases.find((path) => basename(path) === verdict.database) ?? databases[0];
  if (db === undefined || result.sql === null) return null;
  const limits = { timeoutMs: settings.timeoutMs, ...DIFF_LIMITS };
  const [gold, pred] = await Promise.all(
    [item.gold, result.sql].map((sql) => sandbox.query({ db, sql, ...limits }, signal)),
  );
  const isWhole = [gold, pred].every((side) => side?.status === 'ok' && !side.truncated);
  if (!gold || !pred || !isWhole) return null;
  return diffRows(gold, pred, { ordered: isOrdered(item.gold, settings.orderPolicy), ...DIFF_SHOWN });
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

/**
 * Judges an answer: the record of a finished item.
 *
 * @throws AppError `cancelled` where `signal` aborts
 */
export async function judged(judge: Judge, asked: Asked, signal: CancelSignal): Promise<ItemRecord> {
  const { item, needed, result } = asked;
  const verdict = await verdictOf(judge, asked, signal);
  const outcome = outcomeOf(result, verdict, judge.metric);
  const diff = outcome === 'wrong_rows' ? await diffOf(judge, asked, verdict, signal) : null;
  const { id, db_id, question, evidence, gold, difficulty } = item;
  const { sql, status, code, stop, turns, signals, vote, linked, notes, ms } = result;
  const message = outcome === 'gold_failed' ? (verdict.message ?? result.message) : result.message;
  return {
    id,
    db_id,
    question,
    evidence,
    gold,
    difficulty,
    outcome,
    sql,
    status,
    code,
    message,
    verdict,
    ...(diff === null ? {} : { diff }),
    stop,
    turns,
    signals,
    vote,
    linked,
    needed,
    notes,
    promptTokens: sumOf(turns.map(({ promptTokens }) => promptTokens)),
    completionTokens: sumOf(turns.map(({ completionTokens }) => completionTokens)),
    ms,
  };
}
