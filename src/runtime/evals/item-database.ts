import { join } from 'node:path';
import { isFolderName } from '../../core/evals/dataset/fields.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import { DATABASE_ENDINGS, isFile, locateDatabases } from './databases.ts';
import { loadDataset } from './load-dataset.ts';

/** Where the database of a run's item may be. */
export interface ItemPlaces {
  /** Absolute path of the dataset file; it may be gone. */
  dataset: string | null;
  format: RunConfig['dataset']['format'];
  /** Absolute paths of folders of databases, the likeliest first; null: the usual ones beside the dataset. */
  roots: readonly (string | null)[];
}

/** A database that lies in the folder itself: a suite's do, and it is what a user may choose. */
async function inFolder(root: string, name: string): Promise<string | null> {
  if (!isFolderName(name)) return null;
  for (const ending of DATABASE_ENDINGS) if (await isFile(join(root, name + ending))) return join(root, name + ending);
  return null;
}

/** The path that a suite file names for an item; null where the file is gone or has no such item. */
async function suitePath(dataset: string | null, id: string): Promise<string | null> {
  if (dataset === null) return null;
  try {
    const { items } = await loadDataset(dataset, { format: 'suite' });
    return items.find((item) => item.id === id)?.database ?? null;
  } catch (error) {
    // Without the file the database may still be found by its name.
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function inRoot(
  item: { db_id: string; database: string | null },
  root: string | null,
  dataset: string | null,
): Promise<string | null> {
  try {
    const place = dataset === null ? null : { path: dataset };
    const located = await locateDatabases([item], { dataset: place, root, suite: false });
    const found = located.pathsOf(item)[0];
    if (found !== undefined) return found;
  } catch (error) {
    // A folder that is gone holds nothing.
    if (error instanceof AppError) return null;
    throw error;
  }
  return root === null ? null : await inFolder(root, item.db_id);
}

/** Finds the database of a run's item again. @returns its absolute path, null where it is in none of the places */
export async function findItemDatabase(
  { id, db_id }: Pick<ItemRecord, 'id' | 'db_id'>,
  { dataset, format, roots }: ItemPlaces,
): Promise<string | null> {
  const database = format === 'suite' ? await suitePath(dataset, id) : null;
  const named = database === null ? null : await inRoot({ db_id, database }, null, dataset);
  if (named !== null) return named;
  for (const root of roots) {
    const found = await inRoot({ db_id, database: null }, root, dataset);
    if (found !== null) return found;
  }
  return null;
}
