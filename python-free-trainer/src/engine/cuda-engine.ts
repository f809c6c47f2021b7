import { CudaBackend } from '../backend/cuda/cuda-backend.ts';
import { Device } from '../gpu/device.ts';
import { openMultiplier } from '../gpu/multiplier.ts';
import type { Multiplier } from '../gpu/product.ts';
import { type Specialisation, specialise } from '../gpu/specialise.ts';
import { specialiseDevice } from '../gpu/specialise-device.ts';
import type { ModelConfig } from '../model/config.ts';

/** Size of the square product that is timed, and how often. */
const TIMED = { size: 8192, runs: 5 };

/** Bits of bfloat16 numbers in ±[1, 2), 2 MB of them. */
const NOISE = Uint16Array.from(
  { length: 2 ** 20 },
  (_, i) => 0x3f80 | ((Math.imul(i + 1, 2_654_435_761) >>> 9) & 0x807f),
);

/** A GPU as a device: its backend, its name for people, and the speed of its matrix products in FLOP/s. */
export interface CudaDevice {
  backend: CudaBackend;
  name: string;
  peakFlops: number;
  /**
   * To be called before the first pass: waits for the kernels that are compiled for the model and takes them.
   * @returns the name with what came of it, and what is worth a line in a run's log
   */
  specialise(): Promise<{ name: string; note: string | null }>;
}

/**
 * Opens the first GPU and times it; kernels for the model are compiled meanwhile.
 *
 * @param rank of the adapters that will be trained
 * @param config of the model; null: no kernels are compiled for it
 * @throws AppError `cuda_no_driver`, `cuda_no_gpu`, `cuda_old_gpu`, `cuda_failed`
 */
export function openCuda(rank: number, config: ModelConfig | null = null): CudaDevice {
  const device = new Device();
  const none: Specialisation = { kernels: null, problem: null };
  const compiled = config === null ? Promise.resolve(none) : specialise(config, device.capability);
  const products = openMultiplier(device, 'any');
  const peakFlops = measurePeak(device, products);
  const backend = new CudaBackend(device, products, rank);
  const name = `${device.name}, ${products.name}, attention by ${backend.attentionBy}`;
  return {
    backend,
    name,
    peakFlops,
    async specialise() {
      const { name: kernels, note } = specialiseDevice(device, await compiled);
      return { name: `${name}, ${kernels}`, note };
    },
  };
}

/** FLOP/s of a large product, the best of a few. */
function measurePeak(device: Device, products: Multiplier): number {
  const { size, runs } = TIMED;
  const bytes = size * size * 2;
  const [a, b, c] = [device.allocate(bytes), device.allocate(bytes), device.allocate(bytes)];
  // Zeros would be faster than numbers are: the chip draws less power.
  for (const pointer of [a, b]) for (let at = 0; at < bytes; at += NOISE.byteLength) device.upload(pointer + at, NOISE);
  const operand = (pointer: number) => ({ pointer, stride: size });
  const [before, after] = [device.createEvent(), device.createEvent()];
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    device.record(before);
    products.multiply({
      layout: 'nt',
      m: size,
      n: size,
      k: size,
      a: operand(a),
      b: operand(b),
      c: { ...operand(c), type: 'b16' },
      alpha: 1,
      beta: 0,
    });
    device.record(after);
    // The first includes the choice of an algorithm.
    const time = device.elapsed(before, after);
    if (run > 0) best = Math.min(best, time);
  }
  for (const pointer of [a, b, c]) device.free(pointer);
  return (2 * size ** 3) / (best / 1000);
}
