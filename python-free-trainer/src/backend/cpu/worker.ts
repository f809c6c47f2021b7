import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { FAILED, type Job, runParts, SIGNAL, STOP, type WorkerStart } from './jobs.ts';
import { Workspace } from './workspace.ts';

// A worker thread of the CPU backend: sleeps until there is a job, takes parts of it, sleeps again.

const { control, port } = workerData as WorkerStart;
const workspace = new Workspace();

function fail(error: unknown): void {
  port.postMessage(error instanceof Error ? error.message : String(error));
  Atomics.store(control, FAILED, 1);
}

/** Only the newest job can have parts left. */
function newestJob(): Job | null {
  let job: Job | null = null;
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) job = next.message as Job;
  return job;
}

for (let seen = 0; Atomics.load(control, STOP) === 0; ) {
  Atomics.wait(control, SIGNAL, seen);
  seen = Atomics.load(control, SIGNAL);
  const job = newestJob();
  if (job) runParts(control, job, workspace, fail);
}
port.close();
