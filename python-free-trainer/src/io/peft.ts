import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/protocol/errors.ts';
import type { Adapter } from '../model/adapter.ts';
import type { ModelConfig } from '../model/config.ts';
import {
  type AdapterAbout,
  type AdapterOrigin,
  fingerprint,
  originOf,
  UNKNOWN_ORIGIN,
  type WrittenTensor,
  YES,
} from './adapter-about.ts';
import { buildAdapter, checkAdapter, type StoredFactor } from './adapter-build.ts';
import { adapterDamaged, adapterMissing, adapterUnsupported } from './adapter-errors.ts';
import { factorOf, peftName } from './adapter-names.ts';
import { fileNotWritten } from './errors.ts';
import { modelCard } from './peft-card.ts';
import { parsePeftConfig, peftConfigText } from './peft-config.ts';
import { replaceFile } from './replace-file.ts';
import { readSafetensors, type SafetensorsTensor, writeSafetensors } from './safetensors.ts';

/** Names of the files of a PEFT folder. */
const CONFIG = 'adapter_config.json';
const TENSORS = 'adapter_model.safetensors';
const CARD = 'README.md';

/** An adapter with what its file says about its origin. */
export interface ReadAdapter {
  adapter: Adapter;
  origin: AdapterOrigin;
}

async function readText(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, CONFIG), 'utf8');
  } catch {
    throw adapterMissing(folder);
  }
}

async function readTensors(folder: string): ReturnType<typeof readSafetensors> {
  try {
    return await readSafetensors(join(folder, TENSORS));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'model_missing') throw adapterMissing(folder);
    throw adapterDamaged(folder, `${TENSORS}: ${String(error.data['reason'] ?? error.message)}`);
  }
}

function toFactor(folder: string, name: string, { shape, data }: SafetensorsTensor): StoredFactor {
  const factor = factorOf(name, peftName);
  if (!factor) throw adapterUnsupported(folder, `it brings ${name}`);
  if (!(data instanceof Float32Array)) throw adapterUnsupported(folder, `${name} is not of type F32, F16 or BF16`);
  return { ...factor, name, shape, values: data };
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

type NamedValues = Pick<StoredFactor, 'name' | 'shape' | 'values'>;

/** In the order in which PEFT writes them. */
function byName<T extends NamedValues>(factors: readonly T[]): T[] {
  return factors.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The tensors as they are hashed: by name, so that their order in the file is nothing. */
function written(factors: readonly NamedValues[]): WrittenTensor[] {
  return byName(factors).map(({ name, shape, values }) => ({ name, type: 'F32', shape, bytes: bytesOf(values) }));
}

/** What our own metadata say, checked against the numbers; files of others have none. */
function checkedOrigin(
  folder: string,
  metadata: Readonly<Record<string, string>>,
  facts: { r: number; alpha: number; rslora: boolean },
  factors: readonly StoredFactor[],
): AdapterOrigin {
  const { sha256 } = metadata;
  if (sha256 === undefined) return UNKNOWN_ORIGIN;
  const origin = {
    baseName: metadata['base_name'] ?? null,
    baseHash: metadata['base_sha256'] ?? null,
    dataHash: metadata['data_sha256'] ?? null,
    runId: metadata['run_id'] ?? null,
    repairs: metadata['repairs'] === YES,
  };
  if (fingerprint(facts, origin, written(factors)) !== sha256)
    throw adapterDamaged(folder, 'its numbers or its scale are not those that were written');
  return origin;
}

/**
 * Reads a PEFT folder for a model of this configuration; numbers of F16 and BF16 become float32.
 * @throws AppError `adapter_missing`, `adapter_unsupported`, `adapter_damaged`, `adapter_mismatch`, `adapter_not_finite`
 */
export async function readPeft(folder: string, config: ModelConfig): Promise<ReadAdapter> {
  const facts = parsePeftConfig(folder, await readText(folder));
  const { metadata, tensors } = await readTensors(folder);
  const factors = [...tensors].map(([name, tensor]) => toFactor(folder, name, tensor));
  const adapter = buildAdapter(folder, factors, config, {
    ...facts,
    alpha: () => facts.alpha,
    layers: facts.layers ?? Array.from({ length: config.layers }, (_, layer) => layer),
  });
  return { adapter, origin: checkedOrigin(folder, metadata, facts, factors) };
}

function metadataOf(adapter: Adapter, origin: AdapterOrigin, tensors: WrittenTensor[]): Record<string, string> {
  const metadata: Record<string, string> = { format: 'pt' };
  const { baseName, baseHash, dataHash, runId, repairs } = origin;
  const said = repairs ? YES : null;
  const facts = { base_name: baseName, base_sha256: baseHash, data_sha256: dataHash, run_id: runId, repairs: said };
  for (const [key, value] of Object.entries(facts)) if (value !== null) metadata[key] = value;
  metadata['sha256'] = fingerprint(adapter, origin, tensors);
  return metadata;
}

/**
 * Writes a PEFT folder, in float32: configuration and tensors as PEFT's `save_pretrained` does, the origin in the metadata
 * of the tensors and in a README.md. The folder is made where it is not there.
 * @throws AppError `adapter_not_finite`, `file_not_written`
 */
export async function writePeft(folder: string, adapter: Adapter, about: AdapterAbout): Promise<void> {
  checkAdapter(adapter);
  const factors = adapter.pairs.flatMap(({ layer, target, in: input, out, a, b }) => [
    { name: peftName({ layer, target, side: 'a' }), shape: [adapter.r, input], values: a },
    { name: peftName({ layer, target, side: 'b' }), shape: [out, adapter.r], values: b },
  ]);
  const metadata = metadataOf(adapter, originOf(about), written(factors));
  const tensors = byName(factors).map(({ name, shape, values }) => [name, { shape, data: values }] as const);
  try {
    await mkdir(folder, { recursive: true });
    await writeSafetensors(join(folder, TENSORS), new Map(tensors), metadata);
    const { path } = about.baseFile;
    const base = path.endsWith('.gguf') ? about.baseName : path;
    await replaceFile(join(folder, CONFIG), (file) => file.writeFile(peftConfigText(adapter, base)));
    await replaceFile(join(folder, CARD), (file) => file.writeFile(modelCard(adapter, about)));
  } catch (error) {
    throw error instanceof AppError ? error : fileNotWritten(folder, error);
  }
}
