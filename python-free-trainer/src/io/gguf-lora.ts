import { AppError } from '../../../src/protocol/errors.ts';
import { type Adapter, type LoraPair, loraScale } from '../model/adapter.ts';
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
import {
  adapterDamaged,
  adapterMismatch,
  adapterMissing,
  adapterOutOfRange,
  adapterUnsupported,
} from './adapter-errors.ts';
import { type Factor, factorOf, ggufName, weightName } from './adapter-names.ts';
import { dequantise, KNOWN_TYPES } from './dequant.ts';
import { f16ToFloat, firstNotFinite } from './dequant-floats.ts';
import { elementsOf } from './expected-shapes.ts';
import type { TypedValue } from './gguf-bytes.ts';
import { ORIGIN_KEYS, originMetadata } from './gguf-origin.ts';
import { type GgufFile, type GgufTensorInfo, readGguf } from './gguf-read.ts';
import { type GgufTensorToWrite, writeGguf } from './gguf-write.ts';
import type { ReadAdapter } from './peft.ts';
import { toStored } from './quantise.ts';
import { interleavedHeads, interleaveHalves, separateHalves } from './rotary-rows.ts';

const KEYS = {
  type: 'general.type',
  architecture: 'general.architecture',
  name: 'general.name',
  adapterType: 'adapter.type',
  /** llama.cpp multiplies with it, divided by the rank. */
  alpha: 'adapter.lora.alpha',
  /** The adapter's own alpha and kind of scale, which the one above holds as a product. */
  ownAlpha: 'sql_agent.lora.alpha',
  rslora: 'sql_agent.lora.rslora',
  sha256: 'sql_agent.sha256',
} as const;

/** Heads whose rows of a factor stand interleaved in the file: those of B, which are the weight's own. */
function permutedHeads(config: ModelConfig, factor: Factor): number {
  return factor.side === 'b' ? interleavedHeads(config, weightName(factor)) : 0;
}

interface StoredTensor extends WrittenTensor {
  type: 'F16' | 'F32';
}

function toTensor(pair: LoraPair, side: 'a' | 'b', r: number, config: ModelConfig, type: 'F16' | 'F32'): StoredTensor {
  const factor = { layer: pair.layer, target: pair.target, side };
  const heads = permutedHeads(config, factor);
  const values = heads > 0 ? interleaveHalves(pair[side], heads, r) : pair[side];
  const name = ggufName(factor);
  const bytes = toStored(type, values);
  if (type === 'F16') {
    const rounded = new Float32Array(values.length);
    f16ToFloat(new Uint16Array(bytes.buffer), rounded);
    if (firstNotFinite(rounded) >= 0) throw adapterOutOfRange(name);
  }
  return { name, type, shape: side === 'a' ? [r, pair.in] : [pair.out, r], bytes };
}

/**
 * Writes an adapter as llama.cpp reads it, alone or from the command line, for a base of this configuration.
 * @param type what the numbers are stored as; F16 rounds them
 * @throws AppError `adapter_not_finite`, `export_out_of_range`, `file_not_written`
 */
export async function writeGgufLora(
  path: string,
  adapter: Adapter,
  config: ModelConfig,
  about: AdapterAbout,
  type: 'F16' | 'F32' = 'F16',
): Promise<void> {
  checkAdapter(adapter);
  const { r, alpha, rslora, pairs } = adapter;
  const tensors = pairs.flatMap((pair) => [toTensor(pair, 'a', r, config, type), toTensor(pair, 'b', r, config, type)]);
  const origin = originOf(about);
  const metadata = new Map<string, TypedValue>([
    [KEYS.type, { type: 'string', value: 'adapter' }],
    [KEYS.architecture, { type: 'string', value: config.architecture }],
    [KEYS.name, { type: 'string', value: `LoRA for ${about.baseName}` }],
    [KEYS.adapterType, { type: 'string', value: 'lora' }],
    [KEYS.alpha, { type: 'float32', value: loraScale(adapter) * r }],
    [KEYS.ownAlpha, { type: 'float64', value: alpha }],
    [KEYS.rslora, { type: 'bool', value: rslora }],
    ...originMetadata(origin),
    [KEYS.sha256, { type: 'string', value: fingerprint(adapter, origin, tensors) }],
  ]);
  const toWrite = tensors.map((tensor): GgufTensorToWrite => ({ ...tensor, data: () => [tensor.bytes] }));
  await writeGguf(path, metadata, toWrite);
}

function text(file: GgufFile, key: string): string | null {
  const value = file.metadata.get(key);
  return typeof value === 'string' ? value : null;
}

