import type { ItemRecord, RunFile } from '../../protocol/eval.ts';
import { findItemDatabase } from '../evals/item-database.ts';
import { hasRun, pathsOfRun, readRunFile } from '../evals/run-folder.ts';
import type { LoadedRun } from '../evals/run-of.ts';
import { itemDatabaseMissing, itemWithoutSql, noItem } from './errors.ts';

/** An item of an evaluation whose prediction can be diagnosed. */
export interface DiagnosableItem {
  readonly record: ItemRecord;
  readonly pred: string;
  /** Absolute path of its database. */
  readonly db: string;
}

/** Finds items of a run, and their databases, again. */
export class RunItems {
  readonly #run: LoadedRun;
  readonly #root: string | null;
  #file: RunFile | null | undefined;
  readonly #databases = new Map<string, Promise<string | null>>();

  /** @param root folder of databases to look in first; null: where the run had them */
  constructor(run: LoadedRun, root: string | null) {
    this.#run = run;
    this.#root = root;
  }

  /** @throws AppError `item_unknown`, `item_without_sql`, `databases_not_found` */
  async item(id: string): Promise<DiagnosableItem> {
    const { records, line } = this.#run;
    const record = records.find((candidate) => candidate.id === id);
    if (record === undefined)
      throw noItem(
        line.run_id,
        id,
        records.map((candidate) => candidate.id),
      );
    if (record.sql === null) throw itemWithoutSql(line.run_id, id, record.outcome);
    const db = await this.database(record);
    if (db === null) throw itemDatabaseMissing(id, record.db_id);
    return { record, pred: record.sql, db };
  }

  /** Absolute path of an item's database; null where it is not found. */
  async database(record: ItemRecord): Promise<string | null> {
    this.#file ??= (await hasRun(this.#run.folder)) ? await readRunFile(this.#run.folder) : null;
    const paths = this.#file === null ? null : pathsOfRun(this.#run.folder, this.#file);
    const { format } = this.#run.line.config.dataset;
    const roots = [this.#root, paths?.databases ?? null].filter((root) => root !== null);
    // The items of a suite name their databases one by one; others share them.
    const key = format === 'suite' ? record.id : record.db_id;
    const known = this.#databases.get(key);
    if (known !== undefined) return known;
    const found = findItemDatabase(record, { dataset: paths?.dataset ?? null, format, roots: [...roots, null] });
    this.#databases.set(key, found);
    return found;
  }
}
