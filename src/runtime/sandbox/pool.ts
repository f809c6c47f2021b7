import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { fromWireError } from '../../protocol/errors.ts';
import type { QueryRequest, QueryResult } from '../../protocol/query.ts';
import type { SandboxReply, SnapshotReason } from '../../protocol/sandbox-channel.ts';
import { sandboxClosed, sandboxDoesNotStart } from './errors.ts';
import { Job } from './job.ts';
import { cancelled, outOfMemory, processEnded, timedOut } from './outcomes.ts';
import { makePoolFolder, removeStaleFolders } from './pool-folder.ts';
import { type Exit, SandboxProcess } from './process.ts';
import { canSeeMemory, residentBytes } from './resident.ts';
import { SnapshotStore } from './snapshots.ts';

export interface PoolOptions {
  /** Queries that run at the same time. Default 2. */
  children?: number;
  /** Warm processes beyond `children`, so that a killed one is replaced at once. Default 1. */
  spares?: number;
  /** Cap of one child's memory in bytes. Default 1 GiB. */
  memoryBytes?: number;
  /** Where the pool makes its temporary folder. Default the system's. */
  tempFolder?: string;
}

/** One child process and what it works on. */
interface Seat {
  process: SandboxProcess;
  isReady: boolean;
  job: Job | null;
  /** Number of the request it works on: an answer to an older one is dropped. */
  requestId: number;
  /** It was killed and is about to be gone; what its query came to. */
  verdict: QueryResult | null;
  /** Until it is ready: when it has taken too long. After it was killed: when its query is answered in any case. */
  timer: NodeJS.Timeout | null;
}

const WATCH_MS = 20;
const START_MS = 20_000;
const KILL_MS = 1_000;
const MAX_FAILED_STARTS = 3;

/**
 * Runs SQL of models and users in child processes that can be killed at any moment. Nothing is started before the first
 * query. The processes are interchangeable: at most `children` of them have a query, the others wait warm.
 */
export class SandboxPool implements Sandbox {
  #children: number;
  #spares: number;
  #memoryBytes: number;
  #parentFolder: string;
  #folder: string | null = null;
  #snapshots: SnapshotStore | null = null;
  #seats = new Set<Seat>();
  #queue: Job[] = [];
  #cleaning: Promise<void> | null = null;
  #isClosed = false;
  #isWarm = false;
  #failedStarts = 0;
  #lastId = 0;
  #watch: NodeJS.Timeout | null = null;

  constructor(options: PoolOptions = {}) {
    this.#children = options.children ?? 2;
    this.#spares = options.spares ?? 1;
    this.#memoryBytes = options.memoryBytes ?? 2 ** 30;
    this.#parentFolder = options.tempFolder ?? tmpdir();
  }

