import { basename, join, resolve } from 'node:path';
import type { HashedFile } from '../../../src/protocol/training.ts';
import type { ModelConfig } from '../model/config.ts';
import { checkTensors } from './check-tensors.ts';
import { checkedSource, type TensorAccess } from './checked-source.ts';
import { countTypes } from './count-types.ts';
import { modelUnsupported, tensorMissing } from './errors.ts';
import { hashFiles } from './hashed-files.ts';
import { huggingFaceConfig } from './hf-config.ts';
import { openShards, readText, type Shards } from './hf-shards.ts';
import { ModelFile } from './model-file.ts';
import type { WeightSource } from './weight-source.ts';

const CONFIG = 'config.json';
const FLOATS = ['F32', 'F16', 'BF16', 'F64'];

/**
 * The weights of a folder in Hugging Face's layout: config.json and safetensors files.
 * @throws AppError `model_missing`, `model_unreadable`, `model_unsupported`, `tensor_missing`
 */
export async function openFolderWeights(folder: string): Promise<WeightSource> {
  const { config, shards, shapes } = await openFolder(folder);
  try {
    const facts = {
      config,
      name: folderTitle(folder),
      container: 'safetensors' as const,
      types: folderTypes(shards),
      shapes,
      file: await hashFolder(folder, shards),
    };
    return checkedSource(facts, tensorAccess(folder, shards));
  } catch (error) {
    await closeShards(shards);
    throw error;
  }
}

/** A folder whose tensors are those of its configuration. */
interface OpenFolder {
  config: ModelConfig;
  shards: Shards;
  /** The shapes of the tensors that are used. */
  shapes: ReadonlyMap<string, readonly number[]>;
}

/** Opens a folder and checks it; its shards are the caller's to close. @throws as `openFolderWeights` */
export async function openFolder(folder: string): Promise<OpenFolder> {
  const configPath = join(folder, CONFIG);
  const config = huggingFaceConfig(configPath, await readText(configPath));
  const shards = await openShards(folder);
  try {
    return { config, shards, shapes: checkFolder(folder, config, shards) };
  } catch (error) {
    await closeShards(shards);
    throw error;
  }
}

export async function closeShards({ files }: Shards): Promise<void> {
  for (const file of files) await file.close();
}

function checkFolder(folder: string, config: ModelConfig, { tensors }: Shards): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  for (const [name, file] of tensors) found.set(name, file.tensors.get(name)?.shape ?? []);
  const shapes = checkTensors(folder, config, found, (name) => isUnused(name, config));
  for (const name of shapes.keys()) {
    const { dtype } = tensors.get(name)?.tensors.get(name) ?? { dtype: 'none' };
    if (!FLOATS.includes(dtype)) throw modelUnsupported(folder, `its tensor ${name} is of type ${dtype}`);
  }
  return shapes;
}

/** What may be in a folder beside the weights: frequencies of old Llama models, and a head that is the embedding table. */
function isUnused(name: string, config: ModelConfig): boolean {
  return name.endsWith('.rotary_emb.inv_freq') || (config.tied && name === 'lm_head.weight');
}

async function hashFolder(folder: string, { files }: Shards): Promise<HashedFile> {
  const config = await ModelFile.open(join(folder, CONFIG));
  try {
    return await hashFiles(folder, [config, ...files.map(({ file }) => file)]);
  } finally {
    await config.close();
  }
}

function tensorAccess(folder: string, shards: Shards): TensorAccess {
  return {
    async read(name, into) {
      const shard = shards.tensors.get(name);
      if (!shard) throw tensorMissing(folder, name);
      const values = await shard.readFloats(name, into);
      await shard.file.checkUnchanged();
      return values;
    },
    close: () => closeShards(shards),
  };
}

/** Name of the model for people. */
export function folderTitle(folder: string): string {
  return basename(resolve(folder));
}

/** Count of the tensors of all weight files by type. */
export function folderTypes({ files }: Shards): Record<string, number> {
  return countTypes(files.flatMap(({ tensors }) => [...tensors.values()].map(({ dtype }) => dtype)));
}
