import { createHash } from 'node:crypto';
import { readGguf } from '../io/gguf-read.ts';
import { tokenizerMissing, tokenizerUnreadable, tokenizerUnsupported } from './errors.ts';
import { PRE_TOKENIZERS, preTokenizer } from './pre-tokenizers.ts';
import { parseTokenizerJson, type TokenizerDefinition } from './tokenizer-definition.ts';

/** Kinds of tokens in `tokenizer.ggml.token_type` (gguf-py's TokenType) that are found before a text is split. */
const CONTROL = 3;
const USER_DEFINED = 4;

/**
 * The tokenizer that a GGUF file carries, in the form of a `tokenizer.json`.
 * @throws AppError `tokenizer_missing`, `tokenizer_unreadable`, `tokenizer_unsupported`, and those of `readGguf`
 */
export async function readGgufTokenizer(path: string): Promise<TokenizerDefinition> {
  const file = await readGguf(path);
  try {
    return ggufTokenizer(path, file.metadata);
  } finally {
    await file.close();
  }
}

/** The same from the file's metadata. */
export function ggufTokenizer(file: string, metadata: ReadonlyMap<string, unknown>): TokenizerDefinition {
  const kind = metadata.get('tokenizer.ggml.model');
  if (kind === undefined) throw tokenizerMissing(file, 'tokenizer.ggml.model');
  if (kind !== 'gpt2') throw tokenizerUnsupported(file, String(kind));
  const tokens = strings(file, metadata, 'tokenizer.ggml.tokens');
  const merges = strings(file, metadata, 'tokenizer.ggml.merges');
  const types = numbers(file, metadata, 'tokenizer.ggml.token_type');
  if (types.length !== tokens.length)
    throw tokenizerUnreadable(file, `it has ${tokens.length} tokens and ${types.length} types of tokens`);
  const pre = metadata.get('tokenizer.ggml.pre') ?? 'default';
  const split = preTokenizer(String(pre));
  if (split === null)
    throw tokenizerUnsupported(file, `it splits words as "${String(pre)}", not as one of ${PRE_TOKENIZERS.join(', ')}`);
  const added = tokens.flatMap((content, id) =>
    types[id] === CONTROL || types[id] === USER_DEFINED
      ? [{ id, content, special: types[id] === CONTROL, normalized: false }]
      : [],
  );
  const json = {
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: split.step,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: vocabulary(tokens), merges, ignore_merges: split.ignoreMerges },
  };
  const template = metadata.get('tokenizer.chat_template');
  const named = (name: string) => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    return (id === undefined ? undefined : tokens[Number(id)]) ?? null;
  };
  const definition = {
    chatTemplate: typeof template === 'string' ? template : null,
    bos: named('bos'),
    eos: named('eos'),
    pad: named('padding'),
    unknown: named('unknown'),
  };
  const identity = JSON.stringify([tokens, merges, types, pre, definition]);
  const hash = createHash('sha256').update(identity).digest('hex');
  return { file, json: parseTokenizerJson(json, file), ...definition, hash };
}

/** Ids by token; of tokens that stand twice the first counts, and the others can only be decoded. */
function vocabulary(tokens: readonly string[]): Record<string, number> {
  const vocab: Record<string, number> = Object.create(null);
  tokens.forEach((token, id) => {
    vocab[token] ??= id;
  });
  return vocab;
}

function strings(file: string, metadata: ReadonlyMap<string, unknown>, key: string): string[] {
  const value = metadata.get(key);
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === 'string'))
    throw tokenizerUnreadable(file, `${key} is missing or no list of texts`);
  return value;
}

function numbers(file: string, metadata: ReadonlyMap<string, unknown>, key: string): number[] {
  const value = metadata.get(key);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'number'))
    throw tokenizerUnreadable(file, `${key} is missing or no list of numbers`);
  return value;
}
