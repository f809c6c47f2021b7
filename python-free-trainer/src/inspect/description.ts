import type { WireError } from '../../../src/protocol/errors.ts';
import type { ModelConfig } from '../model/config.ts';

/** What `inspect` tells of a model's tokenizer. */
export interface TokenizerFacts {
  tokens: number;
  merges: number;
  /** Tokens that only a frame may hold. */
  special: number;
  bos: string | null;
  eos: string | null;
  pad: string | null;
  sha256: string;
}

/** A whole reading of a model's weights. */
export interface WeightsCheck {
  sha256: string;
  /** Largest absolute value of all weights; all are finite, else the reading had thrown. */
  largest: number;
}

export interface ModelDescription {
  kind: 'model';
  path: string;
  name: string;
  container: 'gguf' | 'safetensors';
  /** Bytes of the file, or of all files that make up the model's weights and configuration. */
  bytes: number;
  config: ModelConfig;
  /** Weights, an embedding table that is also the head counted once. */
  parameters: number;
  /** Tensors by the type that they are stored as. */
  types: Readonly<Record<string, number>>;
  /** null: it cannot be used, for the reason in `tokenizer_problem`. */
  tokenizer: TokenizerFacts | null;
  tokenizer_problem: WireError | null;
  chat_template: boolean;
  /** The file's own words; long lists as their length. Of a folder: those of its first weight file. */
  metadata: Readonly<Record<string, unknown>>;
  /** null unless asked for. */
  check: WeightsCheck | null;
}

export interface AdapterDescription {
  kind: 'adapter';
  path: string;
  container: 'gguf' | 'peft';
  bytes: number;
  /** Of the base, as the file says; null where it does not. */
  architecture: string | null;
  r: number;
  alpha: number;
  rslora: boolean;
  layers: number;
  /** The linear layers that it changes. */
  targets: readonly string[];
  parameters: number;
  types: Readonly<Record<string, number>>;
  metadata: Readonly<Record<string, unknown>>;
  /** Whether it fits the base that was named; null where none was. */
  fits: boolean | null;
}

export type Description = ModelDescription | AdapterDescription;

/** Longer lists and texts are told as their length. */
const MOST_ITEMS = 16;
const MOST_CHARACTERS = 500;

/** Metadata short enough to be shown, and exact in JSON. */
export function shownMetadata(metadata: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries([...metadata].map(([key, value]) => [key, shownValue(value)]));
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && value.length > MOST_CHARACTERS) return `${value.length} characters`;
  if (!Array.isArray(value)) return value;
  return value.length > MOST_ITEMS ? `${value.length} values` : value.map(shownValue);
}
