import { dirname, resolve } from 'node:path';
import { summarise } from '../../core/evals/summary.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ItemRecord, RunFile } from '../../protocol/eval.ts';
import type { EvalLine } from '../../protocol/ledger.ts';
import { Ledger } from '../store/ledger.ts';
import { outputProblem } from '../store/ledger-outputs.ts';
import { noRun } from './eval-errors.ts';
import { ITEMS_FILE, readItems } from './eval-items.ts';
import { hasRun, listRuns, readRun, timesOf } from './run-folder.ts';
import { runOutputMissing } from './run-of-errors.ts';

/** A run as it is reported and compared. */
export interface LoadedRun {
  line: EvalLine;
  /** In the order of the dataset where the run's folder tells it, else in that of finishing. */
  records: ItemRecord[];
  /** Absolute path of the run's folder. */
  folder: string;
  /** What is wrong with the run's files, a sentence each. */
  notes: string[];
}

/**
 * Reads a run, finished or not.
 *
 * @param named an id, a part that no other id has, `latest`, `latest~N`, or the path of a run's folder
 * @param cwd where a relative path begins
 * @throws AppError `run_unknown`, `run_ambiguous`, `ledger_no_runs`, `run_missing`, `run_damaged`, `run_output_missing`
 */
export async function loadRun(ledger: Ledger, named: string, cwd = process.cwd()): Promise<LoadedRun> {
  const path = resolve(cwd, named);
  if (named !== '' && (await hasRun(path))) return await loadFolder(ledger, path);
  if (/[\\/]/.test(named)) throw noRun(path);
  try {
    return await loadLine(ledger, await ledger.find(named));
  } catch (error) {
    const folder = isUnknown(error) ? await unfinishedRun(ledger.folder, named) : null;
    if (folder === null) throw error;
    return await loadFolder(ledger, folder);
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'run_unknown' || error.code === 'ledger_no_runs');
}

/** The folder of the one run, without a line in the ledger, that a part of an id names. */
async function unfinishedRun(results: string, named: string): Promise<string | null> {
  if (named.trim() === '') return null;
  const [only, ...others] = (await listRuns(results)).filter(({ file }) => file.run_id.includes(named));
  return only !== undefined && others.length === 0 ? only.folder : null;
}

async function loadLine(ledger: Ledger, line: EvalLine): Promise<LoadedRun> {
  const folder = dirname(resolve(ledger.folder, line.output.path));
  const problem = await outputProblem(ledger.folder, line);
  if (problem === 'is not there') throw runOutputMissing(line.run_id, resolve(ledger.folder, line.output.path));
  const notes =
    problem === null ? [] : [`${ITEMS_FILE} of run ${line.run_id} ${problem}; the ledger's figures may not be of it.`];
  const read = (await hasRun(folder)) ? await readRun(folder) : { file: null, ...(await readItems(folder)) };
  return { line, records: inOrder(read.records, read.file), folder, notes: [...notes, ...read.notes] };
}

/** A run by its folder: with its line in the ledger given or in that beside the folder, else with one made of its items. */
async function loadFolder(ledger: Ledger, folder: string): Promise<LoadedRun> {
  for (const book of [ledger, new Ledger(dirname(folder))]) {
    const line = (await book.runs()).find(({ output }) => dirname(resolve(book.folder, output.path)) === folder);
    if (line) return await loadLine(book, line);
  }
  const { file, records, notes } = await readRun(folder);
  const note = `Run ${file.run_id} is not in the ledger: it is going on or was killed. "sql-agent eval --resume" goes on with it.`;
  return {
    line: await lineOf(folder, file, records),
    records: inOrder(records, file),
    folder,
    notes: [note, ...notes],
  };
}

function inOrder(records: readonly ItemRecord[], file: RunFile | null): ItemRecord[] {
  const places = new Map(file?.ids.map((id, index) => [id, index]));
  const place = ({ id }: ItemRecord) => places.get(id) ?? places.size;
  return [...records].sort((a, b) => place(a) - place(b));
}

/** What the ledger would say of an unfinished run, were it stopped now. What only its end tells is empty. */
async function lineOf(folder: string, file: RunFile, records: readonly ItemRecord[]): Promise<EvalLine> {
  const { run_id, started, command, config, ids } = file;
  const { written, takenMs } = await timesOf(folder, file);
  return {
    v: 1,
    kind: 'eval',
    time: new Date(written).toISOString(),
    prev: null,
    run_id,
    started,
    state: 'stopped',
    command,
    git: null,
    machine: { program: '', node: '', platform: '', cpus: 0 },
    config,
    summary: summarise(records, ids.length, takenMs),
    output: { path: resolve(folder, ITEMS_FILE), sha256: '', bytes: 0 },
  };
}
