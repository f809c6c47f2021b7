import { stat } from 'node:fs/promises';
import { tokenizerMissing, tokenizerUnreadable } from './errors.ts';
import { type EncodeOptions, TokenEncoder } from './token-encoder.ts';
import type { TokenizerDefinition } from './tokenizer-definition.ts';
import { readFolderTokenizer } from './tokenizer-folder.ts';
import { readGgufTokenizer } from './tokenizer-gguf.ts';

/** A model's tokenizer. */
export interface Tokenizer {
  readonly definition: TokenizerDefinition;
  /** One more than the highest id; a model's embedding table has at least so many rows. */
  readonly size: number;
  /** Tokens that only a frame may hold, by their text: turns' beginnings and ends, padding, end of text. */
  readonly special: ReadonlyMap<string, number>;
  /** Token ids of a text; nothing is put before or after it. */
  encode(text: string, options: EncodeOptions): Int32Array;
  /** The text of tokens; bytes that are not UTF-8 become U+FFFD. */
  decode(ids: ArrayLike<number>): string;
}

/**
 * The tokenizer of a model, from its Hugging Face folder or from its GGUF file.
 * @throws AppError `tokenizer_missing`, `tokenizer_unreadable`, `tokenizer_unsupported`, and those of reading a GGUF file
 */
export async function openTokenizer(modelPath: string): Promise<Tokenizer> {
  const stats = await stat(modelPath).catch(() => null);
  if (stats === null) throw tokenizerMissing(modelPath, modelPath);
  return createTokenizer(
    stats.isDirectory() ? await readFolderTokenizer(modelPath) : await readGgufTokenizer(modelPath),
  );
}

/**
 * A tokenizer by what its files say. The tables for encoding are built at the first text.
 * @throws AppError `tokenizer_unreadable`, at once or at the first text
 */
export function createTokenizer(definition: TokenizerDefinition): Tokenizer {
  const { model, added_tokens: added } = definition.json;
  const special = new Map(added.filter(isControl).map(({ content, id }) => [content, id]));
  let encoder: TokenEncoder | undefined;
  const engine = () => {
    encoder ??= new TokenEncoder(definition, special);
    return encoder;
  };
  for (const token of [definition.bos, definition.eos, definition.pad])
    if (token !== null && !special.has(token) && model.vocab[token] === undefined)
      throw tokenizerUnreadable(definition.file, `it names ${JSON.stringify(token)}, which is no token of it`);
  let highest = -1;
  for (const token in model.vocab) highest = Math.max(highest, model.vocab[token] ?? -1);
  for (const { id } of added) highest = Math.max(highest, id);
  return {
    definition,
    size: highest + 1,
    special,
    encode: (text, options) => engine().encode(text, options),
    decode: (ids) => engine().decode(ids),
  };
}

/**
 * Whether an added token belongs to the frame alone. Tokens of the form `<|…|>` do, even where tokenizer.json calls them
 * ordinary: llama.cpp's converter does the same (`does_token_look_special`), and it answers with what is trained here.
 */
function isControl({ special, content }: { special?: boolean | undefined; content: string }): boolean {
  return special === true || (content.startsWith('<|') && content.endsWith('|>'));
}
