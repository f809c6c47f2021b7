import { basename } from 'node:path';
import type { ModelConfig } from '../model/config.ts';
import { checkTensors } from './check-tensors.ts';
import { checkedSource, type TensorAccess } from './checked-source.ts';
import { countTypes } from './count-types.ts';
import { dequantise, KNOWN_TYPES } from './dequant.ts';
import { modelUnsupported, tensorMissing } from './errors.ts';
import { elementsOf } from './expected-shapes.ts';
import { ggufConfig } from './gguf-config.ts';
import { toGgufName, toHuggingFaceName } from './gguf-names.ts';
import { type GgufFile, type GgufTensorInfo, readGguf } from './gguf-read.ts';
import { hashFile } from './hashed-files.ts';
import { PIECE_BYTES } from './model-file.ts';
import { interleavedHeads, separateHalves } from './rotary-rows.ts';
import type { WeightSource } from './weight-source.ts';

const ROPE_FACTORS = 'rope_freqs.weight';

/** The weights of a GGUF file. @throws AppError `model_missing`, `model_unreadable`, `model_unsupported`, `tensor_missing` */
export async function openGgufWeights(path: string): Promise<WeightSource> {
  const gguf = await readGguf(path);
  try {
    const config = await readGgufConfig(gguf);
    const facts = {
      config,
      name: ggufTitle(gguf),
      container: 'gguf' as const,
      types: ggufTypes(gguf),
      shapes: checkGgufTensors(gguf, config),
      file: await hashFile(gguf.file),
    };
    return checkedSource(facts, tensorAccess(gguf, config));
  } catch (error) {
    await gguf.close();
    throw error;
  }
}

/** The shape of the model in an open file. @throws AppError `model_unreadable`, `model_unsupported` */
export async function readGgufConfig(gguf: GgufFile): Promise<ModelConfig> {
  const factors = gguf.tensors.get(ROPE_FACTORS);
  return ggufConfig(gguf, factors ? Array.from(await readTensor(gguf, factors)) : null);
}

/** @returns the shapes of the tensors that are used, by Hugging Face's names */
export function checkGgufTensors(gguf: GgufFile, config: ModelConfig): ReadonlyMap<string, readonly number[]> {
  const path = gguf.file.path;
  const found = new Map([...gguf.tensors.values()].map(({ name, shape }) => [toHuggingFaceName(name) ?? name, shape]));
  const shapes = checkTensors(path, config, found, (name) => name === ROPE_FACTORS && config.architecture === 'llama');
  for (const { name, type } of gguf.tensors.values())
    if (!KNOWN_TYPES.includes(type.name))
      throw modelUnsupported(path, `its tensor ${name} is quantised as ${type.name}, which is not known`);
  return shapes;
}

/** Count of its tensors by type. */
export function ggufTypes({ tensors }: GgufFile): Record<string, number> {
  return countTypes([...tensors.values()].map(({ type }) => type.name));
}

/** Name of the model for people: its own, or else the file's. */
export function ggufTitle({ metadata, file }: GgufFile): string {
  const name = metadata.get('general.name');
  return typeof name === 'string' && name !== '' ? name : basename(file.path, '.gguf');
}

function tensorAccess(gguf: GgufFile, config: ModelConfig): TensorAccess {
  return {
    async read(name, into) {
      const tensor = gguf.tensors.get(toGgufName(name) ?? '');
      if (!tensor) throw tensorMissing(gguf.file.path, name);
      const out = await readTensor(gguf, tensor, into);
      await gguf.file.checkUnchanged();
      const heads = interleavedHeads(config, name);
      if (heads > 0) out.set(separateHalves(out, heads, config.hidden));
      return out;
    },
    close: () => gguf.close(),
  };
}

/** Dequantises a tensor piece by piece, so that the file's bytes never stand in memory as a whole. */
async function readTensor(gguf: GgufFile, tensor: GgufTensorInfo, into?: Float32Array): Promise<Float32Array> {
  const { type, shape, position, bytes } = tensor;
  const count = elementsOf(shape);
  const out = into ?? new Float32Array(count);
  if (out.length !== count) throw new RangeError(`${tensor.name} has ${count} elements, not ${out.length}`);
  const piece = Math.floor(PIECE_BYTES / type.bytes) * type.bytes;
  const buffer = new Uint8Array(Math.min(piece, bytes));
  for (let done = 0; done < bytes; done += piece) {
    const blocks = buffer.subarray(0, Math.min(piece, bytes - done));
    await gguf.file.readInto(blocks, position + done);
    const from = (done / type.bytes) * type.size;
    dequantise(type.name, blocks, out.subarray(from, from + (blocks.length / type.bytes) * type.size));
  }
  return out;
}
