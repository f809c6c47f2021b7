/** Tells of a long piece of work by a line for each tenth of it, so that a log stays short. */
export class StepProgress {
  readonly #tell: (text: string) => void;
  #shown = '';

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  show(what: string, done: number, total: number): void {
    const tenth = Math.floor((done / total) * 10);
    const key = `${what} ${tenth}`;
    if (tenth === 0 || key === this.#shown) return;
    this.#shown = key;
    this.#tell(`${what}: ${done} of ${total} (${tenth * 10} %)`);
  }
}
