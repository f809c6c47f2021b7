import type { Outcome } from '../../src/protocol/ledger.ts';
import type { Metric, Reason } from '../../src/protocol/score.ts';
import type { IconName } from './icons.ts';

/** What came of an item, in a word or two. */
export function outcomeInWords(outcome: Outcome): string {
  const words: Record<Outcome, string> = {
    right: 'Right',
    wrong_rows: 'Wrong rows',
    sql_error: 'SQL error',
    timeout: 'Timeout',
    no_sql: 'No SQL',
    provider_error: 'Model failed',
    gold_failed: 'Gold fails',
  };
  return words[outcome];
}

/** The picture of an outcome, and whether it is good, bad or neither. */
export function outcomeLook(outcome: Outcome): { icon: IconName; tone: 'good' | 'bad' | 'none' } {
  switch (outcome) {
    case 'right':
      return { icon: 'check', tone: 'good' };
    case 'wrong_rows':
      return { icon: 'close', tone: 'bad' };
    case 'gold_failed':
      return { icon: 'info', tone: 'none' };
    case 'timeout':
      return { icon: 'clock', tone: 'bad' };
    default:
      return { icon: 'error', tone: 'bad' };
  }
}

/** A reason code as a sentence. */
export function reasonInWords(reason: Reason): string {
  const words: Record<Reason, string> = {
    gold_failed: 'The gold query does not run here, so the answer is not judged.',
    pred_failed: 'The predicted query does not run.',
    timeout: 'The predicted query was stopped: it took longer than is allowed.',
    rejected: 'The predicted query does more than read, which is not allowed.',
    truncated: 'The predicted result is larger than can be compared.',
    column_count: 'The results have different numbers of columns.',
    row_count: 'The results have different numbers of rows.',
    row_values: 'The results have as many rows, but other values.',
    row_order: 'The same rows stand in another order, and here the order counts.',
    duplicates_only: 'The same rows, but some stand another number of times.',
  };
  return words[reason];
}

/** The name of a metric. */
export function metricInWords(metric: Metric): string {
  const words: Record<Metric, string> = {
    official_ex: 'official EX',
    strict_ex: 'strict EX',
    spider_ex: 'Spider EX',
    soft_f1: 'soft F1',
    r_ves: 'R-VES',
  };
  return words[metric];
}
