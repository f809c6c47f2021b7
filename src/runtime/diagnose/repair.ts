import { performance } from 'node:perf_hooks';
import { DEFAULT_BUDGET, findRepair } from '../../core/diagnose/repair/find-repair.ts';
import type { OnCopies, RepairBudget } from '../../core/diagnose/repair/search.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { isOrdered } from '../../core/score/order.ts';
import { compareStrictly } from '../../core/score/strict-ex.ts';
import { parseQuery } from '../../core/sql/ast/parse-query.ts';
import type { Catalog } from '../../protocol/catalog.ts';
import type { Repair, SearchEffort } from '../../protocol/diagnosis.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { PerturbedCopies } from '../score/copies.ts';
import { knownDatabase } from '../score/known-database.ts';
import { ColumnTexts } from './repair-values.ts';

/** A pair whose results differ. */
export interface WrongPair {
  /** Absolute path. */
  readonly db: string;
  readonly catalog: Catalog;
  readonly gold: string;
  readonly pred: string;
  readonly goldResult: QueryResult;
  readonly predResult: QueryResult;
}

/** Longest time of a query of the search, in milliseconds. */
const TIMEOUT_MS = 1_000;
/** So many times longer than the pair itself a query may take, but at least so long: an edit can make a huge product. */
const SLOWER = 20;
const SHORTEST_TIMEOUT_MS = 100;
/** Rows of a candidate that are fetched beyond the gold's: enough to tell how far it is. */
const SPARE_ROWS = 200;
/** Changed copies on which a match that may be luck is tried. */
const COPIES = [1, 3, 5] as const;
const NOTHING: SearchEffort = { queries: 0, ms: 0, exhausted: false };

/** Looks for repairs. Keeps the values of columns and the changed copies of databases from one search to the next. */
export class Repairer {
  readonly #sandbox: Sandbox;
  readonly #texts: ColumnTexts;
  readonly #copies: PerturbedCopies;

  /** @param tempFolder where changed copies of databases are put; default the system's folder for temporary files */
  constructor(sandbox: Sandbox, tempFolder?: string) {
    this.#sandbox = sandbox;
    this.#texts = new ColumnTexts(sandbox);
    this.#copies = new PerturbedCopies(tempFolder);
  }

  /**
   * The smallest edits found that make the prediction's rows the gold's; null where there are none within the budget, or
   * the prediction cannot be parsed, or the gold's result is not whole.
   * @throws AppError where the database file is the matter
   */
  async repair(
    pair: WrongPair,
    budget: RepairBudget = DEFAULT_BUDGET,
    signal?: CancelSignal,
  ): Promise<{ repair: Repair | null; effort: SearchEffort }> {
    const pred = parseQuery(pair.pred);
    const gold = parseQuery(pair.gold);
    if (pred.query === null || pair.goldResult.status !== 'ok' || pair.goldResult.truncated)
      return { repair: null, effort: NOTHING };
    const { db, goldResult, predResult } = pair;
    const timeoutMs = Math.min(
      TIMEOUT_MS,
      Math.max(SHORTEST_TIMEOUT_MS, SLOWER * Math.max(goldResult.ms, predResult.ms)),
    );
    const maxRows = goldResult.rows.length + SPARE_ROWS;
    const ordered = isOrdered(pair.gold, 'gold_order_by');
    return findRepair(
      {
        run: (sql, isPatient) =>
          this.#sandbox.query({ db, sql, maxRows, timeoutMs: isPatient ? TIMEOUT_MS : timeoutMs }, signal),
        verify: (sql) => this.#verify(pair, sql, ordered, signal),
        now: () => performance.now(),
        values: (table, column) => this.#texts.of(db, table, column, signal),
        catalog: pair.catalog,
        pred: { sql: pair.pred, query: pred.query },
        gold: gold.query === null ? null : { sql: pair.gold, query: gold.query },
        goldResult,
        predResult: pair.predResult,
        ordered,
      },
      budget,
      signal,
    );
  }

  /** Compares a repair with the gold on changed copies; two results without rows tell nothing. */
  async #verify({ db, gold }: WrongPair, sql: string, ordered: boolean, signal?: CancelSignal): Promise<OnCopies> {
    const known = await knownDatabase(null, db);
    if (known === null) return 'unknown';
    let tried = 0;
    for (const seed of COPIES) {
      const copy = await this.#copies.of(known, seed);
      if (copy === null) continue;
      const request = { db: copy, timeoutMs: TIMEOUT_MS };
      const [goldRan, ran] = await Promise.all([
        this.#sandbox.query({ ...request, sql: gold }, signal),
        this.#sandbox.query({ ...request, sql }, signal),
      ]);
      if (goldRan.status !== 'ok' || ran.status !== 'ok' || goldRan.rows.length + ran.rows.length === 0) continue;
      tried++;
      if (compareStrictly(goldRan, ran, ordered) !== null) return 'differs';
    }
    return tried > 0 ? 'agrees' : 'unknown';
  }

  /** Removes the copies. */
  dispose(): void {
    this.#copies.dispose();
  }
}
