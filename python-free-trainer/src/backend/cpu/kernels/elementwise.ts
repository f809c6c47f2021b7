import { adamwUpdate } from '../../../optim/adamw.ts';
import type { AdamSettings } from '../../backend.ts';
import type { Floats } from '../matrix.ts';
import type { Kernel } from './kernel.ts';

export interface AddBiasArgs {
  /** [T, width]. */
  out: Floats;
  bias: Floats;
}

/** out += bias in each row. A unit is a row. */
export const addBiasKernel: Kernel<AddBiasArgs> = (from, to, { out, bias }) => {
  const width = bias.length;
  for (let row = from; row < to; row++)
    for (let i = 0; i < width; i++) out[row * width + i] = (out[row * width + i] as number) + (bias[i] as number);
};

export interface AdamwArgs {
  parameter: Floats;
  gradient: Floats;
  first: Floats;
  second: Floats;
  settings: AdamSettings;
}

/** One AdamW update. A unit is an element. */
export const adamwKernel: Kernel<AdamwArgs> = (from, to, { parameter, gradient, first, second, settings }) => {
  const range = (values: Floats) => values.subarray(from, to);
  adamwUpdate(range(parameter), range(gradient), range(first), range(second), settings);
};
