import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { configDifferences } from '../../core/evals/config-differences.ts';
import { modelTitle } from '../../core/evals/model-title.ts';
import { runId } from '../../core/evals/run-id.ts';
import { recordedWords } from '../../core/ledger/command-words.ts';
import type { ItemRecord, RunFile } from '../../protocol/eval.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import { folderTaken, otherConfiguration } from './eval-errors.ts';
import { readItems, repairItems } from './eval-items.ts';
import type { EvalRequest } from './eval-request.ts';
import {
  eachRun,
  type FoundRun,
  hasRun,
  keptPath,
  makeRunFolder,
  readRunFile,
  timesOf,
  writeRunFile,
} from './run-folder.ts';

/** A run that is ready to go on, or to begin. */
export interface OpenRun {
  folder: string;
  file: RunFile;
  /** Finished items. */
  records: ItemRecord[];
  /** Milliseconds that earlier parts of it took. */
  beforeMs: number;
  notes: string[];
}

/** Where a run is or will be. `isNew`: nothing is there yet. */
export interface RunPlace {
  folder: string;
  id: string;
  isNew: boolean;
  notes: string[];
}

function isFinished(record: ItemRecord, keepErrors: boolean): boolean {
  return keepErrors || record.outcome !== 'provider_error';
}

async function isComplete({ folder, file }: FoundRun, keepErrors: boolean): Promise<boolean> {
  const { records } = await readItems(folder, new Set(file.ids));
  return records.filter((record) => isFinished(record, keepErrors)).length >= file.ids.length;
}

function placeOfRun({ folder, file }: FoundRun): RunPlace {
  return { folder, id: file.run_id, isNew: false, notes: [] };
}

/**
 * The newest unfinished run of a configuration, else the newest finished one; null where there is none.
 *
 * @throws AppError `run_configuration_differs` where only another configuration over the same dataset is unfinished
 */
async function runToResume(results: string, config: RunConfig, keepErrors: boolean): Promise<RunPlace | null> {
  let finished: FoundRun | null = null;
  let other: { folder: string; differences: string[] } | null = null;
  for await (const run of eachRun(results)) {
    if (run.file.config.dataset.name !== config.dataset.name) continue;
    const differences = configDifferences(run.file.config, config);
    if (differences.length === 0) {
      if (!(await isComplete(run, keepErrors))) return placeOfRun(run);
      finished ??= run;
    } else if (other === null && !(await isComplete(run, keepErrors))) other = { folder: run.folder, differences };
  }
  if (finished) return placeOfRun(finished);
  if (other) throw otherConfiguration(other.folder, other.differences);
  return null;
}

/**
 * The folder that a run is to go on in, or to begin in. Nothing is written.
 *
 * @throws AppError `run_folder_taken`, `run_configuration_differs`, `run_missing`, `run_damaged`
 */
export async function placeOf(results: string, config: RunConfig, request: EvalRequest): Promise<RunPlace> {
  const id = runId(new Date(), modelTitle(config.model), config.dataset.name, randomBytes(2).toString('hex'));
  const notes = request.resume ? ['There is no run to go on with; this one begins.'] : [];
  if (request.out === null) {
    const found = request.resume ? await runToResume(results, config, request.keepErrors) : null;
    return found ?? { folder: join(results, id), id, isNew: true, notes };
  }
  const folder = resolve(request.cwd, request.out);
  if (!(await hasRun(folder))) return { folder, id, isNew: true, notes };
  if (!request.resume) throw folderTaken(folder);
  const file = await readRunFile(folder);
  const differences = configDifferences(file.config, config);
  if (differences.length > 0) throw otherConfiguration(folder, differences);
  return placeOfRun({ folder, file });
}

/** Begins a run. @throws AppError `run_unwritable`, `disk_full` */
async function begin({ folder, id, notes }: RunPlace, config: RunConfig, request: EvalRequest): Promise<OpenRun> {
  const { dataset, databases, items, command, cwd } = request;
  const file: RunFile = {
    version: 1,
    run_id: id,
    started: new Date().toISOString(),
    command: recordedWords(command, { cwd, home: homedir() }),
    paths: {
      dataset: keptPath(folder, dataset.path),
      databases: databases === null ? null : keptPath(folder, resolve(cwd, databases)),
    },
    config,
    ids: items.map(({ id: item }) => item),
  };
  await writeRunFile(folder, file);
  return { folder, file, records: [], beforeMs: 0, notes };
}

async function goOn({ folder, notes }: RunPlace, keepErrors: boolean): Promise<OpenRun> {
  const file = await readRunFile(folder);
  const beforeMs = (await timesOf(folder, file)).takenMs;
  const { records, notes: repaired } = await repairItems(folder, new Set(file.ids), (record) =>
    isFinished(record, keepErrors),
  );
  if (records.length === file.ids.length) return { folder, file, records, beforeMs, notes: [...notes, ...repaired] };
  const resumed = [...(file.resumed ?? []), { at: new Date().toISOString(), afterMs: Math.round(beforeMs) }];
  const now = { ...file, resumed };
  await writeRunFile(folder, now);
  return { folder, file: now, records, beforeMs, notes: [...notes, ...repaired] };
}

/** Begins a run, or makes one ready to go on. Only under the lock of its folder. */
export async function openRun(place: RunPlace, config: RunConfig, request: EvalRequest): Promise<OpenRun> {
  return place.isNew && !(await hasRun(place.folder))
    ? await begin(place, config, request)
    : await goOn(place, request.keepErrors);
}

/** Makes the folder of a run, so that it can be locked. */
export function makePlace({ folder, isNew }: RunPlace): void {
  if (isNew) makeRunFolder(folder);
}
