import type { ItemRecord } from '../../protocol/eval.ts';
import type { Outcome } from '../../protocol/ledger.ts';
import type { BinaryMetric, RowDiff } from '../../protocol/score.ts';
import { countOf } from '../signals/describe.ts';

/** What came of an item, in a word or two. */
export function outcomeInWords(outcome: Outcome): string {
  const words: Record<Outcome, string> = {
    right: 'right',
    wrong_rows: 'wrong rows',
    sql_error: 'SQL error',
    timeout: 'timeout',
    no_sql: 'no SQL',
    provider_error: 'model failed',
    gold_failed: 'gold fails',
  };
  return words[outcome];
}

/** In what two results differ, in one line without what comes of it: `3 rows missing, 1 extra of 12`. */
export function diffInWords(diff: RowDiff): string {
  const { totals, goldRows, predRows, goldColumns, predColumns, reordered } = diff;
  if (goldColumns.length !== predColumns.length)
    return `${countOf(predColumns.length, 'column')} instead of ${goldColumns.length}`;
  if (predRows === 0 && goldRows > 0) return `no rows instead of ${goldRows}`;
  if (reordered) return `${countOf(goldRows, 'row')} in another order`;
  const absent = [
    totals.missing > 0 ? `${totals.missing} missing` : '',
    totals.extra > 0 ? `${totals.extra} extra` : '',
  ].filter((part) => part !== '');
  const parts = [
    absent.length > 0 ? `${absent.join(', ')} of ${goldRows}` : '',
    totals.recounted > 0 ? `${totals.recounted} repeated too often or too seldom` : '',
  ].filter((part) => part !== '');
  return parts.join(', ').replace(/^\d+/, (count) => countOf(Number(count), 'row')) || 'The rows differ';
}

/** The first sentence of a message that a database or a provider gave, without its line breaks. */
function firstLine(message: string | null, otherwise: string): string {
  const line = message?.split(/\r?\n/)[0]?.trim() ?? '';
  return line === '' ? otherwise : line;
}

/**
 * Why an item is not right, in one line that says it all: `3 rows missing, 1 extra of 12 (row_values)`.
 * @param metric what `right` means in the run
 */
export function failureInWords(record: ItemRecord, metric: BinaryMetric): string {
  const { outcome, verdict, diff, code, message } = record;
  const named = code === null ? '' : ` (${code})`;
  switch (outcome) {
    case 'right':
      return `Right under ${metric}`;
    case 'wrong_rows':
      if (diff) return `${diffInWords(diff)} (${verdict.reason ?? metric})`;
      return `Wrong rows under ${metric} (${verdict.reason ?? 'equal under strict_ex: numbers differ beyond 6 digits'})`;
    case 'sql_error':
      return `SQL error: ${firstLine(message, 'the query failed')}${named}`;
    case 'timeout':
      return `Timeout: ${firstLine(message, 'the query took too long')}`;
    case 'no_sql':
      return `No SQL: ${firstLine(message, 'the model wrote none')}`;
    case 'provider_error':
      return `The model failed: ${firstLine(message, 'it gave no reply')}${named}`;
    case 'gold_failed':
      return `The gold query fails: ${firstLine(verdict.message ?? null, verdict.gold_status)}`;
  }
}

/** All that is worth reading of an item in plain text: question, both queries, hints. Lines end in line feeds. */
export function itemInWords(record: ItemRecord, metric: BinaryMetric): string {
  const { id, db_id, question, evidence, outcome, gold, sql, signals, turns, notes } = record;
  const duplicates = signals.duplicates;
  const lines = [
    `${id} · ${db_id} · ${outcomeInWords(outcome)}`,
    outcome === 'right' ? '' : failureInWords(record, metric),
    `question:  ${question}`,
    evidence === '' ? '' : `evidence:  ${evidence}`,
    `predicted: ${sql ?? '(none)'}`,
    `gold:      ${gold}`,
    duplicates === null ? '' : `hint:      ${duplicates.rows} of ${duplicates.total} rows are equal to an earlier one`,
    ...signals.differences.map((difference) => `hint:      ${difference}`),
    ...notes.map((note) => `note:      ${note}`),
    turns.length > 1 ? `turns:     ${turns.map(({ action }) => action).join(', ')}` : '',
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
