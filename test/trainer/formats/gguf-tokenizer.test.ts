import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TypedValue } from '../../../python-free-trainer/src/io/gguf-bytes.ts';
import { tokenizerMetadata } from '../../../python-free-trainer/src/io/gguf-tokenizer.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { byteTokenizer } from '../support/tiny-folder.ts';

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true };
const WITHOUT_SPLIT = { ...BYTE_LEVEL, use_regex: false };
const WORDS = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+`;
const REST = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

function split(pattern: string) {
  const step = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  return { type: 'Sequence', pretokenizers: [step, WITHOUT_SPLIT] };
}

describe('tokenizers of folders as GGUF metadata', () => {
  const temporary = temporaryFolder();
  let count = 0;
  after(() => temporary.remove());

  /** A folder whose tokenizer knows the word "ab" and is changed in this. */
  function folderWith(parts: { pre_tokenizer?: object; model?: object }, files: Record<string, object> = {}): string {
    const folder = join(temporary.path, `folder-${++count}`);
    mkdirSync(folder);
    const bytes = byteTokenizer();
    const vocab = { ...bytes.model.vocab, ab: 259, ' c': 260 };
    const model = { ...bytes.model, vocab, merges: [['a', 'b']], ...parts.model };
    const json = { ...bytes, pre_tokenizer: parts.pre_tokenizer ?? BYTE_LEVEL, model };
    for (const [name, content] of Object.entries({ 'tokenizer.json': json, ...files }))
      writeFileSync(join(folder, name), JSON.stringify(content));
    return folder;
  }

  async function metadataOf(folder: string, vocab = 264): Promise<Map<string, unknown>> {
    const plain = (value: TypedValue): unknown =>
      value.type === 'array' ? value.values : value.type === 'copy' ? value.bytes : value.value;
    const entries = await tokenizerMetadata(folder, vocab);
    return new Map(entries.map(([key, value]) => [key, plain(value)]));
  }

  it('name the way in which words are split as llama.cpp does', async () => {
    const digits = { type: 'Digits', individual_digits: true };
    const cases: [string, { pre_tokenizer: object; model?: object }][] = [
      ['gpt-2', { pre_tokenizer: BYTE_LEVEL }],
      ['smollm', { pre_tokenizer: { type: 'Sequence', pretokenizers: [digits, BYTE_LEVEL] } }],
      ['qwen2', { pre_tokenizer: split(String.raw`${WORDS}|\p{N}|${REST}`) }],
      ['smaug-bpe', { pre_tokenizer: split(String.raw`${WORDS}|\p{N}{1,3}|${REST}`) }],
      ['llama-bpe', { pre_tokenizer: split(String.raw`${WORDS}|\p{N}{1,3}|${REST}`), model: { ignore_merges: true } }],
    ];
    for (const [name, parts] of cases)
      assert.equal((await metadataOf(folderWith(parts))).get('tokenizer.ggml.pre'), name);
    const unknown = folderWith({ pre_tokenizer: split(String.raw`\w+|\W+`) });
    await assert.rejects(metadataOf(unknown), { code: 'export_unsupported' });
  });

  it('give each id its text and kind, and fill what no token has', async () => {
    const folder = folderWith({});
    const metadata = await metadataOf(folder);
    const [tokens, types] = ['tokens', 'token_type'].map((key) => metadata.get(`tokenizer.ggml.${key}`) as unknown[]);
    assert.ok(tokens && types);
    assert.deepEqual(tokens.slice(256), [
      '<|endoftext|>',
      '<|im_start|>',
      '<|im_end|>',
      'ab',
      ' c',
      '[PAD261]',
      '[PAD262]',
      '[PAD263]',
    ]);
    assert.deepEqual(types.slice(255), [1, 3, 3, 3, 1, 1, 5, 5, 5]);
    assert.deepEqual(metadata.get('tokenizer.ggml.merges'), ['a b']);
    await assert.rejects(metadataOf(folder, 260), { code: 'export_unsupported' });
  });

  it('name special tokens by their texts, else by the ids of config.json', async () => {
    const byText = await metadataOf(
      folderWith(
        {},
        {
          'tokenizer_config.json': {
            eos_token: '<|im_end|>',
            pad_token: { content: '<|endoftext|>' },
            add_bos_token: false,
          },
        },
      ),
    );
    assert.deepEqual(
      ['eos_token_id', 'padding_token_id', 'bos_token_id', 'add_bos_token'].map((key) =>
        byText.get(`tokenizer.ggml.${key}`),
      ),
      [258, 256, undefined, false],
    );
    const byId = await metadataOf(folderWith({}, { 'config.json': { eos_token_id: [257, 258], bos_token_id: 256 } }));
    assert.deepEqual(
      ['eos_token_id', 'bos_token_id'].map((key) => byId.get(`tokenizer.ggml.${key}`)),
      [257, 256],
    );
  });
});