  /** Process ids of the living children. */
  get pids(): number[] {
    return [...this.#seats].flatMap(({ process }) => process.pid ?? []);
  }

  query(request: QueryRequest, signal?: CancelSignal): Promise<QueryResult> {
    if (this.#isClosed) return Promise.reject(sandboxClosed());
    return new Promise((settle, reject) => {
      const cancel = () => this.#stop(job, cancelled(job.elapsedMs));
      const job: Job = new Job({ ...request, db: resolve(request.db) }, signal ?? null, {
        resolve: settle,
        reject,
        cancel,
      });
      if (signal?.aborted) return cancel();
      this.#queue.push(job);
      this.#advance();
    });
  }

  /** Ends every query with an error, kills every child and removes what was made on disk. */
  async dispose(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) job.fail(sandboxClosed());
    const seats = [...this.#seats];
    for (const { process } of seats) process.kill();
    // Now, since a program that is ending may not come to the rest; and again, when nobody writes there any more.
    this.#removeFolder();
    await Promise.all(seats.map(({ process }) => process.exited));
    await Promise.all([this.#snapshots?.settled(), this.#cleaning]);
    this.#removeFolder();
    this.#folder = null;
  }

  #removeFolder(): void {
    if (this.#folder === null) return;
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch {
      // Windows holds the folder of a process that is still ending. A later pool removes what is left.
    }
  }

  /** Gives waiting queries to waiting children, and starts the children that are missing. */
  #advance(): void {
    if (this.#isClosed) return;
    const living = [...this.#seats].filter(({ verdict }) => verdict === null);
    let running = living.filter(({ job }) => job !== null).length;
    for (const seat of living) {
      if (running >= this.#children) break;
      if (!seat.isReady || seat.job !== null) continue;
      const job = this.#queue.shift();
      if (!job) break;
      this.#start(seat, job);
      running++;
    }
    // The first child has the processor for itself; the others follow when it is ready.
    const needed = Math.min(this.#children, running + this.#queue.length);
    const wanted = this.#isWarm ? this.#children + this.#spares : needed;
    for (let count = living.length; count < wanted; count++) this.#fork();
  }

  #fork(): void {
    const folder = this.#ensureFolder();
    if (folder === null) return;
    const watchesItself = !canSeeMemory();
    const process = new SandboxProcess({ folder, memoryBytes: this.#memoryBytes, watchesItself });
    const timer = setTimeout(() => process.kill(), START_MS);
    const seat: Seat = { process, isReady: false, job: null, requestId: 0, verdict: null, timer };
    process.onReply = (reply) => this.#reply(seat, reply);
    process.onExit = (exit) => this.#exited(seat, exit);
    this.#seats.add(seat);
  }

  /** The pool's folder, made anew where somebody has cleaned it away; null, and no query can run, where it cannot be. */
  #ensureFolder(): string | null {
    try {
      if (this.#folder === null) this.#cleaning = removeStaleFolders(this.#parentFolder);
      this.#folder ??= makePoolFolder(this.#parentFolder);
      for (const name of ['empty', 'temp']) mkdirSync(join(this.#folder, name), { recursive: true });
      this.#snapshots ??= new SnapshotStore(join(this.#folder, 'snapshots'));
      return this.#folder;
    } catch (error) {
      this.#failQueue(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  #start(seat: Seat, job: Job): void {
    seat.job = job;
    seat.requestId = ++this.#lastId;
    job.startClock(() => this.#stop(job, timedOut(job.request.timeoutMs, job.elapsedMs)));
    seat.process.send(job.message(seat.requestId));
    this.#watch ??= setInterval(() => this.#checkMemory(), WATCH_MS);
  }

  #reply(seat: Seat, reply: SandboxReply): void {
    if (reply.type === 'ready') this.#ready(seat);
    else if (seat.job !== null && seat.verdict === null && reply.id === seat.requestId) {
      const { job } = seat;
      seat.job = null;
      if (reply.type === 'result') job.finish(reply.result);
      else if (reply.type === 'failed') job.fail(fromWireError(reply.error));
      else this.#snapshot(job, reply.reason);
    }
    this.#advance();
  }

  #ready(seat: Seat): void {
    if (seat.timer) clearTimeout(seat.timer);
    seat.timer = null;
    seat.isReady = true;
    this.#isWarm = true;
    this.#failedStarts = 0;
  }

  /** Copies the database, then runs the query on the copy; the query's clock goes on. */
  #snapshot(job: Job, reason: SnapshotReason): void {
    const made = this.#snapshots?.obtain(job.request.db, reason) ?? Promise.reject(sandboxClosed());
    made.then(
      (snapshot) => {
        if (job.hasEnded) return;
        if (this.#isClosed) return job.fail(sandboxClosed());
        job.snapshot = snapshot;
        this.#queue.unshift(job);
        this.#advance();
      },
      (error: unknown) => job.fail(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Ends a query from outside: a waiting one at once, a running one when its process is gone. */
  #stop(job: Job, verdict: QueryResult): void {
    const seat = [...this.#seats].find((candidate) => candidate.job === job);
    if (!seat) {
      this.#queue = this.#queue.filter((candidate) => candidate !== job);
      job.finish(verdict);
    } else if (seat.verdict === null) {
      seat.verdict = verdict;
      seat.process.kill();
      // A process that waits for a dead disk outlives its kill; nobody should wait for it.
      seat.timer = setTimeout(() => job.finish(verdict), KILL_MS);
      this.#advance();
    }
  }

  #exited(seat: Seat, exit: Exit): void {
    this.#seats.delete(seat);
    if (seat.timer) clearTimeout(seat.timer);
    const { job, verdict } = seat;
    if (this.#isClosed) job?.fail(sandboxClosed());
    else if (job) job.finish(verdict ?? processEnded(exit, this.#memoryBytes, job.elapsedMs));
    if (!seat.isReady) this.#startFailed(exit);
    // One that ended by itself while it had nothing to do is not replaced before it is needed.
    else if (job === null) this.#isWarm = false;
    this.#advance();
  }

  #startFailed(exit: Exit): void {
    if (++this.#failedStarts < MAX_FAILED_STARTS) return;
    this.#failedStarts = 0;
    this.#failQueue(exit.error?.message ?? exit.signal ?? `exit code ${exit.code}`);
  }

  #failQueue(reason: string): void {
    for (const job of this.#queue.splice(0)) job.fail(sandboxDoesNotStart(reason));
  }

  #checkMemory(): void {
    const busy = [...this.#seats].filter(({ job, verdict }) => job !== null && verdict === null);
    if (busy.length === 0 && this.#watch) {
      clearInterval(this.#watch);
      this.#watch = null;
    }
    for (const { process, job } of busy) {
      const bytes = process.pid === undefined ? null : residentBytes(process.pid);
      if (job && bytes !== null && bytes > this.#memoryBytes)
        this.#stop(job, outOfMemory(this.#memoryBytes, job.elapsedMs));
    }
  }
}
