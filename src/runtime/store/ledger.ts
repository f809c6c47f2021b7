import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { recordedWords } from '../../core/ledger/command-words.ts';
import { findRun } from '../../core/ledger/find-run.ts';
import { parseLine } from '../../core/ledger/parse-line.ts';
import { portableTraining } from '../../core/ledger/portable-training.ts';
import { lastLines, type RunRow } from '../../core/ledger/run-row.ts';
import { type EvalLine, type LedgerEntry, LedgerLine, type TrainLine } from '../../protocol/ledger.ts';
import { gitState } from '../git-state.ts';
import { ledgerChanged } from './ledger-errors.ts';
import { appendLine, lockOf, readPart, readSettled, realLedger } from './ledger-file.ts';
import type { LedgerIndex, LineProblem } from './ledger-index.ts';
import { splitLines, textOf } from './ledger-lines.ts';
import { listLedger } from './ledger-listing.ts';
import { type LedgerCheck, type VerifyOptions, verifyLedger } from './ledger-verify.ts';
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

/** A line, and as it stands in the file: fields that a newer version added are still in the text. */
export interface TextLine<T = EvalLine> {
  line: T;
  text: string;
}

export interface LedgerList {
  /** Newest first. */
  rows: RunRow[];
  /** Runs that there are. */
  total: number;
  /** Lines that cannot be read, a sentence each. */
  problems: string[];
}

/** A path relative to a folder, with `/`; either may be named by way of links. */
async function pathFrom(folder: string, path: string): Promise<string> {
  const full = resolve(folder, path);
  const plain = relative(folder, full);
  const real = (file: string) => realpath(file).catch(() => file);
  const told = plain.startsWith('..') ? relative(await real(folder), await real(full)) : plain;
  return told.split(sep).join('/');
}

/** The record of a folder's evaluations: append-only JSON lines, each with the hash of the one before. See `docs/ledger.md`. */
export class Ledger {
  /** The results folder, as an absolute path. */
  readonly folder: string;
  readonly path: string;
  readonly #store: Store | null;
  readonly #onNote: (note: string) => void;
  readonly #now: () => Date;

  /** @param store where an index is kept, so that long ledgers list fast; without one every call reads the file */
  constructor(folder: string, store: Store | null = null, { onNote, now }: LedgerOptions = {}) {
    this.folder = resolve(folder);
    this.path = join(this.folder, LEDGER_FILE);
    this.#store = store;
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
    const portable = await this.#portable(entry);
    const lineOf = (prev: string | null) => LedgerLine.parse({ v: 1, time: time.toISOString(), prev, ...portable });
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
    const notes = await withLedgerLock(lockOf(real), this.path, write);
    for (const note of notes) this.#onNote(note);
    return line;
  }

  /** @throws AppError `ledger_unreadable`, `ledger_not_a_file`, `ledger_link_broken`; no file is an empty ledger */
  async read(): Promise<LedgerContent> {
    const { lines, problems } = await this.#readAll();
    return { lines, problems };
  }

  /** The last line of each evaluation, newest first. @throws AppError as `read` */
  async runs(): Promise<EvalLine[]> {
    const { runs } = await this.readTexts();
    return runs.map(({ line }) => line);
  }

  /** As `runs`, each with its text. @returns the lines that cannot be read besides, a sentence each */
  async readTexts(): Promise<{ runs: TextLine[]; problems: string[] }> {
    const { evals, problems } = await this.#readAll();
    return { runs: lastLines(evals, ({ line }) => line.run_id), problems };
  }

  /** The last line of each training run with its text, newest first. @throws AppError as `read` */
  async trainings(): Promise<TextLine<TrainLine>[]> {
    const found = splitLines(await readSettled(this.path)).flatMap((raw): TextLine<TrainLine>[] => {
      const text = textOf(raw);
      // Most lines are evaluations, which are long: they are not parsed for this.
      const parsed = /"kind"\s*:\s*"train"/.test(text) ? parseLine(text) : null;
      return parsed?.kind === 'line' && parsed.line.kind === 'train' ? [{ line: parsed.line, text }] : [];
    });
    return lastLines(found, ({ line }) => line.run_id);
  }

  /** Commit and state of the repository in which a run is started; results do not count. null: there is none. */
  async git(cwd: string): Promise<EvalLine['git']> {
    return await gitState(cwd, this.folder);
  }

  /** What a list shows of the newest runs: by the index, without reading the file. @throws AppError as `read` */
  async list(limit: number | null = null): Promise<LedgerList> {
    const { runs, total, problems } = await listLedger(this.path, this.#index, limit);
    return { rows: runs.map(({ row }) => row), total, problems: problems.map((problem) => this.#sentence(problem)) };
  }

  /**
   * @param asked an id, a beginning or part that no other id has, `latest`, or `latest~N`
   * @throws AppError `ledger_no_runs`, `run_unknown`, `run_ambiguous`, and those of `read`
   */
  async find(asked: string): Promise<EvalLine> {
    const { line } = await this.findText(asked);
    return line;
  }

  /** As `find`, with the text of the line. */
  async findText(asked: string): Promise<TextLine> {
    const { runs } = await listLedger(this.path, this.#index, null);
    const ids = runs.map(({ row }) => row.run_id);
    const run = runs[ids.indexOf(findRun(asked, ids, this.path))];
    const text = run ? (await readPart(this.path, run.start, run.length)).toString('utf8') : '';
    const parsed = parseLine(text);
    if (parsed.kind !== 'line' || parsed.line.kind !== 'eval' || parsed.line.run_id !== run?.row.run_id)
      throw ledgerChanged(this.path);
    return { line: parsed.line, text };
  }

  /** Checks chain, form and output files. @throws AppError as `read`, and `cancelled` */
  async verify(options: VerifyOptions = {}): Promise<LedgerCheck> {
    return await verifyLedger(this.path, options);
  }

  async #readAll(): Promise<LedgerContent & { evals: TextLine[] }> {
    const content = { lines: [] as LedgerLine[], evals: [] as TextLine[], problems: [] as string[] };
    for (const [index, raw] of splitLines(await readSettled(this.path)).entries()) {
      const text = textOf(raw);
      const parsed = parseLine(text);
      if (parsed.kind !== 'line') {
        content.problems.push(this.#sentence({ line: index + 1, reason: parsed.reason }));
        continue;
      }
      content.lines.push(parsed.line);
      if (parsed.line.kind === 'eval') content.evals.push({ line: parsed.line, text });
    }
    return content;
  }

  get #index(): LedgerIndex | null {
    return this.#store?.ledgers ?? null;
  }

  #sentence({ line, reason }: LineProblem): string {
    return `Line ${line} of the ledger ${this.path} ${reason}.`;
  }

  /** An entry without what only this machine can make sense of. */
  async #portable(entry: LedgerEntry): Promise<LedgerEntry> {
    const places = { cwd: process.cwd(), home: homedir() };
    const command = recordedWords(entry.command, places);
    if (entry.kind === 'open_sealed') return { ...entry, command };
    const fromHere = async <T extends { path: string }>(file: T): Promise<T> => ({
      ...file,
      path: await pathFrom(this.folder, file.path),
    });
    if (entry.kind === 'eval') return { ...entry, command, output: await fromHere(entry.output) };
    return { ...portableTraining(entry, places), command, output: entry.output && (await fromHere(entry.output)) };
  }
}
