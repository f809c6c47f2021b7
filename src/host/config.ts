import * as vscode from 'vscode';
import { Disposable } from './disposable.ts';
import { NAMESPACE } from './ids.ts';
import type { Log } from './log.ts';
import { parseSetting, type SettingName, type SettingValue } from './settings.ts';

/** What a question and its queries are run with. */
export interface AskSettings {
  link: SettingValue<'ask.link'>;
  turns: number;
  samples: number;
  timeoutMs: number;
  maxRows: number;
}

/** The user's settings, parsed when read. */
export class Config extends Disposable {
  readonly #log: Log;
  readonly #changed = this._register(new vscode.EventEmitter<vscode.ConfigurationChangeEvent>());
  /** Fires when a setting of ours changed. */
  readonly onDidChange = this.#changed.event;

  constructor(log: Log) {
    super();
    this.#log = log;
    this._register(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(NAMESPACE)) this.#changed.fire(event);
      }),
    );
  }

  /**
   * The value of a setting; its fallback, with a line in the log, where it makes no sense.
   * @param folder of the workspace whose own value counts, for settings that a folder may have
   */
  get<Name extends SettingName>(name: Name, folder?: vscode.Uri): SettingValue<Name> {
    const { value, problem } = parseSetting(name, vscode.workspace.getConfiguration(NAMESPACE, folder).get(name));
    if (problem !== null) this.#log.warn(problem);
    return value;
  }

  /** Writes a setting for the user, not for the workspace: models are no property of a folder. */
  async set<Name extends SettingName>(name: Name, value: SettingValue<Name>): Promise<void> {
    const target = vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration(NAMESPACE).update(name, value, target);
  }

  ask(folder?: vscode.Uri): AskSettings {
    return {
      link: this.get('ask.link', folder),
      turns: this.get('ask.turns', folder),
      samples: this.get('ask.samples', folder),
      timeoutMs: this.get('query.timeoutSeconds', folder) * 1000,
      maxRows: this.get('query.maxRows', folder),
    };
  }
}
