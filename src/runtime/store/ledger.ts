import { homedir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { recordedWords } from '../../core/ledger/command-words.ts';
import { findRun } from '../../core/ledger/find-run.ts';
import { parseLine } from '../../core/ledger/parse-line.ts';
import { lastLines } from '../../core/ledger/run-row.ts';
import { type EvalLine, type LedgerEntry, LedgerLine } from '../../protocol/ledger.ts';
import { appendLine, readWhole, realLedger } from './ledger-file.ts';
import { splitLines, textOf } from './ledger-lines.ts';
import type { Store } from './store.ts';

/** Name of the ledger in a results folder. */
export const LEDGER_FILE = 'ledger.jsonl';

export interface LedgerOptions {
  /** Told what an append repaired, a sentence each. */
  onNote?: (note: string) => void;
  /** The clock; the present by default. */
  now?: () => Date;
}

export interface LedgerContent {
  /** The lines that can be read, in the order of the file. */
  lines: LedgerLine[];
  /** The others, a sentence each. */
  problems: string[];
}

/** The record of a folder's evaluations: append-only JSON lines, each with the hash of the one before. See `docs/ledger.md`. */
export class Ledger {
  /** The results folder, as an absolute path. */
  readonly folder: string;
  readonly path: string;
  readonly store: Store | null;
  readonly #onNote: (note: string) => void;
  readonly #now: () => Date;

  /** @param store where an index is kept, so that long ledgers list fast; without one every call reads the file */
  constructor(folder: string, store: Store | null = null, { onNote, now }: LedgerOptions = {}) {
    this.folder = resolve(folder);
    this.path = join(this.folder, LEDGER_FILE);
    this.store = store;
    this.#onNote = onNote ?? (() => undefined);
    this.#now = now ?? (() => new Date());
  }

  /**
   * Writes a line behind the others. When this resolves, the disk has it. Absolute paths and secrets among the words of
   * the command are replaced, and the path of the output is made relative to the folder.
   *
   * @returns the line as written
   * @throws AppError `disk_full`, `ledger_unwritable`, `ledger_busy`, `ledger_not_a_file` …; the ledger is then as before
   */
  async append(entry: LedgerEntry): Promise<LedgerLine> {
    const time = this.#now();
    const lineOf = (prev: string | null) =>
      LedgerLine.parse({ v: 1, time: time.toISOString(), prev, ...this.#portable(entry) });
    let line = lineOf(null);
    const real = await realLedger(this.path);
    const { withLedgerLock } = await import('./ledger-lock.ts');
    const write = () =>
      appendLine(
        real,
        (prev) => {
          line = lineOf(prev);
          return JSON.stringify(line);
        },
        time,
      );
    const notes = await withLedgerLock(`${real}.lock`, this.path, write);
    for (const note of notes) this.#onNote(note);
    return line;
  }

  /** @throws AppError `ledger_unreadable`, `ledger_not_a_file`, `ledger_link_broken`; no file is an empty ledger */
  async read(): Promise<LedgerContent> {
    const content: LedgerContent = { lines: [], problems: [] };
    for (const [index, raw] of splitLines((await readWhole(this.path)) ?? Buffer.alloc(0)).entries()) {
      const parsed = parseLine(textOf(raw));
      if (parsed.kind === 'line') content.lines.push(parsed.line);
      else content.problems.push(`Line ${index + 1} of the ledger ${this.path} ${parsed.reason}.`);
    }
    return content;
  }

  /** The last line of each evaluation, newest first. */
  async runs(): Promise<EvalLine[]> {
    const { lines } = await this.read();
    return lastLines(lines.filter((line): line is EvalLine => line.kind === 'eval'));
  }

  /**
   * @param asked an id, a beginning or part that no other id has, `latest`, or `latest~N`
   * @throws AppError `ledger_no_runs`, `run_unknown`, `run_ambiguous`, and those of `read`
   */
  async find(asked: string): Promise<EvalLine> {
    const runs = await this.runs();
    const id = findRun(
      asked,
      runs.map(({ run_id }) => run_id),
      this.path,
    );
    const run = runs.find(({ run_id }) => run_id === id);
    if (!run) throw new Error(`The run ${id} was found and lost.`);
    return run;
  }

  #portable(entry: LedgerEntry): LedgerEntry {
    const command = recordedWords(entry.command, { cwd: process.cwd(), home: homedir() });
    if (entry.kind !== 'eval') return { ...entry, command };
    const path = relative(this.folder, resolve(this.folder, entry.output.path)).split(sep).join('/');
    return { ...entry, command, output: { ...entry.output, path } };
  }
}
