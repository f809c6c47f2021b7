import { rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { scriptOf } from '../../core/diagnose/minimise/script.ts';
import { type MinimiseBudget, smallestRows } from '../../core/diagnose/minimise/smallest.ts';
import {
  dependentsOf,
  parentsFirst,
  parentsOf,
  parentTables,
  type TableRow,
} from '../../core/diagnose/minimise/table-rows.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { isOrdered } from '../../core/score/order.ts';
import { compareStrictly } from '../../core/score/strict-ex.ts';
import { foldName } from '../../core/sql/tokens.ts';
import type { Catalog, Table } from '../../protocol/catalog.ts';
import type { Minimised } from '../../protocol/diagnosis.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { toJsonRows } from '../../protocol/value.ts';
import { makePoolFolder, removeStaleFolders } from '../sandbox/pool-folder.ts';
import { MinimiseCopy } from '../store/minimise-copy.ts';
import { type RowKey, readRows } from './minimise-rows.ts';

/** Two queries that differ, and where. */
export interface MinimiseTask {
  /** Absolute path. */
  readonly db: string;
  readonly catalog: Catalog;
  readonly gold: string;
  readonly pred: string;
  /** Rows that are known to matter, of all tables of a diverging row; they are tried alone first. */
  readonly start?: readonly RowKey[];
  /** Where to put the small database as a file, beside the statements. */
  readonly saveAs?: string;
}

const MINIMISE_BUDGET: MinimiseBudget = { tries: 2_000, ms: 10_000 };

/** Rows that are read of all tables together; of larger tables the first ones. */
const MOST_ROWS = 20_000;
const TIMEOUT_MS = 5_000;
const CANCELLED = 'It was cancelled.';

/** Why there are no smallest rows. */
export interface NotMinimised {
  readonly minimised: null;
  readonly why: string;
}

/**
 * The smallest rows on which two queries still differ, found on a small copy in a temporary folder.
 * @throws AppError where the database file is the matter
 */
export async function minimise(
  sandbox: Sandbox,
  task: MinimiseTask,
  budget: MinimiseBudget = MINIMISE_BUDGET,
  signal?: CancelSignal,
): Promise<{ minimised: Minimised; why: null } | NotMinimised> {
  await removeStaleFolders(tmpdir());
  const folder = makePoolFolder(tmpdir());
  try {
    return await new Minimiser(sandbox, task, join(folder, 'small.sqlite'), budget, signal).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function not(why: string): NotMinimised {
  return { minimised: null, why };
}

class Minimiser {
  readonly #sandbox: Sandbox;
  readonly #task: MinimiseTask;
  readonly #path: string;
  readonly #budget: MinimiseBudget;
  readonly #signal: CancelSignal | undefined;
  readonly #ordered: boolean;

  constructor(sandbox: Sandbox, task: MinimiseTask, path: string, budget: MinimiseBudget, signal?: CancelSignal) {
    this.#sandbox = sandbox;
    this.#task = task;
    this.#path = path;
    this.#budget = budget;
    this.#signal = signal;
    this.#ordered = isOrdered(task.gold, 'gold_order_by');
  }

  async run(): Promise<{ minimised: Minimised; why: null } | NotMinimised> {
    const [gold, pred] = await this.#both(this.#task.db);
    if (this.#signal?.aborted) return not(CANCELLED);
    if (gold.status !== 'ok' || pred.status !== 'ok') return not('One of the queries does not run.');
    const touched = this.#touched([gold, pred]);
    if (touched.some(({ type }) => type !== 'table' && type !== 'view')) return not('A query reads a virtual table.');
    const tables = touched.filter(({ type }) => type === 'table');
    const views = this.#task.catalog.tables
      .filter(({ type }) => type === 'view')
      .filter((view) => touched.includes(view));
    const parents = parentTables(tables, this.#task.catalog);
    const found = await this.#read(tables, parents);
    if (found === null) return not('Some rows cannot be copied as they are.');
    try {
      const copy = new MinimiseCopy(this.#path, parentsFirst([...tables, ...parents]), views, found.rows);
      try {
        return await this.#minimise(copy, found, tables, parents, views);
      } finally {
        copy.close();
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_'))
        return not(`The tables cannot be made anew: ${error.message}.`);
      throw error;
    }
  }

  async #minimise(
    copy: MinimiseCopy,
    { rows, start }: { rows: TableRow[]; start: number[] },
    tables: readonly Table[],
    parents: readonly Table[],
    views: readonly Table[],
  ): Promise<{ minimised: Minimised; why: null } | NotMinimised> {
    const { of: named, broken } = parentsOf(rows);
    const own = rows.flatMap(({ table }, place) => (tables.includes(table) ? [place] : []));
    const differ = async (kept: ReadonlySet<number>) => {
      copy.hold(kept);
      return this.#differ(await this.#both(this.#path));
    };
    const isOwn = new Set(own);
    const seeds = [...ancestors(start, named)].filter((place) => isOwn.has(place));
    const first = seeds.length > 0 && (await differ(new Set(seeds))) ? seeds : own;
    const isDifferent = first === seeds || (await differ(new Set(own)));
    if (this.#signal?.aborted) return not(CANCELLED);
    if (!isDifferent)
      return not(`The queries do not differ on the first rows of the tables: ${MOST_ROWS} of all together.`);
    const parts = { differ, dependents: dependentsOf(named), now: () => performance.now() };
    const { kept, minimal, effort } = await smallestRows(first, parts, this.#budget, this.#signal);
    if (this.#signal?.aborted) return not(CANCELLED);
    const all = ancestors([...kept], named);
    copy.hold(all);
    const [gold, pred] = await this.#both(this.#path);
    if (this.#task.saveAs !== undefined) await copyFile(this.#path, this.#task.saveAs);
    const left = [...all].sort((one, other) => one - other).flatMap((place) => rows[place] ?? []);
    const created = parentsFirst([...tables, ...parents]);
    const counts = created
      .map((table) => ({ table: table.name, rows: left.filter((row) => row.table === table).length }))
      .filter(({ table, rows: count }) => count > 0 || tables.some(({ name }) => name === table));
    const keysHold = ![...all].some((place) => broken.has(place));
    return {
      minimised: {
        tables: counts,
        rows: left.length,
        sql: scriptOf(created, views, left, keysHold),
        gold: { columns: gold.columns, rows: toJsonRows(gold.rows) },
        pred: { columns: pred.columns, rows: toJsonRows(pred.rows) },
        minimal,
        effort,
      },
      why: null,
    };
  }

  #both(db: string): Promise<[QueryResult, QueryResult]> {
    const run = (sql: string) =>
      this.#sandbox.query({ db, sql, maxRows: 100_000, timeoutMs: TIMEOUT_MS }, this.#signal);
    return Promise.all([run(this.#task.gold), run(this.#task.pred)]);
  }

  #differ([gold, pred]: readonly [QueryResult, QueryResult]): boolean {
    const ran = [gold, pred].every(({ status, truncated }) => status === 'ok' && !truncated);
    // Two empty results may differ in the number of columns: nothing to look at.
    const hasRows = gold.rows.length + pred.rows.length > 0;
    return ran && hasRows && compareStrictly(gold, pred, this.#ordered) !== null;
  }

  /** Tables and views that the queries read, in order of the catalog. */
  #touched(results: readonly QueryResult[]): Table[] {
    const names = new Set(results.flatMap(({ touched }) => touched.map(({ table }) => foldName(table))));
    return this.#task.catalog.tables.filter(({ name }) => names.has(foldName(name)));
  }

  /** The rows of the tables, those to start with first, and of the tables that they refer to. */
  async #read(
    tables: readonly Table[],
    parents: readonly Table[],
  ): Promise<{ rows: TableRow[]; start: number[] } | null> {
    const rows: TableRow[] = [];
    const start: number[] = [];
    for (const table of tables) {
      const keys = (this.#task.start ?? []).filter((key) => foldName(key.table) === foldName(table.name));
      if (keys.length === 0) continue;
      const found = await this.#rowsOf(table, MOST_ROWS, keys);
      if (found === null) return null;
      start.push(...found.map((_, index) => rows.length + index));
      rows.push(...found);
    }
    const known = new Set(rows.map(keyOf));
    const most = Math.floor(MOST_ROWS / Math.max(1, tables.length + parents.length));
    for (const table of [...tables, ...parents]) {
      const found = await this.#rowsOf(table, most, null);
      if (found === null) return null;
      rows.push(...found.filter((row) => !known.has(keyOf(row))));
    }
    return { rows, start };
  }

  #rowsOf(table: Table, most: number, keys: readonly RowKey[] | null): Promise<TableRow[] | null> {
    return readRows(this.#sandbox, { db: this.#task.db, table, most, keys }, TIMEOUT_MS, this.#signal);
  }
}

function keyOf({ table, rowid, cells }: TableRow): string {
  return JSON.stringify([table.name, ...toJsonRows([rowid === null ? cells : [rowid]])]);
}

/** Rows with all rows that they refer to. */
function ancestors(places: readonly number[], named: readonly (readonly number[])[]): Set<number> {
  const all = new Set<number>();
  const open = [...places];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (all.has(place)) continue;
    all.add(place);
    open.push(...(named[place] ?? []));
  }
  return all;
}
