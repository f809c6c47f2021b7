import assert from 'node:assert/strict';
import type { StagePlan, TracePlan } from '../../../src/core/diagnose/trace/plan.ts';
import { planTrace } from '../../../src/core/diagnose/trace/plan-query.ts';
import { runTrace, type TraceOptions } from '../../../src/core/diagnose/trace/run.ts';
import { parseQuery } from '../../../src/core/sql/ast/parse-query.ts';
import type { Query } from '../../../src/core/sql/ast/query.ts';
import type { Catalog } from '../../../src/protocol/catalog.ts';
import type { Trace, TraceStage } from '../../../src/protocol/diagnose.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';

/** The tree of a query. */
export function parsed(sql: string): Query {
  const { query, failure } = parseQuery(sql);
  assert.ok(query !== null, `${failure?.message}: ${sql}`);
  return query;
}

/** A database with what traces are made with. */
export class TraceBench {
  readonly pool = new SandboxPool({ children: 1, spares: 0 });
  readonly db: string;
  #catalog: Catalog | null = null;

  constructor(db: string) {
    this.db = db;
  }

  async catalog(): Promise<Catalog> {
    this.#catalog ??= await readCatalog(this.pool, this.db);
    return this.#catalog;
  }

  async plan(sql: string): Promise<TracePlan> {
    return planTrace(parsed(sql), sql, await this.catalog());
  }

  async trace(sql: string, options: TraceOptions = {}): Promise<Trace> {
    return this.run(await this.plan(sql), options);
  }

  run(plan: TracePlan, options: TraceOptions = {}): Promise<Trace> {
    return runTrace(this.pool, this.db, plan, options);
  }

  async rows(sql: string | null): Promise<Cell[][]> {
    assert.ok(sql !== null, 'there is no query');
    const result = await this.pool.query({ db: this.db, sql });
    assert.equal(result.status, 'ok', `${result.message}: ${sql}`);
    return result.rows;
  }

  dispose(): Promise<void> {
    return this.pool.dispose();
  }
}

/** `clause rows` of each stage. */
export function steps({ stages }: Trace): string[] {
  return stages.map(({ clause, rowCount }) => `${clause} ${rowCount}`);
}

export function stageOf({ stages }: Trace, clause: string, index = 0): TraceStage {
  const stage = stages.filter((candidate) => candidate.clause === clause)[index];
  assert.ok(stage !== undefined, `no stage ${clause}`);
  return stage;
}

export function planOf({ stages }: TracePlan, clause: string, index = 0): StagePlan {
  const stage = stages.filter((candidate) => candidate.clause === clause)[index];
  assert.ok(stage !== undefined, `no stage ${clause}`);
  return stage;
}

/** The first nested trace of a stage. */
export function nestedOf({ nested }: TraceStage): Trace {
  const [first] = nested ?? [];
  assert.ok(first !== undefined, 'nothing is nested');
  return first;
}
