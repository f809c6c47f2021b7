import { closeSync, openSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Verdict } from '../../protocol/score.ts';
import { isAlive } from '../alive.ts';
import { verdictsOverInput, verdictsUnwritable } from './score-errors.ts';

/** Characters that are collected before they are written. */
const PIECE = 65_536;

/**
 * A file of verdicts, one JSON line each. It takes the place of what stood there before when it is whole, by a rename; until
 * then it lies beside it. A device or a pipe is written to at once.
 */
export class VerdictFile {
  readonly path: string;
  readonly #real: string;
  readonly #temporary: string | null;
  #descriptor: number | null = null;
  #waiting = '';

  /**
   * @param path a link is followed @param inputs files that must stay
   * @throws AppError `verdicts_over_input`, `verdicts_unwritable`
   */
  constructor(path: string, inputs: readonly string[] = []) {
    const real = realPath(path);
    if (inputs.some((input) => realPath(input) === real)) throw verdictsOverInput(path);
    this.path = path;
    this.#real = real;
    const stats = statSync(real, { throwIfNoEntry: false });
    this.#temporary = stats === undefined || stats.isFile() ? `${real}.${process.pid}.partial` : null;
    removeLeftovers(real);
    this.#guarded(() => {
      this.#descriptor = openSync(this.#temporary ?? real, 'w');
    });
  }

  /** @throws AppError `verdicts_unwritable` */
  add(verdict: Verdict): void {
    this.#waiting += `${JSON.stringify(verdict)}\n`;
    if (this.#waiting.length >= PIECE) this.#flush();
  }

  /** Puts the file in its place. @throws AppError `verdicts_unwritable` */
  commit(): void {
    this.#flush();
    this.#guarded(() => {
      this.#close();
      if (this.#temporary !== null) renameSync(this.#temporary, this.#real);
    });
  }

  /** Removes what was written, unless it is in its place. */
  discard(): void {
    if (this.#descriptor === null) return;
    this.#close();
    if (this.#temporary !== null) rmSync(this.#temporary, { force: true });
  }

  #flush(): void {
    const descriptor = this.#descriptor;
    if (descriptor === null) return;
    this.#guarded(() => {
      // A full disk takes a part of a piece and says so only when asked for the rest.
      let rest = Buffer.from(this.#waiting);
      while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    });
    this.#waiting = '';
  }

  #close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.discard();
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw verdictsUnwritable(this.path, code);
    }
  }
}

/** Removes what processes that were killed have left beside a file. */
function removeLeftovers(path: string): void {
  const beginning = `${basename(path)}.`;
  try {
    for (const name of readdirSync(dirname(path))) {
      const pid = name.startsWith(beginning) && /^(\d+)\.partial$/.exec(name.slice(beginning.length))?.[1];
      if (pid && !isAlive(Number(pid))) rmSync(join(dirname(path), name), { force: true });
    }
  } catch {
    // Whether the folder can be written is told when the file is opened.
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
