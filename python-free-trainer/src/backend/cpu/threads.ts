import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { AppError } from '../../../../src/protocol/errors.ts';
import { childEntry } from '../../../../src/runtime/paths.ts';
import { workerLost } from './errors.ts';
import { CONTROL_WORDS, DONE, FAILED, type Job, MOST_PARTS, runParts, SIGNAL, STOP, TICKET } from './jobs.ts';
import type { KernelArgs, KernelName } from './kernels/table.ts';
import type { Floats } from './matrix.ts';
import { Scratch } from './scratch.ts';
import { Workspace } from './workspace.ts';

/** Parts per thread: enough that a thread which is held up leaves its share to the others. */
const PARTS_PER_THREAD = 4;
/** How long a single part may take before its thread counts as lost, in milliseconds. */
const LONGEST_PART = 300_000;

/** The calling thread and workers that sleep between jobs and do not keep the process alive. */
export class Threads {
  readonly count: number;
  readonly #workspace = new Workspace();
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  readonly #workers: Worker[] = [];
  readonly #ports: MessagePort[] = [];
  readonly #scratch = new Scratch((length, float64) => this.allocate(length, float64));
  #lost: AppError | null = null;
  #jobs = 0;
  #closing = false;

  /** @param count threads in all, from 1 @param entry file of a worker */
  constructor(count: number, entry: string = childEntry('trainer-worker')) {
    this.count = count;
    for (let i = 1; i < count; i++) this.#start(entry);
  }

  #start(entry: string): void {
    const { port1, port2 } = new MessageChannel();
    const workerData = { control: this.#control, port: port2 };
    const worker = new Worker(entry, { workerData, transferList: [port2] });
    const lose = (reason: string) => {
      if (!this.#closing) this.#lost ??= workerLost(reason);
    };
    worker.on('error', (error) => lose(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => lose(`exit code ${code}`));
    worker.unref();
    this.#workers.push(worker);
    this.#ports.push(port1);
  }

  /**
   * Runs a kernel over [0, total), cut into parts for all threads; returns when all are done. The result is the same for any
   * number of threads. Jobs of up to `grain` units, and jobs on arrays that are not shared, run on the calling thread.
   * @param grain least units of a part
   * @throws AppError `compute_thread_lost`; Error where a kernel threw
   */
  run<K extends KernelName>(kernel: K, total: number, args: KernelArgs[K], grain = 1): void {
    if (total <= 0) return;
    if (this.#lost) throw this.#lost;
    const alone = this.count === 1 || total <= grain || !shared(args);
    const share = Math.ceil(total / (alone ? 1 : this.count * PARTS_PER_THREAD));
    const size = Math.max(grain, share, Math.ceil(total / MOST_PARTS));
    this.#jobs = (this.#jobs + 1) & 0xffff;
    const job: Job = { id: this.#jobs, kernel, total, size: alone ? total : size, args };
    Atomics.store(this.#control, DONE, 0);
    Atomics.store(this.#control, TICKET, job.id << 16);
    if (!alone) this.#wake(job);
    this.#work(job);
  }

  #wake(job: Job): void {
    for (const port of this.#ports) port.postMessage(job);
    Atomics.add(this.#control, SIGNAL, 1);
    Atomics.notify(this.#control, SIGNAL);
  }

  #work(job: Job): void {
    let failure: unknown = null;
    runParts(this.#control, job, this.#workspace, (error) => {
      failure ??= error;
    });
    this.#awaitParts(Math.ceil(job.total / job.size));
    if (Atomics.exchange(this.#control, FAILED, 0) === 1) failure ??= this.#failureOfWorker();
    if (failure !== null) throw failure;
  }

  #awaitParts(parts: number): void {
    for (let done = Atomics.load(this.#control, DONE); done < parts; done = Atomics.load(this.#control, DONE))
      if (Atomics.wait(this.#control, DONE, done, LONGEST_PART) === 'timed-out') {
        this.#lost = workerLost(`no answer in ${LONGEST_PART / 1000} s`);
        throw this.#lost;
      }
  }

  #failureOfWorker(): Error {
    let message = 'unknown';
    for (const port of this.#ports)
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
        message = String(next.message);
    return new Error(message);
  }

  /** Zeros that all threads can read and write. */
  allocate(length: number, float64 = false): Floats {
    const bytes = length * (float64 ? 8 : 4);
    const buffer = this.count > 1 ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    return float64 ? new Float64Array(buffer) : new Float32Array(buffer);
  }

  /** An array for all threads of at least this length, with anything in it; the same one for the same name. */
  scratch(name: string, length: number, float64 = false): Floats {
    return this.#scratch.get(name, length, float64);
  }

  /** Ends the workers; nothing may run after. */
  async close(): Promise<void> {
    this.#closing = true;
    Atomics.store(this.#control, STOP, 1);
    Atomics.add(this.#control, SIGNAL, 1);
    Atomics.notify(this.#control, SIGNAL);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    for (const port of this.#ports) port.close();
  }
}

/** Whether no float array would be copied on its way to a worker. Arrays of integers are read only, so a copy does. */
function shared(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof Float32Array || value instanceof Float64Array) return value.buffer instanceof SharedArrayBuffer;
  if (ArrayBuffer.isView(value)) return true;
  return Object.values(value).every(shared);
}
