import type { Device } from './device.ts';

/** Bytes of each half, and of the steps at which pieces begin. */
const HALF = 8 * 2 ** 20;
const STEP = 64;

/**
 * Page-locked memory of the host through which small copies to the GPU go, so that they are queued as kernels are and nobody
 * waits. One half is written while copies out of the other may still be under way.
 */
export class Staging {
  readonly #device: Device;
  readonly #address: number;
  readonly #bytes: Uint8Array;
  /** Recorded behind the last copy out of each half. */
  readonly #emptied: [number, number];
  #half: 0 | 1 = 0;
  #at = 0;

  /** @throws AppError `cuda_failed` */
  constructor(device: Device) {
    this.#device = device;
    const { address, bytes } = device.pinned(2 * HALF);
    this.#address = address;
    this.#bytes = bytes;
    this.#emptied = [device.createEvent(), device.createEvent()];
  }

  /** Copies values here. @returns their address until about as much again was copied; null where they are too many */
  place(values: ArrayBufferView): number | null {
    const bytes = values.byteLength;
    if (bytes > HALF) return null;
    if (this.#at + bytes > HALF) this.#turn();
    const offset = this.#half * HALF + this.#at;
    this.#bytes.set(new Uint8Array(values.buffer, values.byteOffset, bytes), offset);
    this.#at += Math.ceil(bytes / STEP) * STEP;
    return this.#address + offset;
  }

  #turn(): void {
    this.#device.record(this.#emptied[this.#half]);
    this.#half = this.#half === 0 ? 1 : 0;
    this.#device.awaitEvent(this.#emptied[this.#half]);
    this.#at = 0;
  }
}
