import type { ModelConfig } from '../model/config.ts';
import { modelUnreadable, modelUnsupported, tensorMissing } from './errors.ts';
import { expectedShapes, layerTensor } from './expected-shapes.ts';

/** More layers than any model has: a larger number is damage. */
const MOST_LAYERS = 1024;

/**
 * Compares the tensors of a file, by Hugging Face's names, with those that its configuration asks for.
 * @param ignored names that may be there and are not used
 * @returns the shapes of those that are used @throws AppError `tensor_missing`, `model_unreadable`, `model_unsupported`
 */
export function checkTensors(
  path: string,
  config: ModelConfig,
  found: ReadonlyMap<string, readonly number[]>,
  ignored: (name: string) => boolean,
): ReadonlyMap<string, readonly number[]> {
  // Before shapes are made for so many.
  if (config.layers > MOST_LAYERS) throw modelUnreadable(path, `it is said to have ${config.layers} layers`);
  if (!found.has(layerTensor(config.layers - 1, 'input_layernorm.weight')))
    throw tensorMissing(path, layerTensor(config.layers - 1, 'input_layernorm.weight'));
  const expected = expectedShapes(config);
  for (const [name, shape] of expected) {
    const actual = found.get(name);
    if (!actual) throw tensorMissing(path, name);
    if (actual.join() !== shape.join())
      throw modelUnreadable(
        path,
        `the tensor ${name} has the shape [${actual.join(', ')}], where its configuration says [${shape.join(', ')}]`,
      );
  }
  for (const name of found.keys())
    if (!expected.has(name) && !ignored(name))
      throw modelUnsupported(path, `it holds the tensor ${name}, which a model of its configuration does not have`);
  return expected;
}
