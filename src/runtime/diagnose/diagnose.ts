import { diagnosePair, type FindRepair } from '../../core/diagnose/diagnose.ts';
import { inspectQuery } from '../../core/diagnose/hints/inspect.ts';
import type { RepairBudget } from '../../core/diagnose/repair/search.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import type { Diagnosis, Inspection } from '../../protocol/diagnosis.ts';
import { CatalogCache } from '../catalog.ts';
import { Repairer } from './repair.ts';

/** Limit of one query of a diagnosis, in milliseconds. */
const DIAGNOSIS_TIMEOUT_MS = 10_000;

/** Of the search for a repair: half as many queries as it may take by itself find all but 2 % of what it finds. */
const REPAIR_BUDGET: RepairBudget = { queries: 200, ms: 1_500 };

/** A prediction beside its gold. */
export interface DiagnosisRequest {
  /** Absolute path of the database. */
  readonly db: string;
  readonly gold: string;
  readonly pred: string;
  /** Of one query, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Whether a repair is looked for. Default true. */
  readonly repair?: boolean;
  /** What the search for a repair may take; default 200 queries, 1.5 s. */
  readonly budget?: RepairBudget;
  /** Called with what is known before a repair is looked for. */
  readonly onJudged?: (diagnosis: Diagnosis) => void;
}

/** Diagnoses pairs. Keeps catalogs, values of columns and changed copies of databases from one pair to the next. */
export class Diagnoser {
  readonly #sandbox: Sandbox;
  readonly #catalogs: CatalogCache;
  readonly #repairer: Repairer;

  constructor({ sandbox, catalogs = new CatalogCache() }: { sandbox: Sandbox; catalogs?: CatalogCache }) {
    this.#sandbox = sandbox;
    this.#catalogs = catalogs;
    this.#repairer = new Repairer(sandbox);
  }

  /**
   * Why the rows of a prediction are not its gold's.
   * @throws AppError where the file is no database; `cancelled` when `signal` aborts
   */
  async diagnose(request: DiagnosisRequest, signal?: CancelSignal): Promise<Diagnosis> {
    const {
      db,
      gold,
      pred,
      timeoutMs = DIAGNOSIS_TIMEOUT_MS,
      repair = true,
      budget = REPAIR_BUDGET,
      onJudged,
    } = request;
    const catalog = await this.#catalogs.read(this.#sandbox, db, signal);
    const findRepair: FindRepair = (pair, given, own) => this.#repairer.repair({ ...pair, db, catalog }, given, own);
    const parts = { sandbox: this.#sandbox, db, catalog, findRepair: repair ? findRepair : null };
    return diagnosePair(parts, gold, pred, { timeoutMs, budget, signal, onJudged });
  }

  /**
   * What is suspicious in a query, without a gold.
   * @throws AppError where the file is no database; `cancelled` when `signal` aborts
   */
  async inspect(
    { db, sql, timeoutMs = DIAGNOSIS_TIMEOUT_MS }: { db: string; sql: string; timeoutMs?: number },
    signal?: CancelSignal,
  ): Promise<Inspection> {
    const catalog = await this.#catalogs.read(this.#sandbox, db, signal);
    return inspectQuery({ sandbox: this.#sandbox, db, catalog }, sql, { timeoutMs, signal });
  }

  /** Removes the copies of databases. */
  dispose(): void {
    this.#repairer.dispose();
  }
}
