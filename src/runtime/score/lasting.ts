import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { RecentMap } from './kept.ts';
import type { KnownDatabase } from './known-database.ts';
import { dependsOnMoment } from './moment.ts';
import { type Ran, runQuery } from './run-query.ts';

/** The views of a database by name, with whether their rows depend on the moment; null where they cannot be read. */
export type Views = ReadonlyMap<string, boolean> | null;

const VIEWS = `SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE type = 'view'`;
const TIMEOUT_MS = 10_000;
const MOST_DATABASES = 1_000;

/** The views of databases, read once for each content. */
export class ViewLists {
  readonly #sandbox: Sandbox;
  readonly #known = new RecentMap<Promise<Views>>(MOST_DATABASES);

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  of({ db, content }: KnownDatabase): Promise<Views> {
    const known = this.#known.get(content) ?? this.read(db);
    this.#known.set(content, known);
    return known;
  }

  async read(db: string, signal?: CancelSignal): Promise<Views> {
    const ran = await runQuery(this.#sandbox, { db, sql: VIEWS, timeoutMs: TIMEOUT_MS }, signal);
    if (ran.status !== 'ok') return null;
    return new Map(ran.rows.map(([name, sql]) => [String(name), dependsOnMoment(String(sql))]));
  }
}

/** Errors that the same statement meets again on the same content. */
const LASTING_ERRORS = new Set(['SQLITE_ERROR', 'parameters', 'not_unicode']);

/** Whether a statement would come to the same again on the same content: no chance, no time, no limit had a part in it. */
export function isLasting(sql: string, ran: Ran, views: Views): boolean {
  if (dependsOnMoment(sql) || views === null) return false;
  if (ran.status === 'error') return ran.code !== null && LASTING_ERRORS.has(ran.code);
  if (ran.status !== 'ok' && ran.status !== 'rejected') return false;
  return !ran.touched.some(({ table }) => views.get(table) === true);
}
