import { join } from 'node:path';
import { isSpiderOrdered, spiderEx, spiderStatement } from '../../src/core/score/spider-ex.ts';
import type { QueryResult } from '../../src/protocol/query.ts';
import type { SandboxPool } from '../../src/runtime/sandbox/pool.ts';

const LIMITS = { timeoutMs: 30_000, maxRows: 1_000_000, maxBytes: 1 << 29 };

/** Scores predictions by Spider's metric; results of golds are kept. */
export class SpiderScorer {
  readonly #sandbox: SandboxPool;
  readonly #databases: string;
  readonly #golds = new Map<string, Promise<QueryResult>>();

  /** @param databases folder with `<db_id>/<db_id>.sqlite`. */
  constructor(sandbox: SandboxPool, databases: string) {
    this.#sandbox = sandbox;
    this.#databases = databases;
  }

  #run(database: string, sql: string): Promise<QueryResult> {
    const db = join(this.#databases, database, `${database}.sqlite`);
    return this.#sandbox.query({ db, sql: spiderStatement(sql, false), ...LIMITS });
  }

  /** Whether `predicted` gives what `gold` gives. @throws Error where the gold itself does not run. */
  async isRight(database: string, gold: string, predicted: string): Promise<boolean> {
    const key = `${database}\n${gold}`;
    const known = this.#golds.get(key) ?? this.#run(database, gold);
    this.#golds.set(key, known);
    const expected = await known;
    if (expected.status !== 'ok') throw new Error(`gold of ${database} does not run: ${gold}: ${expected.message}`);
    const result = await this.#run(database, predicted);
    const ordered = isSpiderOrdered(spiderStatement(gold, false));
    return result.status === 'ok' && !result.truncated && spiderEx(expected.rows, result.rows, ordered);
  }
}
