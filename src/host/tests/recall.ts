import * as vscode from 'vscode';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { EvalLine } from '../../protocol/ledger.ts';
import type { Ctx } from '../ctx.ts';
import { knownRecords } from './last-results.ts';
import { tellRecord } from './messages.ts';
import { resultsFolderOf } from './results-folder.ts';
import { Slices } from './slices.ts';
import type { Suite } from './suite.ts';

/** The newest run of a suite, shown as if it had just been made. It is no new run: VS Code does not keep it. */
class Published {
  readonly runId: string;
  readonly #run: vscode.TestRun;
  readonly #slices: Slices<ItemRecord>;

  constructor(controller: vscode.TestController, suite: Suite, { run_id, config }: EvalLine) {
    this.runId = run_id;
    const request = new vscode.TestRunRequest([suite.item], undefined, undefined, false, true);
    const run = controller.createTestRun(request, run_id, false);
    this.#run = run;
    this.#slices = new Slices((record) => {
      const line = suite.lineOf(record.id);
      if (line) tellRecord({ run, runId: run_id, metric: config.metric, brief: true }, line, record);
    });
  }

  async add(record: ItemRecord): Promise<void> {
    await this.#slices.push(record);
  }

  async end(): Promise<void> {
    await this.#slices.drained();
    this.#run.end();
  }
}

/**
 * Finds in the ledger what came of a suite's questions when they were run last, shows it behind them, and publishes the
 * newest of those runs. Results of this window are left alone. No ledger, no results.
 */
export async function recallResults(ctx: Ctx, controller: vscode.TestController, suite: Suite): Promise<void> {
  const dataset = await suite.load();
  const { Ledger } = await import('../../runtime/store/ledger.ts');
  const ledger = new Ledger(resultsFolderOf(ctx, suite.source.folder));
  let published: Published | null = null;
  try {
    for await (const { run, record } of knownRecords(ledger, dataset)) {
      if (suite.lastOf(record.id) !== undefined) continue;
      suite.setLast(record.id, { outcome: record.outcome, runId: run.run_id });
      published ??= new Published(controller, suite, run);
      if (published.runId === run.run_id) await published.add(record);
    }
  } finally {
    await published?.end();
  }
}
