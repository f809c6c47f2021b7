import assert from 'node:assert/strict';
import { PRE_TOKENIZERS } from '../../../python-free-trainer/src/data/pre-tokenizers.ts';
import { createTokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { ggufTokenizer } from '../../../python-free-trainer/src/data/tokenizer-gguf.ts';
import { byteTokenizer } from '../support/tiny-folder.ts';

/** Merges that show where a text was cut: digits, letters with and without a space before them, white space. */
const MERGES = ['1 2', '12 3', '4 5', 'a b', 'Ġ ab', '. Ċ', 'Ċ Ċ', "' L", "'L L"];
const TEXT = "ab ab12345  ab.\n\n'LL";

/** The tokens of the text where words are cut in a way that a GGUF file names, as texts. */
function cut(pre: string, vocabulary: readonly string[] = []): string {
  const { vocab } = byteTokenizer().model;
  const tokens = [...Object.keys(vocab), ...MERGES.map((merge) => merge.replace(' ', '')), ...vocabulary];
  const metadata = {
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': pre,
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': tokens.map(() => 1),
    'tokenizer.ggml.merges': MERGES,
  };
  const tokenizer = createTokenizer(ggufTokenizer('m.gguf', new Map(Object.entries(metadata))));
  const ids = tokenizer.encode(TEXT, { special: false });
  assert.equal(tokenizer.decode(ids), TEXT);
  return [...ids].map((id) => tokenizer.decode([id]).replaceAll('\n', '↵').replaceAll(' ', '_')).join('|');
}

describe('words are cut as the vocabulary of a GGUF file says', () => {
  for (const [names, expected] of [
    [['smollm', 'starcoder', 'refact'], "ab|_ab|1|2|3|4|5|_|_ab|.|↵|↵|'|L|L"],
    [['gpt-2', 'olmo'], "ab|_ab|123|45|_|_ab|.|↵|↵|'|L|L"],
    [['qwen2', 'deepseek-r1-qwen'], "ab|_ab|1|2|3|4|5|_|_ab|.↵|↵|'LL"],
    [['llama-bpe', 'llama3', 'llama-v3', 'smaug-bpe'], "ab|_ab|123|45|_|_ab|.↵|↵|'LL"],
    [['default'], "ab|_ab|123|45|_|_ab|.|↵↵|'|L|L"],
  ] as const)
    for (const name of names) it(`"${name}"`, () => assert.equal(cut(name), expected));

  it('each of the ways that are known is among these', () => assert.equal(PRE_TOKENIZERS.length, 12));

  it('and a word that is a token is taken whole by Llama 3, whatever the merges', () => {
    assert.match(cut('llama-bpe', ['.ĊĊ']), /\.↵↵/);
    assert.doesNotMatch(cut('qwen2', ['.ĊĊ']), /\.↵↵/);
  });
});
