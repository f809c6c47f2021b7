import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LoraTarget } from '../../../src/protocol/training.ts';
import { adapterDamaged, adapterMissing } from '../io/adapter-errors.ts';
import { type Factor, factorOf, ggufName, peftName } from '../io/adapter-names.ts';
import { countTypes } from '../io/count-types.ts';
import { elementsOf } from '../io/expected-shapes.ts';
import type { GgufFile } from '../io/gguf-read.ts';
import { isThere } from '../io/is-there.ts';
import { parsePeftConfig } from '../io/peft-config.ts';
import { SafetensorsFile } from '../io/safetensors.ts';
import { type AdapterDescription, shownMetadata } from './description.ts';

const CONFIG = 'adapter_config.json';
const TENSORS = 'adapter_model.safetensors';

/** A tensor of an adapter as its file names it. */
interface Listed {
  name: string;
  type: string;
  shape: readonly number[];
}

type Counted = Pick<AdapterDescription, 'layers' | 'targets' | 'parameters' | 'types'>;

/** Describes a PEFT folder by its configuration and the header of its tensors. @throws AppError `adapter_…`, `model_…` */
export async function describePeft(folder: string): Promise<AdapterDescription> {
  const text = await readFile(join(folder, CONFIG), 'utf8').catch(() => {
    throw adapterMissing(folder);
  });
  const { r, alpha, rslora } = parsePeftConfig(folder, text);
  const path = join(folder, TENSORS);
  if (!(await isThere(path))) throw adapterMissing(folder);
  const file = await SafetensorsFile.open(path);
  await file.close();
  const listed = [...file.tensors.values()].map(({ name, dtype, shape }) => ({ name, type: dtype, shape }));
  return {
    kind: 'adapter',
    path: folder,
    container: 'peft',
    bytes: file.file.bytes + Buffer.byteLength(text),
    architecture: null,
    r,
    alpha,
    rslora,
    ...count(listed, peftName),
    metadata: shownMetadata(Object.entries(file.metadata)),
    fits: null,
  };
}

/** Describes the adapter in an open GGUF file. @throws AppError `adapter_damaged` */
export function describeGgufLora(gguf: GgufFile): AdapterDescription {
  const { path, bytes } = gguf.file;
  const { metadata } = gguf;
  const listed = [...gguf.tensors.values()].map(({ name, type, shape }) => ({ name, type: type.name, shape }));
  const r = listed.find(({ name }) => name.endsWith('.lora_a'))?.shape[0];
  if (r === undefined) throw adapterDamaged(path, 'it holds no LoRA');
  const architecture = metadata.get('general.architecture');
  const alpha = metadata.get('sql_agent.lora.alpha') ?? metadata.get('adapter.lora.alpha');
  return {
    kind: 'adapter',
    path,
    container: 'gguf',
    bytes,
    architecture: typeof architecture === 'string' ? architecture : null,
    r,
    alpha: typeof alpha === 'number' && alpha !== 0 ? alpha : r,
    rslora: metadata.get('sql_agent.lora.rslora') === true,
    ...count(listed, ggufName),
    metadata: shownMetadata(metadata),
    fits: null,
  };
}

function count(listed: readonly Listed[], nameOf: (factor: Factor) => string): Counted {
  const factors = listed.flatMap(({ name }) => factorOf(name, nameOf) ?? []);
  return {
    layers: new Set(factors.map(({ layer }) => layer)).size,
    targets: LoraTarget.options.filter((target) => factors.some((factor) => factor.target === target)),
    parameters: listed.reduce((sum, { shape }) => sum + elementsOf(shape), 0),
    types: countTypes(listed.map(({ type }) => type)),
  };
}
