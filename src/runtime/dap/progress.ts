/** Sends an event of the protocol. */
export type SendEvent = (event: string, body: unknown) => void;

/** After so long a wait is told, in milliseconds. */
const TELL_AFTER_MS = 250;
const UPDATE_MS = 1_000;

/** Tells of work that takes long, with a way to cancel it. */
export class Progress {
  readonly #send: SendEvent;
  readonly #running = new Map<string, AbortController>();
  #lastId = 0;
  /** Whether the client shows progress. */
  isShown = false;

  constructor(send: SendEvent) {
    this.#send = send;
  }

  /** Does some work; `controller` is what cancels it. */
  async during<T>(title: string, controller: AbortController, work: () => Promise<T>): Promise<T> {
    const progressId = `progress-${++this.#lastId}`;
    let updates: NodeJS.Timeout | undefined;
    const begun = performance.now();
    const first = setTimeout(() => {
      if (!this.isShown) return;
      this.#running.set(progressId, controller);
      this.#send('progressStart', { progressId, title, cancellable: true });
      updates = setInterval(() => {
        const seconds = Math.round((performance.now() - begun) / 1_000);
        this.#send('progressUpdate', { progressId, message: `${seconds} s` });
      }, UPDATE_MS);
    }, TELL_AFTER_MS);
    try {
      return await work();
    } finally {
      clearTimeout(first);
      clearInterval(updates);
      if (this.#running.delete(progressId)) this.#send('progressEnd', { progressId });
    }
  }

  /** @returns whether there was such work */
  cancel(progressId: string): boolean {
    const controller = this.#running.get(progressId);
    controller?.abort();
    return controller !== undefined;
  }
}
