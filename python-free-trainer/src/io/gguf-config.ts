import type { Architecture, ModelConfig } from '../model/config.ts';
import { checkConfig } from './check-config.ts';
import { modelUnreadable, modelUnsupported } from './errors.ts';
import type { GgufValue } from './gguf-cursor.ts';
import type { GgufFile } from './gguf-read.ts';
import { misspelling } from './misspelling.ts';

const ARCHITECTURES: Readonly<Record<string, Architecture>> = { qwen3: 'qwen3', qwen2: 'qwen2', llama: 'llama' };

/** Settings, behind the architecture's name, that the computation depends on. */
const USED = [
  'block_count',
  'context_length',
  'embedding_length',
  'feed_forward_length',
  'attention.head_count',
  'attention.head_count_kv',
  'attention.key_length',
  'attention.value_length',
  'attention.layer_norm_rms_epsilon',
  'attention.sliding_window',
  'attention.causal',
  'expert_count',
  'expert_used_count',
  'rope.dimension_count',
  'rope.freq_base',
  'rope.scaling.type',
  'rope.scaling.factor',
] as const;
/** Settings that change nothing of it. */
const HARMLESS = ['vocab_size', 'tensor_data_layout', 'rope.scaling.original_context_length', 'rope.scaling.finetuned'];

/**
 * The shape of the model in a GGUF file. Source of keys and defaults: gguf.md, and llama.cpp's llama-model.cpp.
 * @param ropeFactors the values of `rope_freqs.weight`, null where there is none
 * @throws AppError `model_unreadable`, `model_unsupported`
 */
export function ggufConfig(file: GgufFile, ropeFactors: readonly number[] | null): ModelConfig {
  const path = file.file.path;
  const architecture = architectureOf(file);
  const settings = new Settings(file, architecture);
  settings.checkKeys();
  checkUsual(path, settings);
  const embedding = file.tensors.get('token_embd.weight');
  const hidden = settings.size('embedding_length');
  const heads = settings.size('attention.head_count');
  const headDim = settings.size('attention.key_length', hidden / heads);
  if (settings.size('attention.value_length', headDim) !== headDim)
    throw modelUnsupported(path, 'its keys and values have different lengths');
  if (settings.size('rope.dimension_count', headDim) !== headDim)
    throw modelUnsupported(path, 'it rotates only a part of each head');
  const config: ModelConfig = {
    architecture,
    hidden,
    layers: settings.size('block_count'),
    heads,
    kvHeads: settings.size('attention.head_count_kv', heads),
    headDim,
    ffn: settings.size('feed_forward_length'),
    vocab: embedding?.shape[0] ?? 0,
    tied: !file.tensors.has('output.weight'),
    ropeTheta: settings.float('rope.freq_base', 10_000),
    ropeScaling: null,
    ropeFactors,
    rmsEps: settings.float('attention.layer_norm_rms_epsilon'),
    qkvBias: architecture === 'qwen2',
    qkNorm: architecture === 'qwen3',
    maxPositions: settings.size('context_length'),
  };
  checkConfig(path, config);
  checkVocabulary(path, file, config);
  if (ropeFactors && ropeFactors.length !== headDim / 2)
    throw modelUnreadable(path, `rope_freqs.weight has ${ropeFactors.length} factors, where ${headDim / 2} are needed`);
  return config;
}

function architectureOf({ file, metadata }: GgufFile): Architecture {
  const type = metadata.get('general.type') ?? 'model';
  if (type === 'adapter') throw modelUnsupported(file.path, 'it is an adapter, not a model');
  if (Number(metadata.get('split.count') ?? 1) > 1)
    throw modelUnsupported(file.path, 'it is one of several parts; join them with llama-gguf-split --merge first');
  const name = metadata.get('general.architecture');
  if (typeof name !== 'string') throw modelUnreadable(file.path, 'it does not name its architecture');
  const architecture = Object.hasOwn(ARCHITECTURES, name) ? ARCHITECTURES[name] : undefined;
  if (!architecture) throw modelUnsupported(file.path, `its architecture is ${name}`);
  return architecture;
}

function checkUsual(path: string, settings: Settings): void {
  if (Number(settings.get('expert_count') ?? 0) > 0) throw modelUnsupported(path, 'it is a mixture of experts');
  if (Number(settings.get('attention.sliding_window') ?? 0) > 0)
    throw modelUnsupported(path, 'its attention has a sliding window');
  if (settings.get('attention.causal') === false) throw modelUnsupported(path, 'its attention looks ahead');
  const scaling = settings.get('rope.scaling.type') ?? 'none';
  if (scaling !== 'none' && settings.get('rope.scaling.factor') !== 1)
    throw modelUnsupported(path, `it stretches its rotation in a way that is not known: ${String(scaling)}`);
}

function checkVocabulary(path: string, { metadata }: GgufFile, { vocab }: ModelConfig): void {
  const tokens = metadata.get('tokenizer.ggml.tokens');
  if (Array.isArray(tokens) && tokens.length !== vocab)
    throw modelUnreadable(path, `it has ${tokens.length} tokens, and embeddings of ${vocab}`);
}

/** The metadata that begin with the architecture's name. */
class Settings {
  readonly #path: string;
  readonly #prefix: string;
  readonly #metadata: ReadonlyMap<string, GgufValue>;
  readonly #floats: ReadonlySet<string>;

  constructor({ file, metadata, floats }: GgufFile, prefix: string) {
    this.#path = file.path;
    this.#prefix = prefix;
    this.#metadata = metadata;
    this.#floats = floats;
  }

  get(key: (typeof USED)[number]): GgufValue | undefined {
    return this.#metadata.get(`${this.#prefix}.${key}`);
  }

  /** A natural number; what stands once a layer must be the same in each. */
  size(key: (typeof USED)[number], otherwise?: number): number {
    const value = this.get(key) ?? otherwise;
    const first = Array.isArray(value) && value.every((item) => item === value[0]) ? value[0] : value;
    if (Array.isArray(first)) throw modelUnsupported(this.#path, `${key} differs between its layers`);
    if (typeof first !== 'number' || !Number.isInteger(first)) throw this.#missing(key, first);
    return first;
  }

  /** A number that was written as float32: the shortest one that stands for the same. */
  float(key: (typeof USED)[number], otherwise?: number): number {
    const stored = this.get(key);
    const value = stored ?? otherwise;
    const isFloat = stored === undefined || this.#floats.has(`${this.#prefix}.${key}`);
    if (typeof value !== 'number' || !isFloat) throw this.#missing(key, value);
    const short = Number(value.toPrecision(7));
    return Math.fround(short) === value ? short : value;
  }

  /** Refuses what it does not know: it may change the computation, or be a damaged name. */
  checkKeys(): void {
    const known = [...USED, ...HARMLESS].map((key) => `${this.#prefix}.${key}`);
    for (const key of this.#metadata.keys())
      if (key.startsWith(`${this.#prefix}.`) && !known.includes(key))
        throw modelUnsupported(this.#path, `it sets ${key}, which is not known`);
    const slip = misspelling(this.#metadata.keys(), [...known, 'general.type', 'split.count']);
    if (slip) throw modelUnreadable(this.#path, `it sets ${slip.key}, which looks like a damaged ${slip.meant}`);
  }

  #missing(key: string, value: unknown): Error {
    const name = `${this.#prefix}.${key}`;
    return modelUnreadable(
      this.#path,
      value === undefined ? `its metadata lack ${name}` : `its metadata say ${String(value)} for ${name}`,
    );
  }
}
