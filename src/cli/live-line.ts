import type { ProgressTarget } from './pull-progress.ts';

/** A line at the end of a terminal that changes in place; where there is no terminal, lines one below the other. */
export class LiveLine {
  readonly #target: ProgressTarget;
  readonly #width: number;
  #isOpen = false;

  /** @param width of the terminal in columns */
  constructor(target: ProgressTarget, width: number) {
    this.#target = target;
    this.#width = width;
  }

  /** True where a line can be changed in place. */
  get isTerminal(): boolean {
    return this.#target.isTerminal;
  }

  /** Shows `text` in place of what was shown last. */
  show(text: string): void {
    if (!this.isTerminal) {
      this.#target.line(text);
      return;
    }
    // A line that wraps could not be taken back.
    const fitting = text.slice(0, Math.max(1, this.#width - 1));
    this.#target.write(`\r${fitting}\u001b[K`);
    this.#isOpen = true;
  }

  /** A line that stays, above what is shown next. */
  line(text: string): void {
    this.close();
    this.#target.line(text);
  }

  /** Leaves what is shown as it is. */
  close(): void {
    if (this.#isOpen) this.#target.write('\n');
    this.#isOpen = false;
  }
}
