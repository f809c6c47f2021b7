import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isFolderName } from '../../core/evals/dataset/fields.ts';
import type { Item } from '../../protocol/dataset.ts';
import { rootIsFile, rootMissing } from './dataset-errors.ts';

/** What is needed of an item to find its database. */
export type DatabaseOf = Pick<Item, 'db_id' | 'database'>;

/** A database that items need and that is not there. */
export interface MissingDatabase {
  /** `db_id`, or a suite's path. */
  name: string;
  /** How many items need it. */
  items: number;
  /** Absolute paths where it was looked for; empty where no root was named and none found beside the dataset. */
  lookedFor: string[];
}

/** Where the databases of items lie. */
export interface LocatedDatabases {
  /** Absolute paths of the databases found, the main one first, by `db_id` or, in a suite, by `database`. */
  paths: ReadonlyMap<string, string[]>;
  /** `db_id` (in a suite `database`) of those that are not there, in the order of the items. */
  missing: string[];
  /** The same with what is told of them. */
  absent: MissingDatabase[];
  /** Paths of an item's databases, the main one first; empty where there is none. */
  pathsOf(item: DatabaseOf): string[];
}

export interface LocateOptions {
  /** The dataset file that the items come from: a suite's paths are relative to its folder. */
  dataset: { path: string } | null;
  /** The folder of `<db_id>/<db_id>.sqlite`; null: the usual folders beside the dataset. */
  root: string | null;
  /** All databases of a folder, as in Spider's test suites. */
  suite: boolean;
}

/** Endings that a database's file may have, the likeliest first. */
export const DATABASE_ENDINGS = ['.sqlite', '.db', '.sqlite3'] as const;

/** Folders of databases as BIRD and Spider publish them, beside the dataset file. */
const USUAL_ROOTS = ['database', 'dev_databases', 'train_databases', 'databases', 'test_database', 'test_databases'];

/**
 * Finds the databases of items: `<root>/<db_id>/<db_id>.sqlite` (`.db`, `.sqlite3`), or the path that a suite names.
 * Nothing is opened.
 * @throws AppError where `root` is named and is no folder
 */
export async function locateDatabases(items: Iterable<DatabaseOf>, options: LocateOptions): Promise<LocatedDatabases> {
  const needed = new Map<string, { item: DatabaseOf; items: number }>();
  for (const item of items) {
    const entry = needed.get(keyOf(item));
    if (entry) entry.items++;
    else needed.set(keyOf(item), { item, items: 1 });
  }
  const roots = await rootsOf(options);
  const paths = new Map<string, string[]>();
  const absent: MissingDatabase[] = [];
  for (const [name, entry] of needed) {
    const found = await find(entry.item, roots, options);
    if (found.paths.length > 0) paths.set(name, found.paths);
    else absent.push({ name, items: entry.items, lookedFor: found.lookedFor });
  }
  return {
    paths,
    missing: absent.map(({ name }) => name),
    absent,
    pathsOf: (item) => paths.get(keyOf(item)) ?? [],
  };
}

function keyOf(item: DatabaseOf): string {
  return item.database ?? item.db_id;
}

async function rootsOf({ root, dataset }: LocateOptions): Promise<string[]> {
  if (root !== null) {
    const stats = await stat(root).catch(() => null);
    if (!stats) throw rootMissing(root);
    if (!stats.isDirectory()) throw rootIsFile(root);
    return [resolve(root)];
  }
  if (dataset === null) return [];
  const usual = USUAL_ROOTS.map((name) => join(dirname(dataset.path), name));
  const are = await Promise.all(usual.map(async (path) => (await stat(path).catch(() => null))?.isDirectory()));
  return usual.filter((_, index) => are[index]);
}

interface Found {
  paths: string[];
  lookedFor: string[];
}

async function find(item: DatabaseOf, roots: readonly string[], options: LocateOptions): Promise<Found> {
  if (item.database !== null) {
    const main = resolve(dirname(options.dataset?.path ?? '.'), item.database);
    const isThere = await isFile(main);
    const others = isThere && options.suite ? await databasesIn(dirname(main)) : [];
    return { paths: isThere ? mainFirst(main, others) : [], lookedFor: [main] };
  }
  if (!isFolderName(item.db_id)) return { paths: [], lookedFor: [] };
  const lookedFor: string[] = [];
  for (const root of roots) {
    const folder = join(root, item.db_id);
    const files = await databasesIn(folder);
    const main = DATABASE_ENDINGS.map((ending) => join(folder, item.db_id + ending)).find((path) =>
      files.includes(path),
    );
    if (main !== undefined) return { paths: options.suite ? mainFirst(main, files) : [main], lookedFor };
    if (options.suite && files.length > 0) return { paths: files, lookedFor };
    lookedFor.push(join(folder, `${item.db_id}.sqlite`));
  }
  return { paths: [], lookedFor };
}

function mainFirst(main: string, files: readonly string[]): string[] {
  return [main, ...files.filter((path) => path !== main)];
}

/** The database files of a folder, by name; none where it cannot be listed. */
async function databasesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names
    .filter((name) => DATABASE_ENDINGS.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => join(folder, name));
  const are = await Promise.all(paths.map(isFile));
  return paths.filter((_, index) => are[index]);
}

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}
