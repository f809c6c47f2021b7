import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TrainingStatus } from '../../../src/protocol/training.ts';
import { childEntry } from '../../../src/runtime/paths.ts';

/** The status without what the heartbeat adds. */
export type Status = Omit<TrainingStatus, 'v' | 'time'>;

/** What the thread is told: a status to write, and whether it is the last. */
export interface HeartbeatMessage {
  status: Status;
  last: boolean;
}

/**
 * Writes `status.json` every two seconds, on a thread of its own: a step that blocks the trainer for minutes does not make
 * it look dead. Where the file cannot be written, readers see an old one; training goes on.
 */
export class Heartbeat {
  readonly #worker: Worker;
  readonly #ended: Promise<unknown>;
  #status: Status;

  constructor(path: string, status: Status) {
    this.#worker = new Worker(childEntry('trainer-heartbeat'), { workerData: { path } });
    // A thread that fails costs the heartbeat alone: `once` rejects then.
    this.#ended = once(this.#worker, 'exit').catch(() => undefined);
    this.#worker.on('error', () => undefined);
    this.#status = status;
    this.#tell(false);
  }

  get status(): Status {
    return this.#status;
  }

  /** Written with the next beat, or at once where the state changes. */
  set(changed: Partial<Status>): void {
    this.#status = { ...this.#status, ...changed };
    this.#tell(false);
  }

  /** Writes the last status and ends the thread. */
  async end(changed: Partial<Status>): Promise<void> {
    this.#status = { ...this.#status, ...changed };
    this.#tell(true);
    await this.#ended;
  }

  #tell(last: boolean): void {
    this.#worker.postMessage({ status: this.#status, last } satisfies HeartbeatMessage);
  }
}
