import { figure, progressInWords } from '../core/training/words.ts';
import { rate } from '../protocol/figures.ts';
import type { StepEvent, TrainingEvent, TrainingStatus } from '../protocol/training.ts';
import type { RunSnapshot } from '../runtime/trainer/run-reader.ts';
import type { LiveLine } from './live-line.ts';

/** In a log a line is written so often, or for so large a part of the steps, whichever comes first. */
const LOG_MS = 10_000;
const LOG_PARTS = 20;

/**
 * Milliseconds that are left after a step. The event of a step can be read up to two seconds before the heartbeat that
 * counts it, whose time is then by a step or more too long.
 */
function etaAfter(step: number, of: number | null, status: TrainingStatus | null): number | null {
  if (status === null || status.eta_s === null) return null;
  const behind = of !== null && status.step < step;
  return status.eta_s * 1000 * (behind ? (of - step) / (of - status.step) : 1);
}

/** Tells how a training run goes on: its steps by a line that changes, all else by lines that stay. */
export class TrainProgress {
  readonly #live: LiveLine;
  readonly #now: () => number;
  #last: StepEvent | null = null;
  #message = '';
  #shownAt = Number.NEGATIVE_INFINITY;
  #shownStep = 0;

  /** @param now milliseconds from any start */
  constructor(live: LiveLine, now: () => number) {
    this.#live = live;
    this.#now = now;
  }

  /** What a run has done before it was followed: the last step counts, the rest is passed over. */
  onPast(event: TrainingEvent): void {
    if (event.kind === 'step') this.#last = event;
  }

  onEvent(event: TrainingEvent): void {
    switch (event.kind) {
      case 'start':
        if (event.step > 0) this.#live.line(`goes on after step ${event.step}`);
        return;
      case 'step':
        this.#last = event;
        return;
      case 'eval': {
        const { step, loss, accuracy, best } = event;
        const right = rate({ right: accuracy, of: 1 });
        this.#live.line(`step ${step}: evaluation loss ${figure(loss)}, ${right} of tokens${best ? ', the best' : ''}`);
        return;
      }
      case 'checkpoint':
        this.#live.line(`step ${event.step}: checkpoint ${event.path}`);
        return;
      case 'note':
        this.#live.line(`step ${event.step}: ${event.text}`);
        return;
      case 'end':
        return;
    }
  }

  /** Shows where the run stands. */
  onSnapshot({ state, message, status, run }: RunSnapshot): void {
    const last = this.#last;
    if (last === null || state !== 'training') {
      this.#say(message);
      return;
    }
    const of = run?.steps ?? status?.of ?? null;
    const { step, loss, lr, share, tokens_per_s } = last;
    const etaMs = etaAfter(step, of, status);
    this.#step(step, of, progressInWords({ step, of, loss, lr, share, tokensPerS: tokens_per_s, etaMs }));
  }

  close(): void {
    this.#live.close();
  }

  #say(message: string): void {
    if (message === this.#message) return;
    this.#message = message;
    this.#live.show(message);
  }

  #step(step: number, of: number | null, text: string): void {
    this.#message = '';
    if (!this.#live.isTerminal && !this.#isDue(step, of)) return;
    this.#shownAt = this.#now();
    this.#shownStep = step;
    this.#live.show(text);
  }

  #isDue(step: number, of: number | null): boolean {
    if (step === this.#shownStep) return false;
    return this.#now() - this.#shownAt >= LOG_MS || (of !== null && step - this.#shownStep >= of / LOG_PARTS);
  }
}
