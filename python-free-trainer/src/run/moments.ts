import type { OptimiserState } from '../engine/engine.ts';
import { peftName } from '../io/adapter-names.ts';
import { readSafetensors, type TensorToWrite, writeSafetensors } from '../io/safetensors.ts';
import type { Adapter } from '../model/adapter.ts';

/** The state of a run's engine: what `Engine.restore` goes on from, bit for bit. */
export interface EngineState {
  adapter: Adapter;
  optimiser: OptimiserState;
}

/** The tensors of an adapter in the order of the optimiser's moments, by names that PEFT gives them. */
function namedTensors({ pairs, r }: Adapter): { name: string; shape: [number, number]; data: Float32Array }[] {
  return pairs.flatMap(({ layer, target, in: input, out, a, b }) => [
    { name: peftName({ layer, target, side: 'a' }), shape: [r, input], data: a },
    { name: peftName({ layer, target, side: 'b' }), shape: [out, r], data: b },
  ]);
}

/**
 * Writes `trainer_state.safetensors`: each tensor of the adapter and its two moments, float32.
 * @throws AppError `file_not_written`
 */
export async function writeEngineState(path: string, { adapter, optimiser }: EngineState): Promise<void> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [index, { name, shape, data }] of namedTensors(adapter).entries()) {
    const [first, second] = [optimiser.firstMoments[index], optimiser.secondMoments[index]];
    if (!first || !second) throw new RangeError(`the optimiser has no moments for ${name}`);
    tensors.set(name, { shape, data });
    tensors.set(`exp_avg.${name}`, { shape, data: first });
    tensors.set(`exp_avg_sq.${name}`, { shape, data: second });
  }
  const { r, alpha, rslora } = adapter;
  await writeSafetensors(path, tensors, {
    step: String(optimiser.step),
    r: String(r),
    alpha: String(alpha),
    rslora: String(rslora),
  });
}

/**
 * Reads what `writeEngineState` wrote.
 * @param like an adapter of the same shapes: what the engine has
 * @throws AppError `model_unreadable`; Error saying what does not fit, without its subject
 */
export async function readEngineState(path: string, like: Adapter): Promise<EngineState> {
  const { tensors, metadata } = await readSafetensors(path);
  const take = (name: string, shape: readonly number[]): Float32Array => {
    const tensor = tensors.get(name);
    if (!tensor || !(tensor.data instanceof Float32Array)) throw new Error(`it lacks ${name} in float32`);
    if (tensor.shape.join() !== shape.join()) throw new Error(`${name} is [${tensor.shape}], not [${shape}]`);
    return tensor.data;
  };
  const named = namedTensors(like);
  const pairs = like.pairs.map((pair, index) => {
    const [a, b] = [named[2 * index], named[2 * index + 1]];
    if (!a || !b) throw new RangeError('tensors come in pairs');
    return { ...pair, a: take(a.name, a.shape), b: take(b.name, b.shape) };
  });
  return {
    adapter: { ...like, pairs },
    optimiser: {
      step: Number(metadata['step']),
      firstMoments: named.map(({ name, shape }) => take(`exp_avg.${name}`, shape)),
      secondMoments: named.map(({ name, shape }) => take(`exp_avg_sq.${name}`, shape)),
    },
  };
}
