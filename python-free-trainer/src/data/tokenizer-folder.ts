import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { tokenizerMissing, tokenizerUnreadable } from './errors.ts';
import { parseTokenizerJson, type TokenizerDefinition } from './tokenizer-definition.ts';

/** A token in `tokenizer_config.json`: its text, or an object with it. */
const TokenText = z.nullish(z.union([z.string(), z.looseObject({ content: z.string() })]));

const TokenizerConfig = z.looseObject({
  bos_token: TokenText,
  eos_token: TokenText,
  pad_token: TokenText,
  unk_token: TokenText,
  chat_template: z.nullish(z.union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])),
});

/**
 * The tokenizer of a Hugging Face folder: `tokenizer.json`, `tokenizer_config.json` and `chat_template.jinja`; the last
 * goes before the template in the configuration, as in transformers.
 * @throws AppError `tokenizer_missing`, `tokenizer_unreadable`, `tokenizer_unsupported`
 */
export async function readFolderTokenizer(folder: string): Promise<TokenizerDefinition> {
  const file = join(folder, 'tokenizer.json');
  const text = await readText(file);
  if (text === null) throw tokenizerMissing(folder, 'tokenizer.json');
  const configFile = join(folder, 'tokenizer_config.json');
  const configText = await readText(configFile);
  const template = await readText(join(folder, 'chat_template.jinja'));
  const parsed = TokenizerConfig.safeParse(configText === null ? {} : parseJson(configText, configFile));
  if (!parsed.success) throw tokenizerUnreadable(configFile, parsed.error.issues[0]?.message ?? 'not as expected');
  const config = parsed.data;
  return {
    file: folder,
    json: parseTokenizerJson(parseJson(text, file), file),
    chatTemplate: template ?? defaultTemplate(config.chat_template),
    bos: tokenText(config.bos_token),
    eos: tokenText(config.eos_token),
    pad: tokenText(config.pad_token),
    unknown: tokenText(config.unk_token),
    hash: createHash('sha256')
      .update(JSON.stringify([text, configText, template]))
      .digest('hex'),
  };
}

/** The text of a file, null where there is none. @throws AppError `tokenizer_unreadable` */
async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw tokenizerUnreadable(file, error instanceof Error ? error.message : String(error));
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw tokenizerUnreadable(file, error instanceof Error ? error.message : String(error));
  }
}

function tokenText(token: z.infer<typeof TokenText>): string | null {
  return typeof token === 'object' ? (token?.content ?? null) : (token ?? null);
}

function defaultTemplate(template: z.infer<typeof TokenizerConfig>['chat_template']): string | null {
  if (!Array.isArray(template)) return template ?? null;
  return template.find(({ name }) => name === 'default')?.template ?? null;
}
