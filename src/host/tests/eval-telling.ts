import type * as vscode from 'vscode';
import { modelTitle } from '../../core/evals/model-title.ts';
import { countOf } from '../../core/signals/describe.ts';
import type { EvalEvent, ItemRecord } from '../../protocol/eval.ts';
import { interval, rate } from '../../protocol/figures.ts';
import type { BinaryMetric } from '../../protocol/score.ts';
import { outputText, type Telling, tellRecord } from './messages.ts';
import { Slices } from './slices.ts';
import type { Suite } from './suite.ts';

/** Tells a test run what an evaluation tells, in slices: states, messages, output; and the suite what came of each item. */
export class EvalTelling {
  readonly #run: vscode.TestRun;
  readonly #suite: Suite;
  readonly #slices: Slices<EvalEvent>;
  #runId = '';
  #metric: BinaryMetric = 'official_ex';

  readonly #brief: boolean;

  /** @param brief items are told without what stands in the output of each */
  constructor(run: vscode.TestRun, suite: Suite, brief: boolean) {
    this.#run = run;
    this.#suite = suite;
    this.#brief = brief;
    this.#slices = new Slices((event) => this.#tell(event));
  }

  /** Takes an event; resolves when there is room for the next. */
  async take(event: EvalEvent): Promise<void> {
    await this.#slices.push(event);
  }

  /** Ends when all has been told. */
  async end(): Promise<void> {
    await this.#slices.drained();
  }

  #tell(event: EvalEvent): void {
    if (event.type === 'item') {
      this.#tellItem(event.record);
      return;
    }
    if (event.type === 'started') {
      this.#runId = event.run_id;
      this.#metric = event.config.metric;
    }
    this.#run.appendOutput(outputText(`${this.#words(event)}\n`));
  }

  #words(event: Exclude<EvalEvent, { type: 'item' }>): string {
    switch (event.type) {
      case 'started':
        return `${event.run_id}: ${countOf(event.total, 'item')}, ${modelTitle(event.config.model)}`;
      case 'note':
        return event.text;
      case 'ended': {
        const share = event.summary.shares[this.#metric];
        if (!share) return `${event.run_id}: ${event.state}`;
        const { right, of } = share;
        return `${event.run_id}: ${right} of ${of} right under ${this.#metric}, ${rate(share)} (95 %: ${interval(share)})`;
      }
      case 'failed':
        return event.error.message;
    }
  }

  #tellItem(record: ItemRecord): void {
    const line = this.#suite.lineOf(record.id);
    if (!line) return;
    const telling: Telling = { run: this.#run, runId: this.#runId, metric: this.#metric, brief: this.#brief };
    tellRecord(telling, line, record);
    this.#suite.setLast(record.id, { outcome: record.outcome, runId: this.#runId });
  }
}
