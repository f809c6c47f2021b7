import type { LoraTarget } from '../../../src/protocol/training.ts';
import type { Adapter, LoraPair } from '../model/adapter.ts';
import type { ModelConfig } from '../model/config.ts';
import { TARGETS } from '../model/targets.ts';
import { adapterDamaged, adapterMismatch, adapterNotFinite, adapterUnsupported } from './adapter-errors.ts';
import { type Factor, weightName } from './adapter-names.ts';
import { firstNotFinite } from './dequant-floats.ts';
import { expectedShapes } from './expected-shapes.ts';

/** A factor as a file has it, row-major: A is [r, in], B [out, r]. */
export interface StoredFactor extends Factor {
  name: string;
  shape: readonly number[];
  values: Float32Array;
}

function keyOf({ layer, target }: { layer: number; target: LoraTarget }): string {
  return `${layer} ${target}`;
}

type Shapes = ReadonlyMap<string, readonly number[]>;

function checkShape(path: string, factor: StoredFactor, base: Shapes): void {
  const { name, shape, side, target, layer } = factor;
  if (shape.length !== 2) throw adapterDamaged(path, `${name} has ${shape.length} dimensions instead of 2`);
  const weight = base.get(weightName(factor));
  if (!weight) throw adapterMismatch(path, `it changes layer ${layer + 1}, which this base does not have`);
  const [has, needs] = side === 'a' ? [shape[1], weight[1]] : [shape[0], weight[0]];
  if (has !== needs)
    throw adapterMismatch(path, `${name} is [${shape.join(', ')}], and this base's ${target} needs ${needs} there`);
}

function checkFinite(values: Float32Array, where: string): void {
  if (firstNotFinite(values) >= 0) throw adapterNotFinite(where);
}

/** @throws AppError `adapter_not_finite` where a number of the adapter is NaN or infinite */
export function checkAdapter(adapter: Adapter): void {
  for (const { layer, target, a, b } of adapter.pairs) {
    checkFinite(a, `layer ${layer + 1}, ${target}`);
    checkFinite(b, `layer ${layer + 1}, ${target}`);
  }
}

function pairOf(path: string, a: StoredFactor, b: StoredFactor, r: number): LoraPair {
  const [rank = 0, width = 0] = a.shape;
  const [height = 0, other] = b.shape;
  if (other !== rank) throw adapterDamaged(path, `${a.name} has rank ${rank} and ${b.name} has rank ${other}`);
  if (rank !== r) throw adapterUnsupported(path, `its layers have different ranks (${r}, and ${rank} in ${a.name})`);
  return { layer: a.layer, target: a.target, in: width, out: height, a: a.values, b: b.values };
}

/** Every linear layer that the adapter changes must be changed in each of the layers that it is for. */
function checkComplete(path: string, pairs: Map<string, unknown>, layers: Iterable<number>, targets: LoraTarget[]) {
  for (const layer of layers)
    for (const target of targets)
      if (!pairs.has(keyOf({ layer, target })))
        throw adapterDamaged(path, `it says that it changes ${target}, and layer ${layer + 1} has none`);
}

/** What a file says beside the numbers. `layers` and `targets` null: those that are found. */
export interface AdapterFacts {
  alpha: (r: number) => number;
  rslora: boolean;
  r: number | null;
  layers: number[] | null;
  targets: LoraTarget[] | null;
}

/**
 * Puts an adapter together and checks that it is whole, that its numbers are finite, and that it fits the model.
 * @throws AppError `adapter_damaged`, `adapter_mismatch`, `adapter_unsupported`, `adapter_not_finite`
 */
export function buildAdapter(
  path: string,
  factors: readonly StoredFactor[],
  config: ModelConfig,
  facts: AdapterFacts,
): Adapter {
  const sides = { a: new Map<string, StoredFactor>(), b: new Map<string, StoredFactor>() };
  const shapes = expectedShapes(config);
  for (const factor of factors) {
    checkShape(path, factor, shapes);
    sides[factor.side].set(keyOf(factor), factor);
  }
  const first = factors.find(({ side }) => side === 'a');
  if (!first) throw adapterDamaged(path, 'it holds no LoRA');
  const r = facts.r ?? first.shape[0] ?? 0;
  if (r < 1) throw adapterDamaged(path, `its rank is ${r}`);
  const pairs: LoraPair[] = [];
  const found = [...sides.a.values()];
  if (sides.b.size !== sides.a.size) throw adapterDamaged(path, 'A and B do not come in pairs');
  for (const a of found) {
    const b = sides.b.get(keyOf(a));
    if (!b) throw adapterDamaged(path, `${a.name} has no B`);
    pairs.push(pairOf(path, a, b, r));
  }
  const layers = facts.layers ?? [...new Set(found.map(({ layer }) => layer))];
  checkComplete(path, sides.a, layers, facts.targets ?? [...new Set(found.map(({ target }) => target))]);
  pairs.sort((one, other) => one.layer - other.layer || TARGETS.indexOf(one.target) - TARGETS.indexOf(other.target));
  const adapter = { r, alpha: facts.alpha(r), rslora: facts.rslora, pairs };
  if (!Number.isFinite(adapter.alpha)) throw adapterDamaged(path, 'its alpha is not a number');
  checkAdapter(adapter);
  return adapter;
}
