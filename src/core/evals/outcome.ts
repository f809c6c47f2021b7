import type { AskResult } from '../../protocol/ask.ts';
import type { Outcome } from '../../protocol/ledger.ts';
import type { BinaryMetric, Verdict } from '../../protocol/score.ts';

/** True where there is a query to be judged: a provider that failed midway leaves none that was meant as the answer. */
export function isAnswered({ sql, stop }: Pick<AskResult, 'sql' | 'stop'>): boolean {
  return sql !== null && stop !== 'provider_error' && stop !== 'cancelled';
}

/**
 * What came of one item. `right` and `wrong_rows` are by `metric`; an answer that could not be compared because its
 * result is too large counts among the wrong rows.
 */
export function outcomeOf(result: Pick<AskResult, 'sql' | 'stop'>, verdict: Verdict, metric: BinaryMetric): Outcome {
  if (verdict.gold_status !== 'ok' || verdict.reason === 'gold_failed') return 'gold_failed';
  if (result.stop === 'provider_error') return 'provider_error';
  if (result.sql === null) return 'no_sql';
  if (verdict[metric] === true) return 'right';
  if (verdict.pred_status === 'timeout' || verdict.reason === 'timeout') return 'timeout';
  return verdict.pred_status === 'ok' ? 'wrong_rows' : 'sql_error';
}
