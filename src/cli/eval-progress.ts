import { outcomeInWords } from '../core/evals/item-words.ts';
import { modelTitle } from '../core/evals/model-title.ts';
import { countOf } from '../core/signals/describe.ts';
import type { EvalEvent } from '../protocol/eval.ts';
import { duration, interval, rate } from '../protocol/figures.ts';
import { Outcome } from '../protocol/ledger.ts';
import { LiveLine } from './live-line.ts';
import type { ProgressTarget } from './pull-progress.ts';

/** In a log a line is written so often, or for so large a part of the items, whichever comes first. */
const LOG_MS = 5000;
const LOG_PARTS = 20;
type StartedEvent = Extract<EvalEvent, { type: 'started' }>;
type ItemEvent = Extract<EvalEvent, { type: 'item' }>;

/** Outcomes with their numbers, those that never came left out. */
export function outcomesInWords(counts: Partial<Record<Outcome, number>>): string {
  return Outcome.options
    .flatMap((outcome) => (counts[outcome] ? [`${counts[outcome]} ${outcomeInWords(outcome)}`] : []))
    .join(', ');
}

/** One line: items done, the headline metric so far, pace, what is left, outcomes. */
function progressLine(
  { done, total, etaMs, share }: Pick<ItemEvent, 'done' | 'total' | 'etaMs' | 'share'>,
  counts: Partial<Record<Outcome, number>>,
): string {
  const left = total - done;
  const perSecond = etaMs === null || etaMs === 0 || left === 0 ? null : (left / etaMs) * 1000;
  const pace = perSecond === null ? [] : [`${Number(perSecond.toPrecision(2))} items/s`];
  const eta = etaMs === null || left === 0 ? [] : [`${duration(etaMs)} left`];
  return [`${done}/${total}`, `EX ${rate(share)} (${interval(share)})`, ...pace, ...eta, outcomesInWords(counts)].join(
    ' · ',
  );
}

/** Shows how a run goes on: on a terminal one line that changes, in a log a line now and then. */
export class EvalProgress {
  readonly #live: LiveLine;
  readonly #now: () => number;
  readonly #counts: Partial<Record<Outcome, number>> = {};
  #shownAt: number;
  #shownDone = 0;

  /** @param width of the terminal in columns. @param now milliseconds from any start */
  constructor(target: ProgressTarget, width: number, now: () => number) {
    this.#live = new LiveLine(target, width);
    this.#now = now;
    this.#shownAt = now();
  }

  onEvent(event: EvalEvent): void {
    if (event.type === 'started') this.#start(event);
    if (event.type === 'note') this.#live.line(event.text);
    if (event.type === 'item') this.#item(event);
    if (event.type === 'ended' || event.type === 'failed') this.#live.close();
  }

  #start(event: StartedEvent): void {
    Object.assign(this.#counts, event.outcomes);
    this.#shownDone = event.resumed;
    this.#live.line(startLine(event));
  }

  #item(event: ItemEvent): void {
    const { outcome } = event.record;
    this.#counts[outcome] = (this.#counts[outcome] ?? 0) + 1;
    const text = progressLine(event, this.#counts);
    if (!this.#live.isTerminal && !this.#isDue(event)) return;
    this.#shownAt = this.#now();
    this.#shownDone = event.done;
    this.#live.show(text);
  }

  #isDue({ done, total }: ItemEvent): boolean {
    const isLate = this.#now() - this.#shownAt >= LOG_MS;
    return isLate || done - this.#shownDone >= total / LOG_PARTS || done >= total;
  }
}

function startLine({ folder, total, resumed, config }: StartedEvent): string {
  const { model, dataset } = config;
  const before = resumed > 0 ? `, ${resumed} of them finished before` : '';
  return `${modelTitle(model)} on ${countOf(total, 'item')} of ${dataset.name}${before}; kept in ${folder}`;
}
