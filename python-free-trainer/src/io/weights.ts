import { nameTheFolder } from './errors.ts';
import { openGgufWeights } from './gguf-weights.ts';
import { openFolderWeights } from './hf-weights.ts';
import { isFolder } from './is-there.ts';
import type { WeightSource } from './weight-source.ts';

/**
 * Opens the weights of a model: a GGUF file, or a folder in Hugging Face's layout. All that can be checked without reading
 * the weights is checked here; the file is read once for its SHA-256.
 * @throws AppError `model_missing`, `model_unreadable`, `model_unsupported`, `tensor_missing`
 */
export async function openWeights(path: string): Promise<WeightSource> {
  if (await isFolder(path)) return openFolderWeights(path);
  if (path.endsWith('.safetensors')) throw nameTheFolder(path);
  return openGgufWeights(path);
}
