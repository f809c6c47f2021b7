import { basename } from 'node:path';
import * as vscode from 'vscode';
import { figure, stateInWords } from '../../core/training/words.ts';
import { duration } from '../../protocol/figures.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import { Disposable } from '../disposable.ts';

/** `step 120 of 840, loss 0.51, 4 min left` */
export function shortProgress({ state, status, run }: RunSnapshot): string {
  if (status === null || status.step === 0) return stateInWords(state);
  const of = run?.steps ?? status.of;
  const eta = state === 'training' ? status.eta_s : null;
  return [
    of === null ? `step ${status.step}` : `step ${status.step} of ${of}`,
    ...(status.loss === null ? [] : [`loss ${figure(status.loss, 3)}`]),
    ...(eta === null ? [] : [`${duration(eta * 1000)} left`]),
    ...(state === 'training' ? [] : [stateInWords(state)]),
  ].join(', ');
}

/** Says in the status bar how the run goes on that changed last; a click opens it. */
export class TrainingStatusBar extends Disposable {
  readonly #item = this._register(
    vscode.window.createStatusBarItem('sqlAgent.training', vscode.StatusBarAlignment.Left, 0),
  );

  constructor() {
    super();
    this.#item.name = 'SQL Agent: Training';
  }

  /** @param live the runs that trainers work on */
  show(live: readonly RunSnapshot[]): void {
    const [run, ...others] = live;
    if (run === undefined) {
      this.#item.hide();
      return;
    }
    const progress = shortProgress(run);
    const name = basename(run.folder);
    this.#item.text = `$(sync~spin) ${progress}${others.length > 0 ? ` (+${others.length})` : ''}`;
    this.#item.tooltip = `Training ${name}\n${run.message}\nClick to open it`;
    this.#item.accessibilityInformation = { label: `Training ${name}: ${progress}. Open it.`, role: 'button' };
    this.#item.command = { command: 'sqlAgent.openTraining', title: 'Open Training Run', arguments: [run.folder] };
    this.#item.show();
  }
}
