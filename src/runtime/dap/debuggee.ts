import type { ClauseFailure } from '../../core/debug/failing-clauses.ts';
import { type Step, stageOf } from '../../core/debug/step.ts';
import type { Divergence } from '../../core/diagnose/divergence/divergence.ts';
import { Session } from '../../core/diagnose/divergence/session.ts';
import { judgePair } from '../../core/diagnose/judge.ts';
import type { StagePlan, TracePlan } from '../../core/diagnose/trace/plan.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import type { Catalog } from '../../protocol/catalog.ts';
import type { Diagnosis } from '../../protocol/diagnosis.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { stepQueryFailed } from './errors.ts';
import type { SourceText, SourceTexts } from './source-texts.ts';

/** 1: the query (the prediction); 2: its gold. */
export type ThreadId = 1 | 2;

/** One of the queries that are stepped through. */
export interface Side {
  readonly thread: ThreadId;
  /** `query` where there is no gold, else `predicted` or `gold`. */
  readonly name: string;
  readonly plan: TracePlan;
  readonly source: SourceText;
  /** Of a query that does not run: the clauses at which it fails, its plan being cut there. */
  readonly failures: ReadonlyMap<StagePlan, ClauseFailure>;
}

/** Where two queries part. */
export interface Parting {
  readonly diagnosis: Diagnosis;
  /** null where the rows are equal, or it cannot be told where they part. */
  readonly divergence: Divergence | null;
}

export interface DebuggeeParts {
  readonly sandbox: Sandbox;
  /** Absolute path of the database. */
  readonly db: string;
  readonly catalog: Catalog;
  readonly timeoutMs: number;
  readonly query: Side;
  readonly gold: Side | null;
  readonly texts: SourceTexts;
}

/** What is debugged: the queries, their database, and what has been counted of their clauses. */
export class Debuggee {
  readonly db: string;
  readonly catalog: Catalog;
  readonly query: Side;
  readonly gold: Side | null;
  readonly texts: SourceTexts;
  readonly #sandbox: Sandbox;
  readonly #timeoutMs: number;
  readonly #counts = new Map<StagePlan, number | null>();
  readonly #uncounted = new Map<StagePlan, string>();
  readonly #columns = new Map<StagePlan, string[]>();
  #parting: Parting | null = null;

  constructor({ sandbox, db, catalog, timeoutMs, query, gold, texts }: DebuggeeParts) {
    this.#sandbox = sandbox;
    this.db = db;
    this.catalog = catalog;
    this.#timeoutMs = timeoutMs;
    this.query = query;
    this.gold = gold;
    this.texts = texts;
  }

  get sides(): Side[] {
    return this.gold === null ? [this.query] : [this.query, this.gold];
  }

  /** The text that a plan of a side lies in. */
  textOf(side: Side, plan: TracePlan): SourceText {
    return plan.text === side.plan.text ? side.source : this.texts.ofView(plan);
  }

  /** Why the clause of a step does not run; null where it does. */
  failureAt(step: Step): ClauseFailure | null {
    const stage = stageOf(step);
    return this.sides.map(({ failures }) => failures.get(stage)).find((failure) => failure !== undefined) ?? null;
  }

  /** The clause whose rows are looked at: of one that does not run, the clause before it. */
  shownStage(step: Step): StagePlan {
    const before = step.plan.stages[step.index - 1];
    return before !== undefined && this.failureAt(step) !== null ? before : stageOf(step);
  }

  /** Runs a query over the database. @throws AppError `dap_query`, or `cancelled` */
  async rows(sql: string, maxRows: number, signal?: CancelSignal): Promise<QueryResult> {
    const request = { db: this.db, sql, maxRows, timeoutMs: this.#timeoutMs, maxCellBytes: 64 * 1024 };
    const result = await this.#sandbox.query(request, signal);
    if (result.status !== 'ok') throw stepQueryFailed(result);
    return result;
  }

  /** Rows after a clause; null where they cannot be counted in time. @throws AppError `cancelled` */
  async count({ plan, index }: Pick<Step, 'plan' | 'index'>, signal?: CancelSignal): Promise<number | null> {
    const stage = plan.stages[index];
    if (stage === undefined) return null;
    const known = this.#counts.get(stage);
    if (known !== undefined) return known;
    const counted = await this.#count(stage, () => this.count({ plan, index: index - 1 }, signal), signal);
    this.#counts.set(stage, counted);
    return counted;
  }

  /** What has been counted already; undefined where nothing was. */
  counted(stage: StagePlan): number | null | undefined {
    return this.#counts.get(stage);
  }

  /** What SQLite, or the sandbox, says of a clause that could not be counted; null where there is nothing. */
  whyUncounted(stage: StagePlan): string | null {
    return this.#uncounted.get(stage) ?? null;
  }

  /** Leaves a clause uncounted from now on: somebody did not want to wait for its rows. */
  leaveUncounted(stage: StagePlan): void {
    if (!this.#counts.has(stage)) this.#counts.set(stage, null);
  }

  async #count(stage: StagePlan, before: () => Promise<number | null>, signal?: CancelSignal) {
    const { count } = stage;
    switch (count.by) {
      case 'one':
        return 1;
      case 'same':
        return before();
      case 'limit': {
        const all = await before();
        return all === null ? null : Math.min(count.count, Math.max(0, all - count.offset));
      }
      case 'product': {
        const [all, own] = [await before(), await this.#number(stage, count.sql, signal)];
        return all === null || own === null ? null : all * own;
      }
      case 'query':
        return this.#number(stage, count.sql, signal);
    }
  }

  /** The one number that a query gives; null where it fails or takes too long. @throws AppError `cancelled` */
  async #number(stage: StagePlan, sql: string, signal?: CancelSignal): Promise<number | null> {
    const request = { db: this.db, sql, maxRows: 1, timeoutMs: this.#timeoutMs };
    const result = await this.#sandbox.query(request, signal);
    if (result.status === 'cancelled') throw stepQueryFailed(result);
    if (result.status !== 'ok') this.#uncounted.set(stage, result.message ?? result.status);
    const value = result.rows[0]?.[0];
    return result.status !== 'ok' || value === undefined || value === null ? null : Number(value);
  }

  /** Names of the columns of a clause's rows. @throws AppError `dap_query`, or `cancelled` */
  async columns(stage: StagePlan, signal?: CancelSignal): Promise<string[]> {
    const known = this.#columns.get(stage);
    if (known !== undefined) return known;
    const { columns } = await this.rows(`SELECT * FROM (${stage.sql}) LIMIT 0`, 0, signal);
    this.#columns.set(stage, columns);
    return columns;
  }

  /** Where the query parts from its gold, worked out once; null without a gold. @throws AppError `cancelled` */
  async parting(signal?: CancelSignal): Promise<Parting | null> {
    if (this.gold === null) return null;
    if (this.#parting === null) {
      const session = new Session(this.#sandbox, this.db, { timeoutMs: this.#timeoutMs, signal });
      const pair = await judgePair(session, this.catalog, this.gold.plan.text, this.query.plan.text);
      this.#parting = { diagnosis: pair.diagnosis, divergence: pair.divergence };
    }
    return this.#parting;
  }
}
