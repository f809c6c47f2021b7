import { join } from 'node:path';
import { AppError, toWireError } from '../../../src/protocol/errors.ts';
import { createTokenizer } from '../data/tokenizer.ts';
import type { TokenizerDefinition } from '../data/tokenizer-definition.ts';
import { readFolderTokenizer } from '../data/tokenizer-folder.ts';
import { ggufTokenizer } from '../data/tokenizer-gguf.ts';
import { elementsOf } from '../io/expected-shapes.ts';
import type { GgufFile } from '../io/gguf-read.ts';
import { checkGgufTensors, ggufTitle, ggufTypes, readGgufConfig } from '../io/gguf-weights.ts';
import { closeShards, folderTitle, folderTypes, openFolder } from '../io/hf-weights.ts';
import { ModelFile } from '../io/model-file.ts';
import { openWeights } from '../io/weights.ts';
import { type ModelDescription, shownMetadata, type TokenizerFacts, type WeightsCheck } from './description.ts';

/** Describes the model in an open GGUF file. @throws AppError as `openWeights` */
export async function describeGguf(gguf: GgufFile): Promise<ModelDescription> {
  const { path, bytes } = gguf.file;
  const config = await readGgufConfig(gguf);
  const shapes = checkGgufTensors(gguf, config);
  return {
    kind: 'model',
    path,
    name: ggufTitle(gguf),
    container: 'gguf',
    bytes,
    config,
    parameters: countParameters(shapes),
    types: ggufTypes(gguf),
    ...(await describeTokenizer(async () => ggufTokenizer(path, gguf.metadata))),
    metadata: shownMetadata(gguf.metadata),
    check: null,
  };
}

/** Describes the model in a folder in Hugging Face's layout. @throws AppError as `openWeights` */
export async function describeFolder(folder: string): Promise<ModelDescription> {
  const { config, shards, shapes } = await openFolder(folder);
  try {
    return {
      kind: 'model',
      path: folder,
      name: folderTitle(folder),
      container: 'safetensors',
      bytes: shards.files.reduce((sum, { file }) => sum + file.bytes, await sizeOf(join(folder, 'config.json'))),
      config,
      parameters: countParameters(shapes),
      types: folderTypes(shards),
      ...(await describeTokenizer(() => readFolderTokenizer(folder))),
      metadata: shownMetadata(Object.entries(shards.files[0]?.metadata ?? {})),
      check: null,
    };
  } finally {
    await closeShards(shards);
  }
}

/** Reads all weights. @throws AppError `model_unreadable` where one is not finite */
export async function checkWeights(path: string, signal: AbortSignal): Promise<WeightsCheck> {
  const source = await openWeights(path);
  try {
    let largest = 0;
    for (const name of source.shapes.keys()) {
      signal.throwIfAborted();
      for (const value of await source.read(name)) largest = Math.max(largest, Math.abs(value));
    }
    return { sha256: source.file.sha256, largest };
  } finally {
    await source.close();
  }
}

function countParameters(shapes: ReadonlyMap<string, readonly number[]>): number {
  return [...shapes.values()].reduce((sum, shape) => sum + elementsOf(shape), 0);
}

async function sizeOf(path: string): Promise<number> {
  const file = await ModelFile.open(path);
  await file.close();
  return file.bytes;
}

/** A model without a tokenizer is a model all the same; what is wrong with it is told. */
async function describeTokenizer(
  read: () => Promise<TokenizerDefinition>,
): Promise<Pick<ModelDescription, 'tokenizer' | 'tokenizer_problem' | 'chat_template'>> {
  try {
    const definition = await read();
    const chatTemplate = definition.chatTemplate !== null;
    return { tokenizer: factsOf(definition), tokenizer_problem: null, chat_template: chatTemplate };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { tokenizer: null, tokenizer_problem: toWireError(error), chat_template: false };
  }
}

function factsOf(definition: TokenizerDefinition): TokenizerFacts {
  const { size, special } = createTokenizer(definition);
  const { bos, eos, pad, hash } = definition;
  return {
    tokens: size,
    merges: definition.json.model.merges.length,
    special: special.size,
    bos,
    eos,
    pad,
    sha256: hash,
  };
}
