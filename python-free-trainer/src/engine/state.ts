import type { Backend, Tensor } from '../backend/backend.ts';
import type { Adapter, LoraPair } from '../model/adapter.ts';
import { adapterMismatch } from '../model/errors.ts';
import { type Trained, type TrainedAdapter, trainedMatrices } from '../model/lora.ts';
import { targetName } from '../model/targets.ts';
import type { OptimiserState } from './engine.ts';
import { stateMismatch } from './errors.ts';

/** A copy of the adapter as it is now. */
export async function readAdapter(backend: Backend, adapter: TrainedAdapter): Promise<Adapter> {
  const { r, alpha, rslora } = adapter;
  const pairs: LoraPair[] = [];
  for (const { layer, target, a, b } of adapter.pairs) {
    const values = { a: await floats(backend, a.value), b: await floats(backend, b.value) };
    pairs.push({ layer, target, in: a.value.cols, out: b.value.rows, ...values });
  }
  return { r, alpha, rslora, pairs };
}

/** Copies of the moments of AdamW, of each pair A, then B. */
export async function readMoments(
  backend: Backend,
  matrices: readonly Trained[],
): Promise<Pick<OptimiserState, 'firstMoments' | 'secondMoments'>> {
  const firstMoments: Float32Array[] = [];
  const secondMoments: Float32Array[] = [];
  for (const { first, second } of matrices) {
    firstMoments.push(await floats(backend, first));
    secondMoments.push(await floats(backend, second));
  }
  return { firstMoments, secondMoments };
}

async function floats(backend: Backend, tensor: Tensor): Promise<Float32Array> {
  const values = await backend.read(tensor);
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

/**
 * Puts a saved state back and clears the gradients.
 *
 * @throws AppError `adapter_mismatch`, `state_mismatch`, with nothing changed
 */
export function writeState(
  backend: Backend,
  trained: TrainedAdapter,
  adapter: Adapter,
  { firstMoments, secondMoments }: OptimiserState,
): void {
  checkAdapter(trained, adapter);
  const matrices = trainedMatrices(trained);
  const values = adapter.pairs.flatMap(({ a, b }) => [a, b]);
  checkSizes(matrices, firstMoments, 'the first moments');
  checkSizes(matrices, secondMoments, 'the second moments');
  for (const [index, matrix] of matrices.entries()) {
    backend.write(matrix.value, values[index] ?? new Float32Array());
    backend.write(matrix.first, firstMoments[index] ?? new Float32Array());
    backend.write(matrix.second, secondMoments[index] ?? new Float32Array());
    backend.fill(matrix.gradient, 0);
  }
}

function checkAdapter(trained: TrainedAdapter, adapter: Adapter): void {
  const { r, alpha, rslora } = trained;
  if (adapter.pairs.length !== trained.pairs.length) throw stateMismatch("the adapter's matrices");
  if (adapter.r !== r || adapter.alpha !== alpha || adapter.rslora !== rslora)
    throw stateMismatch("the adapter's rank and scale");
  for (const [index, { layer, target, a, b }] of trained.pairs.entries()) {
    const pair = adapter.pairs[index];
    const same = pair?.layer === layer && pair.target === target;
    if (!same || pair.a.length !== a.value.rows * a.value.cols || pair.b.length !== b.value.rows * b.value.cols)
      throw adapterMismatch(targetName(layer, target));
  }
}

function checkSizes(matrices: readonly Trained[], values: readonly Float32Array[], what: string): void {
  const fits = matrices.every(({ value }, index) => values[index]?.length === value.rows * value.cols);
  if (!fits || values.length !== matrices.length) throw stateMismatch(what);
}
