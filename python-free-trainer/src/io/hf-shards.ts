import { join } from 'node:path';
import * as z from 'zod/mini';
import { modelUnreadable, tensorMissing } from './errors.ts';
import { isThere } from './is-there.ts';
import { ModelFile } from './model-file.ts';
import { SafetensorsFile } from './safetensors.ts';

const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
/** Far above the longest config.json or index. */
const MOST_TEXT_BYTES = 64 << 20;

const Index = z.object({ weight_map: z.record(z.string(), z.string()) });

/** The weight files of a folder in order, and in which of them each tensor lies. */
export interface Shards {
  files: readonly SafetensorsFile[];
  tensors: ReadonlyMap<string, SafetensorsFile>;
}

/**
 * Opens all weight files of a folder: `model.safetensors`, or what `model.safetensors.index.json` names.
 * @throws AppError `model_unreadable` where one is missing or damaged, `tensor_missing` where it lacks what the index says
 */
export async function openShards(folder: string): Promise<Shards> {
  const single = join(folder, SINGLE);
  if (await isThere(single)) {
    const file = await SafetensorsFile.open(single);
    return { files: [file], tensors: new Map([...file.tensors.keys()].map((name) => [name, file])) };
  }
  const index = join(folder, INDEX);
  if (!(await isThere(index))) throw modelUnreadable(folder, `it holds neither ${SINGLE} nor ${INDEX}`);
  return openIndexed(folder, parseIndex(index, await readText(index)));
}

async function openIndexed(folder: string, weightMap: ReadonlyMap<string, string>): Promise<Shards> {
  const files = new Map<string, SafetensorsFile>();
  try {
    for (const name of [...new Set(weightMap.values())].sort()) files.set(name, await openShard(folder, name));
    const tensors = new Map<string, SafetensorsFile>();
    for (const [name, fileName] of weightMap) {
      const file = files.get(fileName);
      if (!file?.tensors.has(name)) throw tensorMissing(join(folder, fileName), name);
      tensors.set(name, file);
    }
    return { files: [...files.values()], tensors };
  } catch (error) {
    for (const file of files.values()) await file.close();
    throw error;
  }
}

async function openShard(folder: string, name: string): Promise<SafetensorsFile> {
  // A bare name: an index must not lead out of its folder.
  if (!/^[\w-][\w.-]*$/.test(name)) throw modelUnreadable(join(folder, INDEX), `it names a strange file: ${name}`);
  const path = join(folder, name);
  if (!(await isThere(path)))
    throw modelUnreadable(folder, `the weight file ${name}, which ${INDEX} names, is missing`);
  return SafetensorsFile.open(path);
}

function parseIndex(path: string, text: string): ReadonlyMap<string, string> {
  try {
    const parsed = Index.safeParse(JSON.parse(text));
    if (parsed.success) return new Map(Object.entries(parsed.data.weight_map));
  } catch {
    // Said below.
  }
  throw modelUnreadable(path, 'it is not a JSON object with a weight_map of names');
}

/** A whole text file of a model. @throws AppError `model_missing`, `model_unreadable` where it is absurdly long, or no UTF-8 */
export async function readText(path: string): Promise<string> {
  const file = await ModelFile.open(path);
  try {
    if (file.bytes > MOST_TEXT_BYTES) throw modelUnreadable(path, `it is absurdly long: ${file.bytes} bytes`);
    const bytes = await file.read(0, file.bytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw error instanceof TypeError ? modelUnreadable(path, 'it is not UTF-8') : error;
  } finally {
    await file.close();
  }
}
