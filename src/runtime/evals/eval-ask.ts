import type { CancelSignal, Provider } from '../../core/ports.ts';
import { tablesOf } from '../../core/sql/parse.ts';
import type { AskResult } from '../../protocol/ask.ts';
import type { Item } from '../../protocol/dataset.ts';
import { AppError, toWireError, type WireError } from '../../protocol/errors.ts';
import { ask } from '../ask.ts';
import type { Scorer } from '../score/scorer.ts';
import type { EvalParts, EvalRequest } from './eval-request.ts';

/** Rows of an answer that the agent sees; as many as `sql-agent ask` returns. */
const MAX_ROWS = 1000;
/** Numbers should not depend on how fast a machine searches cell values. */
const SCAN_BUDGET_MS = 60_000;

/** Whether the gold of an item runs: the tables it reads, or why it does not. */
export type GoldCheck = { tables: string[] } | { error: WireError };

/**
 * Runs an item's gold, whose result is kept for the scoring.
 *
 * @throws AppError `cancelled`
 */
export async function checkGold(scorer: Scorer, { gold }: Item, db: string, signal: CancelSignal): Promise<GoldCheck> {
  try {
    const tables = await scorer.goldTables(db, gold, signal);
    return tables === null ? { error: { code: 'gold_failed', message: 'The gold query does not run.' } } : { tables };
  } catch (error) {
    if (error instanceof AppError && error.code !== 'cancelled') return { error: toWireError(error) };
    throw error;
  }
}

/** The result of an item that is not asked, since nothing could be said of an answer. */
export function notAsked({ question, evidence }: Item, { protocol, model }: Provider, error: WireError): AskResult {
  return {
    question,
    evidence,
    sql: null,
    status: 'error',
    code: error.code,
    message: error.message,
    position: null,
    columns: [],
    rows: [],
    truncated: false,
    protocol,
    turns: [],
    linked: { mode: 'full', kept: [], left: [], scores: {} },
    signals: { duplicates: null, expected: null, actual: null, agrees: null, differences: [] },
    vote: null,
    model,
    stop: 'no_sql',
    notes: [],
    ms: 0,
  };
}

/**
 * Asks one item.
 *
 * @throws AppError where the database is the matter
 */
export async function askItem(
  { engine, provider }: Pick<EvalParts, 'engine' | 'provider'>,
  request: Pick<EvalRequest, 'decoding' | 'link' | 'timeoutMs'>,
  item: Item,
  db: string,
  signal: CancelSignal,
): Promise<AskResult> {
  // What is not recorded is not done, whatever the provider does where nobody says.
  const { samples, retries, repair = false, turns } = request.decoding;
  // A gold such as SELECT 1 names no table to be kept.
  const hasTables = request.link !== 'oracle' || tablesOf(item.gold).length > 0;
  const question = {
    db,
    question: item.question,
    evidence: item.evidence,
    previous: null,
    samples,
    retries,
    repair,
    turns,
    link: hasTables ? request.link : ('full' as const),
    gold: request.link === 'oracle' ? item.gold : null,
    timeoutMs: request.timeoutMs,
    maxRows: MAX_ROWS,
    scanBudgetMs: SCAN_BUDGET_MS,
    transcript: null,
  };
  return await ask(engine, provider, question, () => undefined, signal);
}