function checkKind(path: string, file: GgufFile, config: ModelConfig): void {
  if (text(file, KEYS.type) !== 'adapter') throw adapterUnsupported(path, 'it is a GGUF file of another thing');
  if (text(file, KEYS.adapterType) !== 'lora') throw adapterUnsupported(path, 'it is no LoRA');
  const architecture = text(file, KEYS.architecture);
  if (architecture !== config.architecture)
    throw adapterMismatch(
      path,
      `it is for ${architecture ?? 'an unnamed architecture'}, and the base is ${config.architecture}`,
    );
  if (file.metadata.has('adapter.alora.invocation_tokens'))
    throw adapterUnsupported(path, 'it works from certain tokens on only (aLoRA)');
}

async function readFactor(path: string, file: GgufFile, tensor: GgufTensorInfo, config: ModelConfig) {
  const { name, shape, type } = tensor;
  const factor = factorOf(name, ggufName);
  if (!factor) throw adapterUnsupported(path, `it brings ${name}`);
  if (!KNOWN_TYPES.includes(type.name)) throw adapterUnsupported(path, `${name} is stored as ${type.name}`);
  const bytes = await file.readRaw(tensor);
  const values = new Float32Array(elementsOf(shape));
  dequantise(type.name, bytes, values);
  const heads = permutedHeads(config, factor);
  const [rows = 0, columns = 0] = shape;
  const fits = heads > 0 && rows === heads * config.headDim;
  const stored: StoredFactor = {
    ...factor,
    name,
    shape,
    values: fits ? separateHalves(values, heads, columns) : values,
  };
  return { stored, written: { name, type: type.name, shape, bytes } };
}

/** The scale as the adapter's own fields say it, or as llama.cpp understands the file. */
function scaleOf(path: string, file: GgufFile): { alpha: (r: number) => number; rslora: boolean } {
  const [alpha, own, rslora] = [KEYS.alpha, KEYS.ownAlpha, KEYS.rslora].map((key) => file.metadata.get(key));
  if (alpha !== undefined && typeof alpha !== 'number') throw adapterDamaged(path, `${KEYS.alpha} is not a number`);
  if (typeof own !== 'number' || typeof rslora !== 'boolean') {
    // Without an alpha llama.cpp does not scale.
    return { alpha: (r) => alpha || r, rslora: false };
  }
  const ownAlpha = (r: number): number => {
    if (alpha !== Math.fround(loraScale({ r, alpha: own, rslora }) * r))
      throw adapterDamaged(path, `${KEYS.alpha} and ${KEYS.ownAlpha} contradict each other`);
    return own;
  };
  return { alpha: ownAlpha, rslora };
}

function checkedOrigin(path: string, file: GgufFile, adapter: Adapter, written: WrittenTensor[]): AdapterOrigin {
  const sha256 = text(file, KEYS.sha256);
  if (sha256 === null) return UNKNOWN_ORIGIN;
  const origin = {
    baseName: text(file, ORIGIN_KEYS.baseName),
    baseHash: text(file, ORIGIN_KEYS.baseHash),
    dataHash: text(file, ORIGIN_KEYS.dataHash),
    runId: text(file, ORIGIN_KEYS.runId),
    repairs: text(file, ORIGIN_KEYS.repairs) === YES,
  };
  if (fingerprint(adapter, origin, written) !== sha256)
    throw adapterDamaged(path, 'its numbers or its scale are not those that were written');
  return origin;
}

async function readOpen(path: string, file: GgufFile, config: ModelConfig): Promise<ReadAdapter> {
  checkKind(path, file, config);
  const factors: StoredFactor[] = [];
  const written: WrittenTensor[] = [];
  for (const tensor of file.tensors.values()) {
    const factor = await readFactor(path, file, tensor, config);
    factors.push(factor.stored);
    written.push(factor.written);
  }
  const facts = { ...scaleOf(path, file), r: null, layers: null, targets: null };
  const adapter = buildAdapter(path, factors, config, facts);
  return { adapter, origin: checkedOrigin(path, file, adapter, written) };
}

/**
 * Reads a GGUF adapter for a model of this configuration.
 * @throws AppError `adapter_missing`, `adapter_unsupported`, `adapter_damaged`, `adapter_mismatch`, `adapter_not_finite`
 */
export async function readGgufLora(path: string, config: ModelConfig): Promise<ReadAdapter> {
  let file: GgufFile | null = null;
  try {
    file = await readGguf(path);
    return await readOpen(path, file, config);
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith('model_')) throw error;
    if (error.code === 'model_missing') throw adapterMissing(path);
    throw adapterDamaged(path, String(error.data['reason'] ?? error.message));
  } finally {
    await file?.close();
  }
}
