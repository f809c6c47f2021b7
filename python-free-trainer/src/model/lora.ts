import type { LoraTarget } from '../../../src/protocol/training.ts';
import type { Backend, Projection, ProjectionAdapter, Tensor } from '../backend/backend.ts';
import { type Adapter, type LoraPair, loraScale } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import { adapterMismatch } from './errors.ts';
import { philox } from './philox.ts';
import { type ProjectionName, TARGETS, targetName, targetPlace } from './targets.ts';
import type { LayerWeights, ModelWeights } from './weights.ts';

export interface LoraSettings {
  r: number;
  alpha: number;
  rslora: boolean;
  targets: readonly LoraTarget[];
}

/** A trained matrix on the device: values, gradient, and the moments of AdamW, all of one shape. */
export interface Trained {
  value: Tensor;
  gradient: Tensor;
  first: Tensor;
  second: Tensor;
}

/** The adapter of one linear layer on the device. */
export interface TrainedPair {
  layer: number;
  target: LoraTarget;
  a: Trained;
  b: Trained;
}

/** A whole adapter on the device; pairs ordered by layer, then as in `LoraTarget`. */
export interface TrainedAdapter {
  r: number;
  alpha: number;
  rslora: boolean;
  pairs: TrainedPair[];
  /** All matrices of all pairs as one of a single row, for what is done to each number. */
  all: Trained;
}

/** One block as the forward and backward pass see it: its weights, with adapters or without. */
export interface Block extends Record<ProjectionName, Projection> {
  weights: LayerWeights;
}

/**
 * A fresh adapter as peft makes it: A uniform in ±1/√in (Kaiming with a = √5), B zero, so that it changes nothing yet. Each
 * value of A depends on the seed and on its own place alone, not on the set of targets.
 */
export function freshAdapter(config: ModelConfig, settings: LoraSettings, seed: number): Adapter {
  const { r, alpha, rslora } = settings;
  const pairs: LoraPair[] = [];
  for (let layer = 0; layer < config.layers; layer++)
    for (const [index, target] of TARGETS.entries()) {
      if (!settings.targets.includes(target)) continue;
      const place = targetPlace(config, target);
      const a = uniform(r * place.in, 1 / Math.sqrt(place.in), seed, layer, index);
      pairs.push({ layer, target, in: place.in, out: place.out, a, b: new Float32Array(place.out * r) });
    }
  return { r, alpha, rslora, pairs };
}

function uniform(count: number, bound: number, seed: number, layer: number, target: number): Float32Array {
  const values = new Float32Array(count);
  const key = [seed | 0, Math.floor(seed / 0x1_0000_0000) | 0] as const;
  for (let start = 0; start < count; start += 4)
    for (const [offset, word] of philox([start, layer, target, 0], key).entries())
      if (start + offset < count) values[start + offset] = bound * ((2 * (word + 0.5)) / 0x1_0000_0000 - 1);
  return values;
}

/**
 * Brings an adapter to the device, with gradients and moments of zero.
 *
 * @throws AppError `adapter_mismatch` where it does not fit the model
 */
export function trainAdapter(backend: Backend, config: ModelConfig, adapter: Adapter): TrainedAdapter {
  const { r, alpha, rslora } = adapter;
  for (const { layer, target, in: width, out, a, b } of adapter.pairs) {
    const place = targetPlace(config, target);
    const fits = width === place.in && out === place.out && layer < config.layers;
    if (!fits || a.length !== r * width || b.length !== r * out) throw adapterMismatch(targetName(layer, target));
  }
  // All A first: those that read the same input lie beside each other, and their gradients can be one product.
  const matrices = new TrainedMatrices(backend, [
    ...adapter.pairs.map((pair) => ({ rows: r, cols: pair.in })),
    ...adapter.pairs.map((pair) => ({ rows: pair.out, cols: r })),
  ]);
  const pairs = adapter.pairs.map(({ layer, target, a, b }, index) => ({
    layer,
    target,
    a: matrices.at(index, a),
    b: matrices.at(adapter.pairs.length + index, b),
  }));
  return { r, alpha, rslora, pairs, all: matrices.all };
}

/** Matrices of these shapes, of each kind of numbers one behind the other. */
class TrainedMatrices {
  readonly all: Trained;
  readonly #backend: Backend;
  readonly #parts: Record<keyof Trained, Tensor[]>;

  constructor(backend: Backend, shapes: readonly Tensor[]) {
    const [value, gradient, first, second] = [0, 1, 2, 3].map(() => backend.contiguous(shapes)) as [Run, Run, Run, Run];
    this.#backend = backend;
    this.all = { value: value.all, gradient: gradient.all, first: first.all, second: second.all };
    this.#parts = { value: value.parts, gradient: gradient.parts, first: first.parts, second: second.parts };
  }

  /** A matrix, with these values. */
  at(index: number, values: Float32Array): Trained {
    const { value, gradient, first, second } = this.#parts;
    const matrix = { value: value[index], gradient: gradient[index], first: first[index], second: second[index] };
    this.#backend.write((matrix as Trained).value, values);
    return matrix as Trained;
  }
}

type Run = ReturnType<Backend['contiguous']>;

/** All trained matrices in the order of checkpoints: of each pair A, then B. */
export function trainedMatrices(adapter: TrainedAdapter): Trained[] {
  return adapter.pairs.flatMap((pair) => [pair.a, pair.b]);
}

/** The blocks of a model with an adapter, or of the bare model. */
export function blocks(weights: ModelWeights, adapter: TrainedAdapter | null): Block[] {
  const scale = adapter === null ? 1 : loraScale(adapter);
  return weights.layers.map((layer, index) => {
    const pairs = adapter?.pairs.filter((pair) => pair.layer === index) ?? [];
    const projection = (name: ProjectionName): Projection => ({
      ...layer[name],
      adapters: pairs.flatMap((pair) => adapterOf(weights.config, pair, name)),
      scale,
    });
    return {
      weights: layer,
      qkv: projection('qkv'),
      output: projection('output'),
      gateUp: projection('gateUp'),
      down: projection('down'),
    };
  });
}

function adapterOf(config: ModelConfig, pair: TrainedPair, name: ProjectionName): ProjectionAdapter[] {
  const place = targetPlace(config, pair.target);
  if (place.projection !== name) return [];
  const { a, b } = pair;
  return [{ from: place.from, a: a.value, b: b.value, gradA: a.gradient, gradB: b.gradient }];
}
