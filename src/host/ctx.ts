import * as vscode from 'vscode';
import type { Provider } from '../core/ports.ts';
import type { Engine } from '../runtime/engine.ts';
import { storageFolder } from '../runtime/paths.ts';
import { Config } from './config.ts';
import { Disposable, type DisposableLike } from './disposable.ts';
import { untrustedWorkspace } from './errors.ts';
import { Log } from './log.ts';
import type { ModelChoice } from './models/choice.ts';
import { ProviderLeases } from './models/leases.ts';
import { currentChoice, recipeOf } from './models/provider.ts';
import { readKey } from './models/secrets.ts';
import type { Runs } from './runs/runs.ts';
import type { Trainings } from './train/trainings.ts';

/** What every part of the host is given: made once in `activate`, passed by parameter. */
export class Ctx extends Disposable {
  readonly extension: vscode.ExtensionContext;
  readonly log: Log;
  readonly config: Config;
  /** Absolute path of the storage folder, shared with the command line. May not exist yet. */
  readonly storage: string;
  /** Fired to have the Databases view look again. */
  readonly refreshDatabases = this._register(new vscode.EventEmitter<void>());
  /** Fired to have a table shown in the open editors of its database. */
  readonly revealTable = this._register(new vscode.EventEmitter<{ db: string; table: string }>());
  /** Fired to open the ask panel of a database, with text for the box of the question where `question` is not null. */
  readonly openAsk = this._register(
    new vscode.EventEmitter<{ db: string; question: string | null; evidence?: string }>(),
  );
  /** Fired to open the diagnosis panel of a database, with a query in it ('': none). */
  readonly openDiagnosis = this._register(new vscode.EventEmitter<{ db: string; sql: string }>());
  /** Fired to have the Runs view look again. */
  readonly refreshRuns = this._register(new vscode.EventEmitter<void>());
  /** Fired where a suite file was written, so that the Test Explorer need not wait for the disk to say so. */
  readonly suiteWritten = this._register(new vscode.EventEmitter<vscode.Uri>());
  readonly #providers = this._register(new ProviderLeases());
  #engine: Promise<Engine> | null = null;
  #runs: Promise<Runs> | null = null;
  #trainings: Promise<Trainings> | null = null;

  constructor(extension: vscode.ExtensionContext) {
    super();
    this.extension = extension;
    this.log = this._register(new Log());
    this.config = this._register(new Config(this.log));
    this.storage = storageFolder();
  }

  /** Owns `item` until the extension ends. */
  own<T extends DisposableLike>(item: T): T {
    return this._register(item);
  }

  /** A file of the extension's own, e.g. `dist/webview/ask.js`. */
  asset(...path: string[]): vscode.Uri {
    return vscode.Uri.joinPath(this.extension.extensionUri, ...path);
  }

  /** The engine, opened on first use: sandbox children, caches, the store. It is disposed with the extension. */
  engine(): Promise<Engine> {
    this.#engine ??= this.#openEngine();
    return this.#engine;
  }

  async #openEngine(): Promise<Engine> {
    const started = performance.now();
    try {
      const { openEngine } = await import('../runtime/engine.ts');
      const engine = await openEngine({ storage: this.storage });
      this._register(engine);
      this.log.debug(`engine opened in ${(performance.now() - started).toFixed(0)} ms`);
      return engine;
    } catch (error) {
      // What stood in the way may be gone at the next try.
      this.#engine = null;
      throw error;
    }
  }

  /** The evaluations of this window, loaded on first use: their list, their panels, those at work. */
  runs(): Promise<Runs> {
    this.#runs ??= import('./runs/runs.ts').then(({ Runs }) => this._register(new Runs(this)));
    return this.#runs;
  }

  /** The training runs that this window knows, loaded on first use. */
  trainings(): Promise<Trainings> {
    this.#trainings ??= import('./train/trainings.ts').then(({ Trainings }) => this._register(new Trainings(this)));
    return this.#trainings;
  }

  /** Which model the settings choose. @throws AppError where they leave something open. */
  modelChoice(): Promise<ModelChoice> {
    return currentChoice(this.config, this.storage);
  }

  /**
   * The provider of the model that the settings choose, for one question: dispose it when the question is answered. The
   * model itself stays loaded for the next one.
   * @throws AppError where the settings leave something open, `untrusted_workspace` in Restricted Mode.
   */
  async provider(): Promise<Provider> {
    this.requireTrust('Asking');
    const choice = await this.modelChoice();
    const { key, make } = await recipeOf(choice, this.storage, (address) => this.serverKey(address));
    const accuracy = await this.#accuracyOf(choice);
    const provider = this.#providers.lease(key, make);
    return accuracy === null ? provider : { ...provider, model: { ...provider.model, accuracy } };
  }

  /** What an adapter of the user's was measured to be; null where another model answers, or nothing was measured. */
  async #accuracyOf(choice: ModelChoice): Promise<string | null> {
    if (choice.provider !== 'local' || choice.adapter === null) return null;
    const { adapterAccuracy } = await import('./models/accuracy.ts');
    return await adapterAccuracy(this, choice.adapter);
  }

  /** The API key kept for a server; null where there is none. It is hidden from the log from here on. */
  async serverKey(address: string): Promise<string | null> {
    const key = await readKey(this.extension.secrets, address);
    if (key !== null) this.log.hide(key);
    return key;
  }

  /** @throws AppError `untrusted_workspace` in Restricted Mode. @param what begins a sentence, e.g. "Asking". */
  requireTrust(what: string): void {
    if (!vscode.workspace.isTrusted) throw untrustedWorkspace(what);
  }
}
