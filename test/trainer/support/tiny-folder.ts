import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '../golden/vectors.ts';

/** The printable characters that byte-level BPE writes bytes as (GPT-2's `bytes_to_unicode`), by byte. */
function byteCharacters(): string[] {
  const isPlain = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let moved = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPlain(byte) ? byte : moved++));
}

/** A tokenizer of 256 bytes without merges, and the three tokens of ChatML. */
export function byteTokenizer() {
  const special = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'].map((content, index) => ({
    id: 256 + index,
    content,
    special: true,
    normalized: false,
    lstrip: false,
    rstrip: false,
  }));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  return {
    version: '1.0',
    added_tokens: special,
    normalizer: null,
    pre_tokenizer: byteLevel,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(byteCharacters().map((character, byte) => [character, byte])),
      merges: [],
    },
  };
}

/** Makes a Hugging Face folder of the tiny model of the golden vectors, with a tokenizer. @returns its path */
export function tinyFolder(parent: string): string {
  const folder = join(parent, 'tiny');
  mkdirSync(folder);
  for (const name of ['config.json', 'model.safetensors']) copyFileSync(join(goldenFolder, name), join(folder, name));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(byteTokenizer()));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ eos_token: '<|im_end|>' }));
  return folder;
}

/** Questions with their queries, all different. @returns the path of a JSONL file of pairs */
export function pairsFile(parent: string, count: number, name = 'pairs.jsonl'): string {
  const path = join(parent, name);
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      system: 'SQL.',
      user: `Table t${index % 3}(a, b). Row ${index}?`,
      sql: `SELECT a FROM t${index % 3} WHERE b = ${index * 7}`,
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
