/** Anything that can be disposed; VS Code's own disposables fit. */
export interface DisposableLike {
  dispose(): unknown;
}

/**
 * Base of whatever owns disposables. They are disposed once, in reverse order of registration; what is registered after
 * disposal is disposed at once, so that a late `await` leaks nothing.
 */
export class Disposable implements DisposableLike {
  #owned: DisposableLike[] = [];
  #disposed = false;

  /** True once `dispose` was called. */
  get isDisposed(): boolean {
    return this.#disposed;
  }

  /** Owns `item` and returns it. */
  protected _register<T extends DisposableLike>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#owned.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const owned = this.#owned.reverse();
    this.#owned = [];
    for (const item of owned) item.dispose();
  }
}
