import { type RepeatedQuestion, repeatedQuestions } from '../../core/evals/dataset/repeated.ts';
import { databaseOf } from '../../core/evals/split.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import type { DatasetFormat, Item } from '../../protocol/dataset.ts';
import { AppError, type WireError } from '../../protocol/errors.ts';
import { checkWhole, locate, readHeader, stateOfCompanion } from '../sandbox/database-file.ts';
import { type Choice, chooseItems, type OpeningLedger } from './choose-items.ts';
import { type LocatedDatabases, locateDatabases, type MissingDatabase } from './databases.ts';
import { type GoldOptions, type GoldReport, runGolds } from './dataset-golds.ts';
import { type Dataset, loadDataset } from './load-dataset.ts';
import { fits, readSplitFile, splitsPath } from './splits.ts';

/** A file that stands where a database should and is none. */
export interface BrokenDatabase {
  name: string;
  path: string;
  items: number;
  message: string;
}

/** A split of the dataset that is checked. */
export interface SplitSeen {
  name: string;
  sealed: boolean;
  databases: number;
  items: number;
}

/** What a check of one dataset found. */
export interface DatasetReport {
  path: string;
  format: DatasetFormat;
  hash: string;
  items: number;
  databases: {
    needed: number;
    found: number;
    /** Null where no root was named and none of the usual folders is there: nothing was looked for. */
    missing: MissingDatabase[] | null;
    broken: BrokenDatabase[];
  };
  splits: { path: string; fits: boolean; splits: SplitSeen[] } | null;
  repeated: RepeatedQuestion[];
  golds: GoldReport | null;
  /** What keeps a part of the dataset from being used. */
  problems: WireError[];
  notes: string[];
}

export interface CheckOptions {
  format: DatasetFormat | null;
  root: string | null;
  openSealed: string | null;
  ledger: OpeningLedger;
  /** The words of the command, for the ledger. */
  command: string[];
  /** How golds are run; null: they are not. */
  golds: (Omit<GoldOptions, 'pathsOf'> & { sandbox: Sandbox }) | null;
}

/**
 * Looks a dataset over: its items, databases, splits, repeated questions and, if asked for, golds. Items of sealed splits
 * are counted and no more, unless a reason opens them.
 * @throws AppError where the dataset cannot be loaded, `cancelled`, and those of `locateDatabases`
 */
export async function checkDataset(path: string, options: CheckOptions, signal: CancelSignal): Promise<DatasetReport> {
  const { format, root } = options;
  const dataset = await loadDataset(path, format === null ? {} : { format });
  const located = await locateDatabases(dataset.items, { dataset, root, suite: false });
  const broken = brokenDatabases(dataset.items, located);
  const { items, splits, problems, notes } = await readable(dataset, options);
  const isLookedFor = located.paths.size > 0 || located.absent.some(({ lookedFor }) => lookedFor.length > 0);
  const unusable = new Set(broken.map(({ name }) => name));
  const pathsOf = (item: Item) => (unusable.has(databaseOf(item)) ? [] : located.pathsOf(item));
  return {
    path: dataset.path,
    format: dataset.format,
    hash: dataset.hash,
    items: dataset.items.length,
    databases: {
      needed: located.paths.size + located.missing.length,
      found: located.paths.size - broken.length,
      missing: isLookedFor ? located.absent : null,
      broken,
    },
    splits,
    repeated: repeatedQuestions(items),
    golds: options.golds && (await runGolds(options.golds.sandbox, items, { ...options.golds, pathsOf }, signal)),
    problems,
    notes,
  };
}

/** True where something must be put right before all of the dataset can be used. */
export function isBroken({ databases, golds, problems }: DatasetReport): boolean {
  const failed = golds?.failed.length ?? 0;
  return problems.length + (databases.missing?.length ?? 0) + databases.broken.length + failed > 0;
}

type Readable = Pick<DatasetReport, 'splits' | 'problems' | 'notes'> & { items: Item[] };

/** The items that may be read, with the splits; none where the splits are in doubt. */
async function readable(dataset: Dataset, { openSealed, ledger, command }: CheckOptions): Promise<Readable> {
  const path = splitsPath(dataset.path);
  const result: Readable = { items: [], splits: null, problems: [], notes: [] };
  try {
    const file = await readSplitFile(path);
    if (file !== null) {
      const splits = file.splits.map(({ name, sealed, databases, ids }) => ({
        name,
        sealed,
        databases: databases.length,
        items: ids.length,
      }));
      result.splits = { path, fits: fits(file, dataset), splits };
    }
    const all: Choice = { split: null, openSealed, limit: null, every: null, ids: null };
    const chosen = await chooseItems(dataset, all, ledger, command);
    return { ...result, items: chosen.items, notes: chosen.notes };
  } catch (error) {
    if (!(error instanceof AppError) || !/^splits?_/.test(error.code)) throw error;
    const { code, message } = error;
    return { ...result, problems: [{ code, message }] };
  }
}

function brokenDatabases(items: readonly Item[], located: LocatedDatabases): BrokenDatabase[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(databaseOf(item), (counts.get(databaseOf(item)) ?? 0) + 1);
  return [...located.paths].flatMap(([name, [path]]) => {
    const message = path === undefined ? null : faultOf(path);
    return path === undefined || message === null ? [] : { name, path, items: counts.get(name) ?? 0, message };
  });
}

/** What is the matter with a database file by its header and size; null where nothing is. */
function faultOf(db: string): string | null {
  try {
    const { path, state } = locate(db);
    const header = readHeader(db, path, state);
    return checkWhole(db, { header, state, wal: stateOfCompanion(db, `${path}-wal`) })?.message ?? null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
