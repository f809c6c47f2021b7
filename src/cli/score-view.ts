import type { ScoreSummary } from '../core/evals/score-summary.ts';
import { countOf } from '../core/signals/describe.ts';
import { count, duration, interval, percents, rate } from '../protocol/figures.ts';
import { BinaryMetric } from '../protocol/score.ts';

const NAME_WIDTH = 12;

function row(name: string, text: string): string {
  return `  ${name.padEnd(NAME_WIDTH)} ${text}`;
}

function counted(counts: Readonly<Partial<Record<string, number>>>): string {
  return Object.entries(counts)
    .map(([name, times]) => `${times} ${name}`)
    .join(', ');
}

function metricLines({ shares, soft_f1, r_ves }: ScoreSummary): string[] {
  const binary = BinaryMetric.options.flatMap((name) => {
    const share = shares[name];
    return share === undefined ? [] : [row(name, `${rate(share)}  ${interval(share)}  ${share.right} of ${share.of}`)];
  });
  return [
    ...binary,
    ...(soft_f1 === null ? [] : [row('soft_f1', percents(soft_f1))]),
    ...(r_ves === null ? [] : [row('r_ves', r_ves.toFixed(1))]),
  ];
}

function failureLines({ failures: { gold, pred } }: ScoreSummary): string[] {
  const golds = counted(gold);
  const preds = counted(pred);
  return [
    ...(golds === '' ? [] : [row('Gold failed', `${golds} (left out of every share)`)]),
    ...(preds === '' ? [] : [row('Not run', `${preds} of the predictions`)]),
  ];
}

function luckLines({ shares, official_not_strict, fragile }: ScoreSummary): string[] {
  const isCounted = shares.official_ex !== undefined && shares.strict_ex !== undefined;
  const luck = `${official_not_strict} pass official_ex and fail strict_ex (duplicates or order credited anyway)`;
  return [
    ...(isCounted ? [row('Luck', luck)] : []),
    ...(fragile === null ? [] : [row('Fragile', fragileText(fragile))]),
  ];
}

function fragileText({ right, differ, untried }: NonNullable<ScoreSummary['fragile']>): string {
  const rest = untried === 0 ? '' : ` (${untried} not tried: the database is too large, or the queries too slow)`;
  return `${differ} of ${right} right answers stop agreeing on changed copies${rest}`;
}

/** The numbers of a scoring for people. @param missing pairs whose database is not there. @param ms of the whole scoring */
export function scoreLines(summary: ScoreSummary, missing: number, ms: number): string[] {
  const reasons = counted(summary.reasons);
  return [
    `${count(summary.pairs)} ${summary.pairs === 1 ? 'pair' : 'pairs'} scored (share, interval of 95 %)`,
    '',
    ...metricLines(summary),
    ...luckLines(summary),
    ...(reasons === '' ? [] : [row('Reasons', reasons)]),
    ...failureLines(summary),
    ...(missing === 0 ? [] : [row('Missing', `${countOf(missing, 'pair')} without a database (not counted above)`)]),
    row('Time', duration(ms)),
  ];
}
