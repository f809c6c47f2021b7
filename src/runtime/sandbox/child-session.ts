import type { QueryResult } from '../../protocol/query.ts';
import type { SandboxRequest, SnapshotReason } from '../../protocol/sandbox-channel.ts';
import { Connection } from './child-database.ts';
import { fileError, snapshotReason, sqliteFailure } from './child-failure.ts';
import { isSamePlan, isUnchanged, type Plan, planFor, planForSnapshot } from './child-plan.ts';
import { runStatement } from './child-run.ts';

/** The answer to one request: a result, or the wish for a snapshot. */
export type Answer = { result: QueryResult } | { snapshot: SnapshotReason };

interface Entry {
  connection: Connection;
  plan: Plan;
}

const MAX_CONNECTIONS = 128;
const MAX_RUNS = 3;

/** The open databases of one child and how it runs requests on them. */
export class Session {
  #entries = new Map<string, Entry>();

  /** @throws AppError where the database file is the matter. */
  answer(request: SandboxRequest): Answer {
    for (let run = 1; run <= MAX_RUNS; run++) {
      const answer = this.#run(request);
      if (answer !== null) return answer;
    }
    return { snapshot: 'changing' };
  }

  /** Closes what is open, so that an idle child keeps no file. */
  close(): void {
    for (const path of [...this.#entries.keys()]) this.#drop(path);
  }

  /** One try; null where the file changed under a connection without locks. */
  #run(request: SandboxRequest): Answer | null {
    const plan = request.snapshot === null ? planFor(request.db) : planForSnapshot(request.snapshot);
    if ('snapshot' in plan) return plan;
    const { path } = plan;
    let answer: Answer | null = null;
    let thrown: unknown = null;
    try {
      answer = { result: runStatement(this.#connection(plan, request.busyMs), request.sql, request) };
    } catch (error) {
      thrown = error;
    }
    const isStale = plan.mode === 'immutable' && !isUnchanged(request.db, plan);
    if (isStale || plan.closeAfter || answer === null) this.#drop(path);
    if (isStale) return null;
    return answer ?? this.#failed(request, plan, thrown);
  }

  #failed(request: SandboxRequest, plan: Plan, thrown: unknown): Answer {
    const failure = sqliteFailure(thrown);
    if (!failure) throw thrown;
    const reason = snapshotReason(failure, plan);
    if (reason !== null) return { snapshot: reason };
    throw fileError(request, failure, plan);
  }

  #connection(plan: Plan, busyMs: number): Connection {
    const { path } = plan;
    const known = this.#entries.get(path);
    if (known && isSamePlan(known.plan, plan)) {
      known.connection.setBusyTimeout(busyMs);
      this.#entries.delete(path);
      this.#entries.set(path, known);
      return known.connection;
    }
    this.#drop(path);
    const connection = new Connection(path, plan.mode, busyMs);
    this.#entries.set(path, { connection, plan });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_CONNECTIONS && oldest !== undefined) this.#drop(oldest);
    return connection;
  }

  #drop(path: string): void {
    const entry = this.#entries.get(path);
    this.#entries.delete(path);
    entry?.connection.close();
  }
}
