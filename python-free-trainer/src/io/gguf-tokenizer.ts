import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { createTokenizer } from '../data/tokenizer.ts';
import { stepsOf, type TokenizerDefinition, type TokenizerJson } from '../data/tokenizer-definition.ts';
import { readFolderTokenizer } from '../data/tokenizer-folder.ts';
import { exportUnsupported } from './adapter-errors.ts';
import type { TypedValue } from './gguf-bytes.ts';

/** Kinds of tokens (gguf-py's TokenType). */
const TOKEN_TYPES = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;

const CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const AFTER_NUMBERS = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
/** The splits of `tokenizer.json` files of the families that are known: Qwen2 to Qwen3, and Llama 3. */
const QWEN2 = String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|${AFTER_NUMBERS}`;
const LLAMA3 = String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|${AFTER_NUMBERS}`;

/** llama.cpp's name of how a tokenizer splits words. @throws AppError `export_unsupported` */
function preTokenizerName({ pre_tokenizer: step, model }: TokenizerJson): string {
  const steps = stepsOf(step);
  const [first, ...others] = steps;
  // Without merges every byte is a token of its own, however words are split.
  if (model.merges.length === 0) return 'gpt-2';
  if (steps.length === 1 && first?.['use_regex'] !== false) return 'gpt-2';
  if (first?.type === 'Digits' && first['individual_digits'] === true && others.length === 1) return 'smollm';
  const pattern = z.object({ Regex: z.string() }).safeParse(first?.['pattern']).data?.Regex;
  if (pattern === QWEN2) return 'qwen2';
  if (pattern === LLAMA3) return model.ignore_merges ? 'llama-bpe' : 'smaug-bpe';
  throw exportUnsupported(`its tokenizer.json splits words in a way that llama.cpp has no name for (${pattern})`);
}

/** Texts and types of all tokens by id; ids that no token has are filled up as llama.cpp's converter does. */
function tokensOf(definition: TokenizerDefinition, vocab: number): { tokens: string[]; types: number[] } {
  const { special } = createTokenizer(definition);
  const tokens = Array.from({ length: vocab }, (_, id) => `[PAD${id}]`);
  const types: number[] = new Array(vocab).fill(TOKEN_TYPES.unused);
  const put = (id: number, token: string, type: number): void => {
    if (id >= vocab) throw exportUnsupported(`its tokenizer has the id ${id}, and its embedding ${vocab} rows`);
    tokens[id] = token;
    types[id] = type;
  };
  for (const [token, id] of Object.entries(definition.json.model.vocab)) put(id, token, TOKEN_TYPES.normal);
  for (const { content, id } of definition.json.added_tokens)
    put(id, content, special.has(content) ? TOKEN_TYPES.control : TOKEN_TYPES.userDefined);
  return { tokens, types };
}

/** Merges as two words with a space between; a space within one is written as its byte's character. */
function mergesOf({ model }: TokenizerJson): string[] {
  return model.merges.map((merge) =>
    typeof merge === 'string' ? merge : merge.map((part) => part.replaceAll(' ', 'Ġ')).join(' '),
  );
}

/** What `config.json` and `tokenizer_config.json` say of special tokens beside their texts. */
const Ids = z.looseObject({
  bos_token_id: z.nullish(z.union([z.int(), z.array(z.int())])),
  eos_token_id: z.nullish(z.union([z.int(), z.array(z.int())])),
  pad_token_id: z.nullish(z.int()),
  add_bos_token: z.nullish(z.boolean()),
});

async function readIds(file: string): Promise<z.infer<typeof Ids>> {
  try {
    return Ids.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Both files were read before; what is not there or odd is not needed.
    return {};
  }
}

function firstOf(id: number | number[] | null | undefined): number | null {
  return (Array.isArray(id) ? id[0] : id) ?? null;
}

async function specialIds(folder: string, definition: TokenizerDefinition): Promise<[string, TypedValue][]> {
  const { json, bos, eos, pad, unknown } = definition;
  const config = await readIds(join(folder, 'config.json'));
  const { add_bos_token: addBos } = await readIds(join(folder, 'tokenizer_config.json'));
  const ids = new Map([
    ...Object.entries(json.model.vocab),
    ...json.added_tokens.map((t) => [t.content, t.id] as const),
  ]);
  const found: Record<string, number | null> = {
    bos: ids.get(bos ?? '') ?? firstOf(config.bos_token_id),
    eos: ids.get(eos ?? '') ?? firstOf(config.eos_token_id),
    unknown: ids.get(unknown ?? '') ?? null,
    padding: ids.get(pad ?? '') ?? firstOf(config.pad_token_id),
  };
  const entries: [string, TypedValue][] = Object.entries(found).flatMap(([name, id]) =>
    id === null ? [] : [[`tokenizer.ggml.${name}_token_id`, { type: 'uint32', value: id }]],
  );
  if (typeof addBos === 'boolean') entries.push(['tokenizer.ggml.add_bos_token', { type: 'bool', value: addBos }]);
  return entries;
}

/**
 * The tokenizer of a Hugging Face folder as metadata of a GGUF file. Source: `_set_vocab_gpt2` of llama.cpp's
 * convert_hf_to_gguf.py and gguf-py's vocab.py.
 * @param vocab rows of the embedding table
 * @throws AppError `export_unsupported`, and those of reading the tokenizer
 */
export async function tokenizerMetadata(folder: string, vocab: number): Promise<[string, TypedValue][]> {
  const definition = await readFolderTokenizer(folder);
  const { tokens, types } = tokensOf(definition, vocab);
  const entries: [string, TypedValue][] = [
    ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: 'string', value: preTokenizerName(definition.json) }],
    ['tokenizer.ggml.tokens', { type: 'array', of: 'string', values: tokens }],
    ['tokenizer.ggml.token_type', { type: 'array', of: 'int32', values: types }],
    ['tokenizer.ggml.merges', { type: 'array', of: 'string', values: mergesOf(definition.json) }],
    ...(await specialIds(folder, definition)),
  ];
  const { chatTemplate } = definition;
  if (chatTemplate !== null) entries.push(['tokenizer.chat_template', { type: 'string', value: chatTemplate }]);
  return entries;
}
