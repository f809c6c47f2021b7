import type { ItemPanelState } from '../../src/protocol/item-panel.ts';
import type { Metric, Verdict } from '../../src/protocol/score.ts';
import { differenceInWords } from '../shared/difference.ts';
import { metricInWords, outcomeInWords, reasonInWords } from '../shared/outcomes.ts';

/** One metric of a verdict. `good` is null where it says neither right nor wrong. */
export interface MetricFact {
  name: string;
  value: string;
  good: boolean | null;
}

const METRICS: readonly Metric[] = ['official_ex', 'strict_ex', 'spider_ex', 'soft_f1', 'r_ves'];

/** What the metrics say; those that were not asked for are left out. */
export function metricFacts(verdict: Verdict): MetricFact[] {
  return METRICS.flatMap((metric): MetricFact[] => {
    const value = verdict[metric];
    const name = metricInWords(metric);
    if (value === undefined) return [];
    if (value === null) return [{ name, value: 'not judged', good: null }];
    if (typeof value === 'boolean') return [{ name, value: value ? 'right' : 'wrong', good: value }];
    return [{ name, value: value.toFixed(2), good: null }];
  });
}

/** Why the answer is not equal to the gold, as a sentence; '' where it is. */
export function whyInWords({ record, run }: ItemPanelState): string {
  const { verdict, outcome } = record;
  if (outcome === 'provider_error') return `The model failed: ${record.message ?? 'no reason is known'}`;
  if (outcome === 'no_sql') return 'The model wrote no SQL.';
  if (verdict.reason === null) return '';
  const reason = reasonInWords(verdict.reason);
  return outcome === 'right' ? `${reason} Under ${metricInWords(run.metric)} it is right all the same.` : reason;
}

/** What a screen reader is told when another item is shown, or its rows came; '' where nothing new is to be told. */
export function announcement(before: ItemPanelState | null, state: ItemPanelState): string {
  const { record, difference } = state;
  const isAnother = before === null || before.record.id !== record.id;
  const isCompared = difference !== null && (isAnother || before.difference === null);
  const parts = [
    isAnother ? `${outcomeInWords(record.outcome)}: ${record.question}` : '',
    isCompared ? `${differenceInWords(difference)}.` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
