import type { MessagePort } from 'node:worker_threads';
import type { Kernel } from './kernels/kernel.ts';
import { KERNELS, type KernelArgs, type KernelName } from './kernels/table.ts';
import type { Workspace } from './workspace.ts';

/** One job as a worker gets it. */
export interface Job {
  /** Modulo 65,536. */
  id: number;
  kernel: KernelName;
  total: number;
  /** Units of one part. */
  size: number;
  args: KernelArgs[KernelName];
}

export interface WorkerStart {
  control: Int32Array;
  port: MessagePort;
}

/** Words of the control block that all threads share. */
export const TICKET = 0;
export const DONE = 1;
export const SIGNAL = 2;
export const STOP = 3;
export const FAILED = 4;
export const CONTROL_WORDS = 5;

/** Largest number of parts of a job: a ticket is the job's id above 16 bits of the next part. */
export const MOST_PARTS = 0xffff;

/**
 * Takes parts of a job and runs them until none is left. Parts are taken, not dealt: a slow or missing thread holds nobody
 * up. An error ends only its own part.
 */
export function runParts(control: Int32Array, job: Job, workspace: Workspace, failed: (error: unknown) => void): void {
  const parts = Math.ceil(job.total / job.size);
  const kernel = KERNELS[job.kernel] as Kernel<unknown>;
  for (let part = take(control, job.id, parts); part >= 0; part = take(control, job.id, parts)) {
    try {
      kernel(part * job.size, Math.min((part + 1) * job.size, job.total), job.args, workspace);
    } catch (error) {
      failed(error);
    }
    Atomics.add(control, DONE, 1);
    Atomics.notify(control, DONE);
  }
}

/** The next part of this job, or -1 where none is left or another job has begun. */
function take(control: Int32Array, id: number, parts: number): number {
  for (;;) {
    const ticket = Atomics.load(control, TICKET);
    const next = ticket & MOST_PARTS;
    if (ticket >>> 16 !== id || next >= parts) return -1;
    if (Atomics.compareExchange(control, TICKET, ticket, ticket + 1) === ticket) return next;
  }
}
