import type { CancelSignal } from '../../core/ports.ts';

/** Waits `ms` milliseconds, less where `signal` aborts. Resolves to true where it was the time that ended the wait. */
export function wait(ms: number, signal?: CancelSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve(false);
      return;
    }
    const end = (byTime: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(byTime);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
