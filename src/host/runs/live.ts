import * as vscode from 'vscode';
import type { EvalEvent } from '../../protocol/eval.ts';
import { rate } from '../../protocol/figures.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { isSilent } from '../errors.ts';
import type { ModelChoice } from '../models/choice.ts';
import { reportError } from '../report.ts';
import { evalEnvironment } from '../tests/command-line.ts';
import { runEvalChild } from '../tests/eval-child.ts';
import { afterEvent, type RunEntry } from './entry.ts';
import { etaInWords, runLabel, shareInShort } from './look.ts';

/** An evaluation to be run. */
export interface EvalOrder {
  /** The words behind `sql-agent`. */
  words: readonly string[];
  /** Working folder. */
  cwd: string;
  results: string;
  model: ModelChoice;
  /** What is evaluated, for people, until the run has begun. */
  title: string;
}

/** Pause in which progress is gathered, in milliseconds. */
const PAUSE_MS = 250;

/** One evaluation of this window. */
export interface LiveEval {
  readonly title: string;
  /** null until it has begun. */
  readonly entry: RunEntry | null;
  stop(): void;
}

class Live implements LiveEval {
  readonly title: string;
  readonly controller = new AbortController();
  entry: RunEntry | null = null;
  lastNote: string | null = null;

  constructor(title: string) {
    this.title = title;
  }

  stop(): void {
    this.controller.abort();
  }
}

/** The evaluations that this window runs, each in a process of its own; their progress stands in the status bar. */
export class LiveEvals extends Disposable {
  readonly #ctx: Ctx;
  readonly #changed = this._register(new vscode.EventEmitter<RunEntry | null>());
  /** Fires with a run that went on; with null where one began or ended. */
  readonly onDidChange = this.#changed.event;
  readonly #status: vscode.StatusBarItem;
  #running: Live[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: Ctx) {
    super();
    this.#ctx = ctx;
    this.#status = this._register(
      vscode.window.createStatusBarItem('sqlAgent.evaluation', vscode.StatusBarAlignment.Left, 0),
    );
    this.#status.name = 'SQL Agent: Evaluation';
    this.#status.command = 'sqlAgent.stopEvaluation';
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    for (const live of this.#running) live.stop();
    super.dispose();
  }

  /** Those at work, the latest last. */
  get running(): readonly LiveEval[] {
    return this.#running;
  }

  /** Runs an evaluation. @returns the run, or null where it was stopped before it had begun. @throws AppError why it failed */
  async run(order: EvalOrder): Promise<RunEntry | null> {
    const live = new Live(order.title);
    this.#running.push(live);
    this.#follow();
    const progress = { location: { viewId: 'sqlAgent.runs' }, title: order.title };
    try {
      await vscode.window.withProgress(progress, async () => await this.#work(order, live));
    } catch (error) {
      if (!isSilent(error)) throw error;
    } finally {
      this.#running = this.#running.filter((other) => other !== live);
      this.#follow();
      this.#changed.fire(null);
    }
    return live.entry;
  }

  async #work({ words, cwd, results, model }: EvalOrder, live: Live): Promise<void> {
    const key = model.provider === 'openai' ? await this.#ctx.serverKey(model.address) : null;
    this.#ctx.log.info(`sql-agent ${words.join(' ')}`);
    const env = evalEnvironment(process.env, this.#ctx.storage, key);
    const onEvent = async (event: EvalEvent) => this.#take(live, event, results);
    const onOther = (line: string) => this.#ctx.log.debug(`evaluation: ${line}`);
    await runEvalChild({ words, cwd, env, onEvent, onOther }, live.controller.signal);
  }

  #take(live: Live, event: EvalEvent, results: string): void {
    if (event.type === 'note') this.#ctx.log.info(`evaluation: ${event.text}`);
    const before = live.entry;
    live.entry = afterEvent(before, event, results, new Date().toISOString());
    if (before === null && live.entry !== null) this.#changed.fire(null);
    this.#timer ??= setTimeout(() => this.#tell(), PAUSE_MS);
  }

  #tell(): void {
    this.#timer = undefined;
    this.#draw();
    for (const { entry } of this.#running) if (entry !== null) this.#changed.fire(entry);
  }

  /** An evaluation began or ended. */
  #follow(): void {
    this.#draw();
    void vscode.commands.executeCommand('setContext', 'sqlAgent.isEvaluating', this.#running.length > 0);
  }

  #draw(): void {
    const live = this.#running.at(-1);
    if (live === undefined) {
      this.#status.hide();
      return;
    }
    const { entry } = live;
    const more = this.#running.length > 1 ? ` (+${this.#running.length - 1})` : '';
    this.#status.text = `$(sync~spin) ${entry === null ? 'Evaluation begins' : progressText(entry)}${more}`;
    this.#status.tooltip = `${entry === null ? live.title : `${runLabel(entry)} on ${entry.config.dataset.name}`}\n${entry === null ? '' : shareInShort(entry.share)}\nClick to stop it or to show it`;
    this.#status.accessibilityInformation = {
      label: `Evaluation: ${entry === null ? 'begins' : progressText(entry)}. Stop or show.`,
      role: 'button',
    };
    this.#status.show();
  }
}

/** `EX 62.4 %, 120 of 521, 4 min left` */
function progressText({ share, done, total, etaMs }: RunEntry): string {
  const found = share === null || share.of === 0 ? '' : `EX ${rate(share)}`;
  return [found, `${done} of ${total}`, etaMs === null ? '' : etaInWords(etaMs)]
    .filter((part) => part !== '')
    .join(', ');
}

/** Runs an evaluation and says how it ended. */
export async function runAndTell(ctx: Ctx, lives: LiveEvals, order: EvalOrder): Promise<void> {
  try {
    const run = await lives.run(order);
    if (run === null) return;
    const said = `${run.state === 'done' ? 'Evaluation done' : 'Evaluation stopped'}: ${runLabel(run)} on ${run.config.dataset.name}, EX ${shareInShort(run.share) || 'unknown'}, ${run.done} of ${run.total} items.`;
    const open = 'Open Report';
    if ((await vscode.window.showInformationMessage(said, open)) === open)
      await vscode.commands.executeCommand('sqlAgent.openReport', run.id);
  } catch (error) {
    reportError(ctx, 'Run Evaluation', error);
  }
}
