import { renameSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { TrainingStatus } from '../../../src/protocol/training.ts';
import type { HeartbeatMessage, Status } from './heartbeat.ts';

const BEAT_MS = 2000;

/** The thread of `Heartbeat`. */
function beat(path: string): void {
  const port = parentPort;
  if (port === null) return;
  let status: Status | null = null;
  const write = () => {
    if (status === null) return;
    const whole: TrainingStatus = { v: 1, time: new Date().toISOString(), ...status };
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(whole)}\n`);
      renameSync(`${path}.new`, path);
    } catch {
      // A full disk: readers see that the heartbeat has stopped, and the trainer itself says why where it must.
    }
  };
  const timer = setInterval(write, BEAT_MS);
  port.on('message', (message: HeartbeatMessage) => {
    const isNews = status?.state !== message.status.state;
    status = message.status;
    if (isNews || message.last) write();
    if (!message.last) return;
    clearInterval(timer);
    port.close();
  });
}

beat(String(workerData.path));
