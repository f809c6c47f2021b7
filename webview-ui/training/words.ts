import { count, percents } from '../../src/protocol/figures.ts';
import type { RunState, SeriesName } from '../../src/protocol/training-view.ts';
import { bytesInWords } from '../shared/format.ts';
import type { IconName } from '../shared/icons.ts';

/** Each state in words, with its picture. */
export const STATES: Record<RunState, { text: string; icon: IconName; look: 'busy' | 'good' | 'bad' | 'still' }> = {
  starting: { text: 'Starting', icon: 'clock', look: 'busy' },
  preparing: { text: 'Preparing', icon: 'clock', look: 'busy' },
  training: { text: 'Training', icon: 'play', look: 'busy' },
  evaluating: { text: 'Evaluating', icon: 'beaker', look: 'busy' },
  saving: { text: 'Saving', icon: 'down', look: 'busy' },
  done: { text: 'Done', icon: 'check', look: 'good' },
  stopped: { text: 'Stopped', icon: 'stop', look: 'still' },
  failed: { text: 'Failed', icon: 'error', look: 'bad' },
  died: { text: 'Ended unexpectedly', icon: 'alert', look: 'bad' },
};

/** True while a trainer works on the run. */
export function isBusy(state: RunState): boolean {
  return STATES[state].look === 'busy';
}

/** A number with a few digits that count. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) return value.toExponential(2).replace(/\.?0*e/, 'e');
  return size >= 1000 ? count(value) : String(Number(value.toPrecision(4)));
}

/** The charts, in their order: title and how a value is written. */
export const CHARTS: readonly { name: SeriesName; title: string; write(value: number): string }[] = [
  { name: 'loss', title: 'Loss', write: shortNumber },
  { name: 'lr', title: 'Learning rate', write: shortNumber },
  { name: 'grad_norm', title: 'Gradient norm', write: shortNumber },
  { name: 'tokens_per_s', title: 'Tokens per second', write: (value) => shortNumber(value) },
  { name: 'share', title: 'Share of the peak', write: (value) => `${percents(value)} %` },
  { name: 'memory', title: 'Memory', write: bytesInWords },
];
