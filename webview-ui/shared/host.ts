import type * as z from 'zod/mini';
import type { Channel } from '../../src/protocol/channel.ts';

/** What VS Code gives a webview, once. */
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

/** The extension host as a webview sees it. */
export class Host<Up extends { type: string }, Down> {
  readonly #api = acquireVsCodeApi();
  readonly #channel: Channel<Up, Down>;

  constructor(channel: Channel<Up, Down>) {
    this.#channel = channel;
  }

  /** Hands every message to `receive`, parsed. A message that does not parse is a mistake of ours and is thrown. */
  listen(receive: (message: Down) => void): void {
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => receive(this.#channel.down.parse(data)));
  }

  post(message: Up): void {
    this.#api.postMessage(message);
  }

  /** What was remembered before the view was hidden or the window reloaded; null where there is nothing that fits. */
  recall<T>(schema: z.ZodMiniType<T>): T | null {
    const parsed = schema.safeParse(this.#api.getState());
    return parsed.success ? parsed.data : null;
  }

  remember(state: object): void {
    this.#api.setState(state);
  }
}

/** Sends a message up from inside an element: whoever owns the host posts it. */
export function send<Up>(from: HTMLElement, message: Up): void {
  from.dispatchEvent(new CustomEvent<Up>('send', { detail: message, bubbles: true, composed: true }));
}
