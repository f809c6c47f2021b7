import { CpuBackend } from '../backend/cpu/cpu-backend.ts';
import { Threads } from '../backend/cpu/threads.ts';

/** Sizes of the product that is timed: as large as a training step's, and done in a few hundredths of a second. */
const TIMED = { rows: 256, inner: 512, cols: 1024, runs: 4 };

/** The CPU as a device: its backend, its name for people, and the speed of its matrix products in FLOP/s. */
export interface CpuDevice {
  backend: CpuBackend;
  name: string;
  peakFlops: number;
}

/**
 * Starts the threads and times them.
 *
 * @param float64 twice the precision and memory, for checks
 */
export function openCpu(threads: number, float64: boolean): CpuDevice {
  const backend = new CpuBackend(new Threads(threads), float64);
  const peakFlops = backend.measurePeak(TIMED.rows, TIMED.inner, TIMED.cols, TIMED.runs);
  return { backend, name: `CPU, ${threads} ${threads === 1 ? 'thread' : 'threads'}`, peakFlops };
}
