import * as z from 'zod/mini';
import type { Channel } from '../../protocol/channel.ts';
import { Disposable, type DisposableLike } from '../disposable.ts';

/** What a channel needs of a webview. */
export interface MessagePort {
  postMessage(message: unknown): PromiseLike<boolean>;
  onDidReceiveMessage(listener: (message: unknown) => void): DisposableLike;
}

/** Whoever answers a view. */
export interface ChannelHandlers<Up> {
  /** The view begins to listen, at first and again after it was hidden: it is told everything. */
  onReady(): void;
  onMessage(message: Exclude<Up, { type: 'ready' }>): void;
  /** A message that is none of the channel's. @param problem what is wrong with it; nothing of what was typed. */
  onRefused(problem: string): void;
}

/**
 * The host's end of a channel to a webview. Messages are parsed on receipt; one that does not parse is refused. What is
 * posted before the view listens waits until it does, and comes after what `onReady` posts.
 */
export class WebviewChannel<Up extends { type: string }, Down> extends Disposable {
  readonly #port: MessagePort;
  readonly #channel: Channel<Up, Down>;
  readonly #handlers: ChannelHandlers<Up>;
  #waiting: Down[] = [];
  #ready = false;

  constructor(port: MessagePort, channel: Channel<Up, Down>, handlers: ChannelHandlers<Up>) {
    super();
    this.#port = port;
    this.#channel = channel;
    this.#handlers = handlers;
    this._register(port.onDidReceiveMessage((message) => this.#receive(message)));
  }

  /** False before the view listens and while it is hidden. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** Posts now, or when the view listens. */
  post(message: Down): void {
    if (this.isDisposed) return;
    if (this.#ready) void this.#port.postMessage(message);
    else this.#waiting.push(message);
  }

  /** The view is gone for now: what is posted waits until it is ready again. */
  suspend(): void {
    this.#ready = false;
  }

  #receive(raw: unknown): void {
    const parsed = this.#channel.up.safeParse(raw);
    if (!parsed.success) this.#handlers.onRefused(`${this.#channel.name}: ${z.prettifyError(parsed.error)}`);
    else if (parsed.data.type === 'ready') this.#begin();
    else this.#handlers.onMessage(parsed.data as Exclude<Up, { type: 'ready' }>);
  }

  #begin(): void {
    this.#ready = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#handlers.onReady();
    for (const message of waiting) this.post(message);
  }
}
