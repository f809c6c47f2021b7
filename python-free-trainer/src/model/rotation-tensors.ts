import type { Backend, Rotation, Tensor } from '../backend/backend.ts';
import type { ModelConfig } from './config.ts';
import { rotationFrequencies, rotationTable } from './rotation.ts';

/** Fewest positions that the table is made for. */
const FEWEST = 256;

/** The table of rotations on the device; it grows to the longest text that came. */
export class RotationTensors {
  readonly #backend: Backend;
  readonly #frequencies: Float32Array;
  #table: { positions: number; cos: Tensor; sin: Tensor } | null = null;

  constructor(backend: Backend, config: ModelConfig) {
    this.#backend = backend;
    this.#frequencies = rotationFrequencies(config);
  }

  at(positions: Int32Array): Rotation {
    let longest = FEWEST;
    for (const position of positions) while (position >= longest) longest *= 2;
    let table = this.#table;
    if (table === null || table.positions < longest) {
      if (table !== null) for (const tensor of [table.cos, table.sin]) this.#backend.free(tensor);
      const { cos, sin } = rotationTable(this.#frequencies, longest);
      const half = this.#frequencies.length;
      table = {
        positions: longest,
        cos: this.#backend.tensor(longest, half, cos, 'exact'),
        sin: this.#backend.tensor(longest, half, sin, 'exact'),
      };
      this.#table = table;
    }
    return { cos: table.cos, sin: table.sin, positions };
  }
}
