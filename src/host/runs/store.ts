import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lastLines } from '../../core/ledger/run-row.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { ItemRecord, RunFile } from '../../protocol/eval.ts';
import type { EvalLine, LedgerLine } from '../../protocol/ledger.ts';
import { isAlive } from '../../runtime/alive.ts';
import { ITEMS_FILE, readItems } from '../../runtime/evals/eval-items.ts';
import { hasRun, RUN_FILE, readRunFile } from '../../runtime/evals/run-folder.ts';
import { type LoadedRun, loadRun } from '../../runtime/evals/run-of.ts';
import { LEDGER_FILE, Ledger } from '../../runtime/store/ledger.ts';
import { entryOfFile, entryOfLine, type RunEntry } from './entry.ts';
import { runGone } from './errors.ts';

/** Runs whose items are kept in memory. */
const KEPT = 4;

/** What the results folders of a window hold. */
export interface RunList {
  runs: RunEntry[];
  /** What could not be read, a sentence each. */
  problems: string[];
}

interface LedgerRead {
  stamp: string;
  lines: EvalLine[];
  problems: string[];
}

async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found === null ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** What a store needs of its window. */
export interface StoreNeeds {
  /** Absolute paths of the results folders; they may not exist. */
  folders(): string[];
  log: { debug(text: string): void; warn(text: string): void; error(text: string, error?: unknown): void };
}

/** Reads what the results folders hold; what did not change is not read again. */
export class RunStore {
  readonly #needs: StoreNeeds;
  readonly #ledgers = new Map<string, LedgerRead>();
  readonly #items = new Map<string, { stamp: string; records: ItemRecord[] }>();

  constructor(needs: StoreNeeds) {
    this.#needs = needs;
  }

  /** All runs, in no order. */
  async list(): Promise<RunList> {
    const lists = await Promise.all(this.#needs.folders().map((results) => this.#listFolder(results)));
    return { runs: lists.flatMap(({ runs }) => runs), problems: lists.flatMap(({ problems }) => problems) };
  }

  /** @param isInside it lies in a results folder: those in it are not looked for */
  async #listFolder(results: string, isInside = false): Promise<RunList> {
    try {
      const { lines, problems } = await this.#ledger(results);
      const recorded = lines.map((line) => entryOfLine(line, results));
      const known = new Set(recorded.map(({ id }) => id));
      const names = await readdir(results).catch(() => []);
      const others = names.filter((name) => !known.has(name)).map((name) => join(results, name));
      const unfinished = await Promise.all(others.map((folder) => this.#unfinishedRun(results, folder, known)));
      const inside = isInside ? [] : await Promise.all(others.map((folder) => this.#listInside(folder)));
      return {
        runs: [...recorded, ...unfinished.filter((run) => run !== null), ...inside.flatMap(({ runs }) => runs)],
        problems: [...problems, ...inside.flatMap((list) => list.problems)],
      };
    } catch (error) {
      this.#needs.log.error(`the runs of ${results} cannot be listed`, error);
      return { runs: [], problems: [toWireError(error).message] };
    }
  }

  async #ledger(results: string): Promise<LedgerRead> {
    const stamp = await stampOf(join(results, LEDGER_FILE));
    const known = this.#ledgers.get(results);
    if (known?.stamp === stamp) return known;
    const { lines, problems } = await new Ledger(results).read();
    const read = { stamp, lines: evaluations(lines), problems };
    this.#ledgers.set(results, read);
    return read;
  }

  /** The runs of a folder that has a ledger of its own, such as one that others published. */
  async #listInside(folder: string): Promise<RunList> {
    const hasLedger = (await stampOf(join(folder, LEDGER_FILE))) !== '';
    return hasLedger ? await this.#listFolder(folder, true) : { runs: [], problems: [] };
  }

  /** A run that has a folder and no line in the ledger; null where the folder is none. */
  async #unfinishedRun(results: string, folder: string, known: ReadonlySet<string>): Promise<RunEntry | null> {
    if (!(await hasRun(folder))) return null;
    try {
      const file = await readRunFile(folder);
      if (known.has(file.run_id)) return null;
      const [done, isAtWork] = [await countLines(join(folder, ITEMS_FILE)), await isLocked(folder)];
      return entryOfFile(file, { results, folder }, { done, isAtWork });
    } catch (error) {
      this.#needs.log.warn(toWireError(error).message);
      return null;
    }
  }

  /** The run of an id. @throws AppError `run_gone` */
  async find(id: string): Promise<RunEntry> {
    const { runs } = await this.list();
    const run = runs.find((candidate) => candidate.id === id);
    if (!run) throw runGone(id);
    return run;
  }

  /** A run as it is reported and compared. @throws AppError `run_gone`, and of `loadRun` */
  async load(id: string): Promise<LoadedRun> {
    const { results, folder, state } = await this.find(id);
    const isRecorded = state === 'done' || state === 'stopped';
    return await loadRun(new Ledger(results), isRecorded ? id : folder);
  }

  /** What the run began with; null where its file is gone or damaged. */
  async fileOf({ folder }: Pick<RunEntry, 'folder'>): Promise<RunFile | null> {
    try {
      return await readRunFile(folder);
    } catch (error) {
      this.#needs.log.debug(`${join(folder, RUN_FILE)}: ${toWireError(error).message}`);
      return null;
    }
  }

  /** The finished items of a run, in the order of its dataset. */
  async records(run: Pick<RunEntry, 'folder'>): Promise<ItemRecord[]> {
    const { folder } = run;
    const stamp = await stampOf(join(folder, ITEMS_FILE));
    const known = this.#items.get(folder);
    if (known?.stamp === stamp) return known.records;
    const [{ records, notes }, file] = [await readItems(folder), await this.fileOf(run)];
    for (const note of notes) this.#needs.log.warn(`${folder}: ${note}`);
    const places = new Map(file?.ids.map((id, index) => [id, index]));
    const placeOf = ({ id }: ItemRecord) => places.get(id) ?? places.size;
    const ordered = records.toSorted((a, b) => placeOf(a) - placeOf(b));
    this.#items.delete(folder);
    this.#items.set(folder, { stamp, records: ordered });
    const oldest = this.#items.keys().next();
    if (this.#items.size > KEPT && !oldest.done) this.#items.delete(oldest.value);
    return ordered;
  }
}

/** The last line of each run, newest first. */
function evaluations(lines: readonly LedgerLine[]): EvalLine[] {
  return lastLines(
    lines.filter((line) => line.kind === 'eval'),
    ({ run_id }) => run_id,
  );
}

async function countLines(path: string): Promise<number> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

/** Whether a process works on the run of a folder. */
async function isLocked(folder: string): Promise<boolean> {
  const pid = await readFile(join(folder, 'lock'), 'utf8').catch(() => '');
  return pid !== '' && isAlive(Number(pid));
}
