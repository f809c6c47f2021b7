import { basename } from 'node:path';
import * as vscode from 'vscode';
import { trainingDifferences } from '../../core/training/differences.ts';
import { isActive } from '../../core/training/words.ts';
import { RUN_FILES } from '../../protocol/training.ts';
import { type Side, type TrainingDown, type TrainingUp, trainingChannel } from '../../protocol/training-view.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { reportError } from '../report.ts';
import type { WebviewChannel } from '../webview/channel.ts';
import { openWebview } from '../webview/open.ts';
import { RunSide, type SideNews } from './side.ts';

type Message = Exclude<TrainingUp, { type: 'ready' }>;

/** Pause between two looks at a run that goes on, and at one that does not, in milliseconds. */
const LIVE_MS = 1000;
const STILL_MS = 5000;

/** The view of a training run, and of another that it is compared with. */
export class TrainingPanel extends Disposable {
  readonly #ctx: Ctx;
  readonly #panel: vscode.WebviewPanel;
  readonly #channel: WebviewChannel<TrainingUp, TrainingDown>;
  readonly #a: RunSide;
  #b: RunSide | null = null;
  #differences = '';
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #again = false;
  #problem = '';

  constructor(ctx: Ctx, panel: vscode.WebviewPanel, folder: string, other: string | null) {
    super();
    this.#ctx = ctx;
    this.#panel = panel;
    this.#a = new RunSide(folder);
    this.#b = other === null ? null : new RunSide(other);
    panel.title = basename(folder);
    panel.iconPath = ctx.asset('media', 'icon.svg');
    this.#channel = this._register(
      openWebview(ctx, panel, 'training', trainingChannel, {
        onReady: () => this.#tellAll(),
        onMessage: (message) => void this.#receive(message),
      }),
    );
    // What was read before the view is there waits in the sides, not in messages.
    void this.look();
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    super.dispose();
  }

  #tellAll(): void {
    this.#a.forget();
    this.#b?.forget();
    this.#differences = '';
    void this.#tellSoFar();
    void this.look();
  }

  /** A long run is seen before it is read to its end. What is the matter with it, if anything, the look tells. */
  async #tellSoFar(): Promise<void> {
    const news = await this.#a.soFar().catch(() => null);
    if (news !== null) this.#post('a', this.#a, news);
  }

  /** Reads what is new, and tells the view. A call during another has it look once more. */
  look(): Promise<void> {
    this.#again = true;
    this.#looking ??= this.#lookOften().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookOften(): Promise<void> {
    while (this.#again && !this.isDisposed) {
      this.#again = false;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    let pause = STILL_MS;
    try {
      const a = await this.#tell('a', this.#a);
      const b = this.#b === null ? null : await this.#tell('b', this.#b);
      this.#tellDifferences(a, b);
      if (isActive(a.state)) pause = LIVE_MS;
      this.#problem = '';
    } catch (error) {
      // Said once, not at every look.
      if (String(error) !== this.#problem) reportError(this.#ctx, 'Training', error);
      this.#problem = String(error);
    }
    if (!this.isDisposed && this.#panel.visible) this.#timer = setTimeout(() => void this.look(), pause);
  }

  /** Before the view listens, a run is read and nothing is told. */
  async #tell(run: Side, side: RunSide): Promise<RunSnapshot> {
    const news = await side.look();
    this.#post(run, side, news);
    return news.snapshot;
  }

  #post(run: Side, side: RunSide, { facts, marks, change }: SideNews): void {
    if (!this.#channel.isReady) return;
    if (facts !== null) this.#channel.post({ type: 'facts', run, facts });
    if (marks !== null) this.#channel.post({ type: 'marks', run, marks });
    if (change !== null) this.#channel.post({ type: 'buckets', run, range: side.stream.range, ...change });
  }

  #tellDifferences(a: RunSnapshot, b: RunSnapshot | null): void {
    const known = a.run === null || b === null || b.run === null ? null : [a.run.config, b.run.config];
    const [one, other] = known ?? [];
    const differences = one === undefined || other === undefined ? null : trainingDifferences(one, other);
    const said = JSON.stringify(differences);
    if (said === this.#differences || !this.#channel.isReady) return;
    this.#differences = said;
    this.#channel.post({ type: 'differences', differences });
  }

  async #receive(message: Message): Promise<void> {
    try {
      await this.#answer(message);
    } catch (error) {
      reportError(this.#ctx, 'Training', error);
    }
  }

  async #answer(message: Message): Promise<void> {
    const { folder } = this.#a;
    switch (message.type) {
      case 'range':
        for (const side of [this.#a, this.#b]) side?.stream.show(message.range, message.points);
        return await this.look();
      case 'stop':
        return await this.#do('sqlAgent.stopTraining', 'The trainer saves the steps that are done and ends.');
      case 'checkpoint':
        return await this.#do('sqlAgent.saveTraining', 'The trainer saves after the step that it is in.');
      case 'resume':
        return await this.#do('sqlAgent.resumeTraining', null);
      case 'ask':
        await vscode.commands.executeCommand('sqlAgent.askWithAdapter', folder);
        return;
      case 'evaluate':
        await vscode.commands.executeCommand('sqlAgent.evaluateAdapter', folder);
        return;
      case 'openFolder':
        await vscode.commands.executeCommand('sqlAgent.revealTraining', folder);
        return;
      case 'openLog':
        await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.file(folder), RUN_FILES.log));
        return;
      case 'compare':
        await vscode.commands.executeCommand('sqlAgent.compareTraining', folder);
        return;
      case 'uncompare':
        this.compare(null);
        return;
    }
  }

  async #do(command: string, said: string | null): Promise<void> {
    const isDone = await vscode.commands.executeCommand(command, this.#a.folder);
    if (isDone === true && said !== null) this.#channel.post({ type: 'done', text: said });
    await this.look();
  }

  /** Draws another run over this one; null: none any more. */
  compare(other: string | null): void {
    this.#b = other === null ? null : new RunSide(other);
    const { range, points } = this.#a.stream;
    this.#b?.stream.show(range, points);
    this.#tellAll();
  }

  /** Looks again now that the panel is seen. */
  wake(): void {
    if (this.#channel.isReady) void this.look();
  }
}
