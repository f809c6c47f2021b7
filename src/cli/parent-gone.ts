import { fstatSync } from 'node:fs';

function isPipe(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

/**
 * A signal that also aborts when the process that started this one goes away: its IPC channel closes, or standard input
 * does where it is a pipe. Signals do not tell that, and Windows has none to stop a process gently.
 */
export function untilParentGone(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  if (process.connected) process.once('disconnect', stop);
  else if (isPipe(0)) {
    process.stdin.once('end', stop).once('close', stop).once('error', stop);
    process.stdin.resume();
    process.stdin.unref();
  }
  return AbortSignal.any([signal, controller.signal]);
}
