import type { Answer, ComparedRun, Comparison } from '../../src/protocol/compare.ts';
import type { Share } from '../../src/protocol/score.ts';
import { outcomeInWords, reasonInWords } from '../shared/outcomes.ts';

const percent = (share: number) => (share * 100).toFixed(1);

/** A share of 0 to 1 as `62.4 %`; `–` of nothing. */
export function shareInWords({ right, of }: Share): string {
  return of === 0 ? '–' : `${percent(right / of)} %`;
}

/** The interval of a share: `58.1 to 66.5 %`. */
export function intervalInWords({ low, high, of }: Share): string {
  return of === 0 ? '' : `${percent(low)} to ${percent(high)} %`;
}

/** A difference of shares in points: `+3.2`, `−0.4`, `0.0`. */
export function pointsInWords(value: number): string {
  const points = percent(Math.abs(value));
  if (Number(points) === 0) return '0.0';
  return value > 0 ? `+${points}` : `−${points}`;
}

/** The p value with two digits that count, as reports write it. */
export function pInWords(p: number): string {
  if (p < 0.001) return 'p < 0.001';
  return `p = ${p >= 0.1 ? p.toFixed(2) : Number(p.toPrecision(2))}`;
}

/** The difference with its interval, and over how many databases it was drawn. */
export function differenceInterval({ difference }: Comparison): string {
  const { low, high, clusters } = difference;
  if (low === null || high === null) return 'no interval: all items are of one database';
  return `${pointsInWords(low)} to ${pointsInWords(high)}, resampled by ${clusters} databases`;
}

/** A run in short: model, dataset, when. */
export function runInWords({ dataset, split, started, state, done }: ComparedRun): string {
  const when = started.slice(0, 16).replace('T', ' ');
  const part = state === 'stopped' ? `, stopped after ${done}` : '';
  return `${dataset}${split === null ? '' : `, split ${split}`} · ${when} UTC${part}`;
}

/** What one run made of an item, in short. */
export function answerInWords({ outcome, reason }: Answer): string {
  if (outcome !== 'wrong_rows' || reason === null) return outcomeInWords(outcome).toLowerCase();
  return reasonInWords(reason).replace(/\.$/, '').toLowerCase();
}
