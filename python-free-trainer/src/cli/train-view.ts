import { count, counted, duration, percents } from '../../../src/protocol/figures.ts';
import type { StepEvent, TrainingEvent } from '../../../src/protocol/training.ts';

/** Between two lines of progress, in milliseconds. */
const QUIET_MS = 1000;

function bytes(value: number): string {
  return value < 1e9 ? `${Math.round(value / 1e6)} MB` : `${(value / 1e9).toFixed(1)} GB`;
}

function stepLine(event: StepEvent, of: number, leftMs: number): string {
  const { step, loss, lr, grad_norm, tokens_per_s, share, memory } = event;
  const light = share === null ? '' : ` (${percents(share)} % of the peak)`;
  return [
    `step ${count(step)} of ${count(of)}`,
    `loss ${loss.toFixed(4)}`,
    `lr ${lr.toExponential(2)}`,
    `gradient ${grad_norm.toFixed(3)}`,
    `${count(Math.round(tokens_per_s))} tokens/s${light}`,
    bytes(memory),
    ...(leftMs === 0 ? [] : [`${duration(leftMs)} left`]),
  ].join(', ');
}

/** Tells a run's events to people, at most about a line a second. */
export class TrainView {
  readonly #line: (text: string) => void;
  #of = 0;
  #told = Number.NEGATIVE_INFINITY;
  #meanMs: number | null = null;

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  readonly take = (event: TrainingEvent): void => {
    switch (event.kind) {
      case 'start':
        this.#of = event.of;
        this.#line(
          event.step === 0 ? `Training ${counted(event.of, 'step')}.` : `Going on after step ${count(event.step)}.`,
        );
        return;
      case 'step':
        this.#step(event);
        return;
      case 'eval': {
        const best = event.best ? ', the best so far' : '';
        this.#line(`evaluation: loss ${event.loss.toFixed(4)}, ${percents(event.accuracy)} % of tokens right${best}`);
        return;
      }
      case 'checkpoint':
        this.#line(`checkpoint: ${event.path}`);
        return;
      case 'note':
        this.#line(`note: ${event.text}`);
        return;
      case 'end':
        if (event.state !== 'failed') this.#line(event.message);
        return;
    }
  };

  #step(event: StepEvent): void {
    this.#meanMs = this.#meanMs === null ? event.ms : 0.9 * this.#meanMs + 0.1 * event.ms;
    const now = performance.now();
    if (now - this.#told < QUIET_MS && event.step !== this.#of) return;
    this.#told = now;
    this.#line(stepLine(event, this.#of, (this.#of - event.step) * this.#meanMs));
  }
}
