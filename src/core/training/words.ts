import { count, duration, percents } from '../../protocol/figures.ts';
import type { RunState } from '../../protocol/training-view.ts';

const STATES: Record<RunState, string> = {
  starting: 'starting',
  preparing: 'preparing',
  training: 'training',
  evaluating: 'evaluating',
  saving: 'saving',
  done: 'done',
  stopped: 'stopped',
  failed: 'failed',
  died: 'ended unexpectedly',
};

/** A state as people read it. */
export function stateInWords(state: RunState): string {
  return STATES[state];
}

/** True while a trainer works on the run. */
export function isActive(state: RunState): boolean {
  return state !== 'done' && state !== 'stopped' && state !== 'failed' && state !== 'died';
}

/** A number with so many digits that count: "0.5127", "2e-4". */
export function figure(value: number, digits = 4): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e9) return String(Number(value.toPrecision(digits)));
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  return `${Number(mantissa)}e${exponent.replace('+', '')}`;
}

/** A large number in short: "134.5 M", "1.72 B", "9,120". */
export function quantity(value: number): string {
  if (value >= 1e9) return `${Number((value / 1e9).toPrecision(3))} B`;
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(4))} M`;
  return count(value);
}

/** Memory for people, in MiB or GiB, as the tools of GPUs count. */
export function memoryInWords(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/** What one line says of a run that goes on. */
export interface Progress {
  step: number;
  of: number | null;
  loss: number | null;
  lr?: number | null;
  tokensPerS?: number | null;
  share?: number | null;
  etaMs: number | null;
}

/** `step 120 of 840 · loss 0.512 · lr 1.9e-4 · 1,204 tokens/s · 41.0 % of the peak · 4 min 10 s left` */
export function progressInWords({ step, of, loss, lr, tokensPerS, share, etaMs }: Progress): string {
  return [
    of === null ? `step ${step}` : `step ${step} of ${of}`,
    ...(loss === null ? [] : [`loss ${figure(loss)}`]),
    ...(lr == null ? [] : [`lr ${figure(lr, 3)}`]),
    ...(tokensPerS == null ? [] : [`${count(tokensPerS)} tokens/s`]),
    ...(share == null ? [] : [`${percents(share)} % of the peak`]),
    ...(etaMs === null || etaMs === 0 ? [] : [`${duration(etaMs)} left`]),
  ].join(' · ');
}
