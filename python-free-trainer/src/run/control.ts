import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What somebody outside may wish of a running trainer, by dropping a file of that name. */
export type Wish = 'stop' | 'checkpoint';

/** `control/` of a run directory. */
export class Control {
  readonly #folder: string;

  /** Makes the folder; wishes that were meant for an earlier trainer are dropped. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.done('stop');
    this.done('checkpoint');
  }

  asks(wish: Wish): boolean {
    return existsSync(join(this.#folder, wish));
  }

  /** Takes the file away: the wish was done. */
  done(wish: Wish): void {
    try {
      // Somebody may have made a folder of that name.
      rmSync(join(this.#folder, wish), { recursive: true, force: true });
    } catch {
      // It may not be removed: then it is asked for again.
    }
  }
}
