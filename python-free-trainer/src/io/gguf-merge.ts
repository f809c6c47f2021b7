import { type Adapter, type LoraPair, loraScale } from '../model/adapter.ts';
import { type AdapterAbout, originOf } from './adapter-about.ts';
import { checkAdapter } from './adapter-build.ts';
import { outOfRange } from './adapter-errors.ts';
import { weightName } from './adapter-names.ts';
import { firstNotFinite } from './dequant-floats.ts';
import { notFinite } from './errors.ts';
import type { TypedValue } from './gguf-bytes.ts';
import { copyMetadata } from './gguf-copy.ts';
import { hyperparameters } from './gguf-hyperparameters.ts';
import { toGgufName } from './gguf-names.ts';
import { originMetadata } from './gguf-origin.ts';
import { tokenizerMetadata } from './gguf-tokenizer.ts';
import { type GgufTensorToWrite, writeGguf } from './gguf-write.ts';
import { mergeInto } from './merge.ts';
import { Q8_BLOCK, type StoredType, toStored } from './quantise.ts';
import { interleavedHeads, interleaveHalves } from './rotary-rows.ts';
import type { WeightSource } from './weight-source.ts';

export type MergedType = 'F16' | 'Q8_0';

/** llama.cpp's numbers of the types of whole files (`llama_ftype`). */
const FILE_TYPES: Record<MergedType, number> = { F16: 1, Q8_0: 7 };

/** Largest magnitude that each type holds. */
const LARGEST: Record<StoredType, number> = { F32: Number.MAX_VALUE, F16: 65504, Q8_0: 65504 * 127 };

/** Elements that are converted and written at once. */
const PIECE = 1 << 20;

/** What of a base's metadata is not true of a file made from it. */
const LEFT_OUT = /^(general\.(file_type|quantization_version|alignment|base_model\..*)|split\..*|quantize\..*)$/;

/** As llama.cpp converts models: what is no matrix stays float32; a matrix whose rows are no whole blocks becomes F16. */
function storedType(shape: readonly number[], type: MergedType): StoredType {
  if (shape.length < 2) return 'F32';
  return type === 'Q8_0' && (shape.at(-1) ?? 0) % Q8_BLOCK !== 0 ? 'F16' : type;
}

function checkRange(path: string, name: string, values: Float32Array, type: StoredType): void {
  const index = firstNotFinite(values);
  if (index >= 0) throw notFinite(path, name, index);
  const largest = LARGEST[type];
  for (let i = 0; i < values.length; i++) if (Math.abs(values[i] as number) > largest) throw outOfRange(name, type);
}

/** The merged weights of one tensor, in pieces. */
async function* mergedPieces(
  source: WeightSource,
  name: string,
  merge: { pair: LoraPair; r: number; scale: number } | null,
  type: StoredType,
): AsyncGenerator<Uint8Array> {
  let values = await source.read(name);
  if (merge) mergeInto(values, merge.pair, merge.r, merge.scale);
  checkRange(source.file.path, name, values, type);
  const heads = interleavedHeads(source.config, name);
  if (heads > 0) values = interleaveHalves(values, heads, source.shapes.get(name)?.[1] ?? 1);
  for (let from = 0; from < values.length; from += PIECE) yield toStored(type, values.subarray(from, from + PIECE));
}

function tensorsOf(source: WeightSource, adapter: Adapter, type: MergedType): GgufTensorToWrite[] {
  const pairs = new Map(adapter.pairs.map((pair) => [weightName(pair), pair]));
  const scale = loraScale(adapter);
  const tensors: GgufTensorToWrite[] = [];
  for (const [name, shape] of source.shapes) {
    const pair = pairs.get(name);
    const stored = storedType(shape, type);
    const merge = pair ? { pair, r: adapter.r, scale } : null;
    const ggufName = toGgufName(name) ?? name;
    tensors.push({ name: ggufName, shape, type: stored, data: () => mergedPieces(source, name, merge, stored) });
  }
  const { ropeFactors } = source.config;
  if (ropeFactors) {
    const bytes = toStored('F32', Float32Array.from(ropeFactors));
    tensors.push({ name: 'rope_freqs.weight', shape: [ropeFactors.length], type: 'F32', data: () => [bytes] });
  }
  return tensors;
}

async function baseMetadata(source: WeightSource): Promise<[string, TypedValue][]> {
  const { path } = source.file;
  if (source.container === 'gguf') return [...(await copyMetadata(path))].filter(([key]) => !LEFT_OUT.test(key));
  return [
    ['general.architecture', { type: 'string', value: source.config.architecture }],
    ['general.type', { type: 'string', value: 'model' }],
    ['general.name', { type: 'string', value: source.name }],
    ...hyperparameters(source.config),
    ...(await tokenizerMetadata(path, source.config.vocab)),
  ];
}

/**
 * Writes base and adapter as one GGUF model: W + scale · B A in float32, rounded once to the type; norms and biases stay
 * float32; an output head that is the embedding table is left out. One tensor at a time is in memory.
 * @throws AppError `adapter_not_finite`, `export_unsupported`, `export_out_of_range`, `file_not_written`, and those of `read`
 */
export async function writeMerged(
  path: string,
  source: WeightSource,
  adapter: Adapter,
  type: MergedType,
  about: AdapterAbout,
): Promise<void> {
  checkAdapter(adapter);
  const metadata = new Map<string, TypedValue>([
    ...(await baseMetadata(source)),
    ['general.file_type', { type: 'uint32', value: FILE_TYPES[type] }],
    ['general.quantization_version', { type: 'uint32', value: 2 }],
    ...originMetadata(originOf(about)),
  ]);
  await writeGguf(path, metadata, tensorsOf(source, adapter, type));
}
