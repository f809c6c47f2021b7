import type { HashedFile } from '../../../src/protocol/training.ts';
import type { ModelConfig } from '../model/config.ts';

/**
 * The weights of a model, whatever file they come from, by Hugging Face's names (`model.embed_tokens.weight`,
 * `model.layers.0.self_attn.q_proj.weight` …), linear weights as [out, in] in row-major order, rows of q and k in the
 * order of the half-split rotation.
 */
export interface WeightSource {
  readonly config: ModelConfig;
  /** Name of the model for people. */
  readonly name: string;
  /** The file that names the model, with its hash (of a folder: of `config.json` and all weight files in order). */
  readonly file: HashedFile;
  /** Kind of the container, and what the weights are stored as: count of tensors by type, e.g. `{ Q4_1: 210, F32: 61 }`. */
  readonly container: 'gguf' | 'safetensors';
  readonly types: Readonly<Record<string, number>>;
  /** All names with their shapes. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /**
   * One tensor as float32 (dequantised), into `into` where given.
   * @throws AppError `tensor_missing`, `model_unreadable`
   */
  read(name: string, into?: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}
