import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CancelSignal, Sandbox } from '../../../src/core/ports.ts';
import type { QueryRequest, QueryResult } from '../../../src/protocol/query.ts';
import { DEFAULT_METRICS, type ScoreSettings, type Verdict } from '../../../src/protocol/score.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { Scorer, type ScorerOptions } from '../../../src/runtime/score/scorer.ts';
import { openStore, type Store } from '../../../src/runtime/store/store.ts';
import { temporaryFolder } from '../../support/temporary.ts';

export const SETTINGS: ScoreSettings = {
  metrics: [...DEFAULT_METRICS],
  timeoutMs: 30_000,
  orderPolicy: 'gold_order_by',
  keepDistinct: false,
  suite: false,
  fragile: false,
};

/** The metrics and the reason of a verdict, in short. */
export function short({ official_ex, strict_ex, spider_ex, soft_f1, reason }: Verdict) {
  return { official_ex, strict_ex, spider_ex, soft_f1, reason };
}

/** A verdict without what depends on the machine. */
export function withoutTimes({ ms: _, ...rest }: Verdict): Omit<Verdict, 'ms'> {
  return rest;
}

/** A folder with databases, a sandbox that counts what it runs, and a store. */
export class ScorerBench {
  readonly folder = temporaryFolder();
  readonly pool: SandboxPool;
  readonly queries: QueryRequest[] = [];
  readonly #scorers: Scorer[] = [];
  #store: Store | null = null;

  constructor(children = 2) {
    this.pool = new SandboxPool({ children });
  }

  /** Makes a database that was last written some time ago, so that what is computed of it may be kept. */
  database(name: string, sql: string): string {
    return this.aged(this.folder.database(name, sql));
  }

  /** Runs statements on a database, as another program would. */
  write(path: string, sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    this.aged(path);
  }

  #age = 0;

  aged(path: string): string {
    // Each time another one: a file system may not tell two writes of a moment apart.
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, this.#age++));
    utimesSync(path, time, time);
    return path;
  }

  get store(): Store {
    this.#store ??= openStore(join(this.folder.path, 'storage'));
    return this.#store;
  }

  /** Another process would open it so. */
  reopenStore(): Store {
    this.#store?.close();
    this.#store = null;
    return this.store;
  }

  get sandbox(): Sandbox {
    return {
      query: (request: QueryRequest, signal?: CancelSignal): Promise<QueryResult> => {
        this.queries.push(request);
        return this.pool.query(request, signal);
      },
    };
  }

  /** How often a statement was run. */
  runsOf(sql: string): number {
    return this.queries.filter((query) => query.sql === sql).length;
  }

  scorer(settings: Partial<ScoreSettings> = {}, store: Store | null = null, options: ScorerOptions = {}): Scorer {
    const scorer = new Scorer({ sandbox: this.sandbox, store }, { ...SETTINGS, ...settings }, options);
    this.#scorers.push(scorer);
    return scorer;
  }

  /** Scores one pair with a scorer of its own. */
  async score(db: string, gold: string, pred: string, settings: Partial<ScoreSettings> = {}): Promise<Verdict> {
    return this.scorer(settings).score({ id: '1', db_id: 'a', gold, pred, databases: [db] });
  }

  async close(): Promise<void> {
    for (const scorer of this.#scorers) await scorer.dispose();
    await this.pool.dispose();
    this.#store?.close();
    this.folder.remove();
  }
}
