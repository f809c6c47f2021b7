import { type Adapter, loraScale } from '../../../python-free-trainer/src/model/adapter.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { TARGETS, targetPlace } from '../../../python-free-trainer/src/model/targets.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import type { HashedFile, LoraTarget } from '../../../src/protocol/training.ts';

export interface RandomAdapterOptions {
  r?: number;
  alpha?: number;
  rslora?: boolean;
  targets?: readonly LoraTarget[];
  /** How large scale · B A is about, beside weights of 1 / sqrt(in). */
  strength?: number;
}

/** An adapter of a seed that changes every layer. */
export function randomAdapter(config: ModelConfig, seed: number, options: RandomAdapterOptions = {}): Adapter {
  const { r = 4, alpha = 8, rslora = false, targets = TARGETS, strength = 0.3 } = options;
  const random = new Random(seed);
  const uniform = (count: number, spread: number): Float32Array =>
    Float32Array.from({ length: count }, () => spread * ((2 * random.uint32()) / 0x1_0000_0000 - 1));
  const adapter: Adapter = { r, alpha, rslora, pairs: [] };
  for (let layer = 0; layer < config.layers; layer++)
    for (const target of TARGETS.filter((name) => targets.includes(name))) {
      const { in: input, out } = targetPlace(config, target);
      const spread = (strength * 3) / Math.sqrt(r) / loraScale(adapter);
      const a = uniform(r * input, 1 / Math.sqrt(input));
      adapter.pairs.push({ layer, target, in: input, out, a, b: uniform(out * r, spread) });
    }
  return adapter;
}

/** A base file that there is not. */
export const SOME_FILE: HashedFile = { path: '/models/tiny', sha256: 'a'.repeat(64), bytes: 1234 };

/** What is written into the files of an adapter. */
export const SOME_ORIGIN = {
  baseName: 'Tiny',
  baseFile: SOME_FILE,
  dataHash: 'd'.repeat(64),
  runId: 'run-1',
  repairs: true,
};
