import * as vscode from 'vscode';
import { Disposable } from './disposable.ts';
import { redact } from './redact.ts';

/** The one log of the extension ("SQL Agent" in the Output view). The user sets its level; secrets never reach it. */
export class Log extends Disposable {
  readonly #channel: vscode.LogOutputChannel;
  readonly #secrets = new Set<string>();

  constructor() {
    super();
    this.#channel = this._register(vscode.window.createOutputChannel('SQL Agent', { log: true }));
  }

  /** Hides `secret` wherever it would be logged from now on. */
  hide(secret: string): void {
    this.#secrets.add(secret);
  }

  debug(text: string): void {
    this.#channel.debug(this.#clean(text));
  }

  info(text: string): void {
    this.#channel.info(this.#clean(text));
  }

  warn(text: string): void {
    this.#channel.warn(this.#clean(text));
  }

  /** Logs anything thrown, with its stack and causes. */
  error(text: string, error?: unknown): void {
    this.#channel.error(this.#clean(error === undefined ? text : `${text}: ${describe(error)}`));
  }

  /** Shows the log in the Output view. */
  show(): void {
    this.#channel.show();
  }

  #clean(text: string): string {
    return redact(text, this.#secrets);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${describe(error.cause)}`;
}
