import type { Answer, ComparedRun, Comparison } from '../../src/protocol/compare.ts';
import { percents } from '../../src/protocol/figures.ts';
import type { Share } from '../../src/protocol/score.ts';
import { outcomeInWords, reasonInWords } from '../shared/outcomes.ts';

/** The interval of a share: `58.1 to 66.5 %`. */
export function intervalInWords({ low, high, of }: Share): string {
  return of === 0 ? '' : `${percents(low)} to ${percents(high)} %`;
}

/** A difference of shares in points: `+3.2`, `−0.4`, `0.0`. */
export function pointsInWords(value: number): string {
  const points = percents(Math.abs(value));
  if (Number(points) === 0) return '0.0';
  return value > 0 ? `+${points}` : `−${points}`;
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
