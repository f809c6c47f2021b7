import { Worker } from 'node:worker_threads';
import type { SandboxStart } from '../../protocol/sandbox-channel.ts';
import { LIFELINE, MEMORY_SIGN } from './lifeline.ts';

const MEMORY_MS = 50;

/**
 * The body of the watchdog's thread. It stands on its own: it is sent to the thread as text, since a file of its own
 * would have to be found again in every bundle.
 */
function watch(require: NodeJS.Require, lifeline: number, memorySign: string, memoryMs: number): void {
  const fs: typeof import('node:fs') = require('node:fs');
  const { Socket }: typeof import('node:net') = require('node:net');
  const { workerData }: { workerData: SandboxStart } = require('node:worker_threads');
  const parent = new Socket({ fd: lifeline });
  parent.on('error', () => {});
  parent.on('close', () => {
    try {
      fs.rmSync(workerData.folder, { recursive: true, force: true, maxRetries: 3 });
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  });
  parent.resume();
  const { memoryBytes } = workerData;
  if (memoryBytes === null) return;
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryBytes) parent.write(memorySign, () => process.kill(process.pid, 'SIGKILL'));
  }, memoryMs);
}

/**
 * Starts a thread that ends this process, also in the middle of a query, when its parent is gone: then the pipe to it
 * closes. A query keeps the main thread inside SQLite, where it hears nothing.
 */
export function startWatchdog(options: SandboxStart): void {
  const body = `(${watch.toString()})(require, ${LIFELINE}, ${JSON.stringify(MEMORY_SIGN)}, ${MEMORY_MS})`;
  const worker = new Worker(body, { eval: true, workerData: options, execArgv: [], stdin: false });
  // A machine may have no thread left. That must not end a query; the parent's end is then heard of between queries.
  worker.on('error', () => {});
  worker.unref();
}
