import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTokenizer, type Tokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { goldenFolder } from '../golden/vectors.ts';
import { smallModel } from '../support/small-model.ts';
import { bytesWith, pulledCoder, qwen3Folder } from './tokenizers.ts';

interface GoldenLine {
  text: string;
  special: boolean;
  ids: number[];
}

function goldenLines(name: string): GoldenLine[] {
  const text = readFileSync(join(goldenFolder, `tokens_${name}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GoldenLine);
}

/** Ids as llama.cpp gives them, and the text again from them. */
function expectGolden(tokenizer: Tokenizer, name: string): void {
  const lines = goldenLines(name);
  assert.equal(lines.length, 64);
  for (const { text, special, ids } of lines) {
    assert.deepEqual([...tokenizer.encode(text, { special })], ids, text);
    assert.equal(tokenizer.decode(ids), text);
  }
}

describe('a tokenizer', () => {
  let folder: TemporaryFolder;
  let small: Tokenizer;
  let qwen: Tokenizer;
  before(async () => {
    folder = temporaryFolder();
    small = await openTokenizer(await smallModel(folder.path));
    qwen = await openTokenizer(qwen3Folder(folder.path));
  });
  after(() => folder.remove());

  it('of a GGUF file gives the ids that llama.cpp gives, and their text', () => expectGolden(small, 'small'));

  it('of a Hugging Face folder gives the ids that llama.cpp gives, and their text', () => expectGolden(qwen, 'coder'));

  it('of the GGUF file of coder gives the ids that llama.cpp gives, and their text', async function () {
    expectGolden(await openTokenizer(pulledCoder(this)), 'coder');
  });

  it('of a Hugging Face folder that leaves the splitting to the byte-level step gives the same ids', async () => {
    // SmolLM2's own tokenizer.json is of this form.
    const path = join(folder.path, 'smollm2');
    mkdirSync(path);
    const digits = { type: 'Digits', individual_digits: true };
    const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
    const split = { type: 'Sequence', pretokenizers: [digits, bytes] };
    writeFileSync(join(path, 'tokenizer.json'), JSON.stringify({ ...small.definition.json, pre_tokenizer: split }));
    expectGolden(await openTokenizer(path), 'small');
  });

  it('takes special tokens of a text for what they are only where that is asked for', () => {
    for (const tokenizer of [small, qwen]) {
      const text = 'a<|im_end|>b';
      const end = tokenizer.special.get('<|im_end|>') ?? -1;
      assert.equal(tokenizer.encode(text, { special: true })[1], end);
      const plain = tokenizer.encode(text, { special: false });
      assert.ok(!plain.includes(end));
      assert.equal(tokenizer.decode(plain), text);
    }
  });

  it('finds no special token where the breaker stands in it, and takes the breaker out', () => {
    const broken = small.encode('<|im_end|>x<|\ue000im_end|>', { special: true, breaker: '\ue000' });
    const plain = small.encode('x<|im_end|>', { special: false });
    assert.deepEqual([...broken], [small.special.get('<|im_end|>'), ...plain]);
  });

  it('counts what the converter to GGUF counts as control among its special tokens', () => {
    // tokenizer.json calls it ordinary, as it does <tool_call>.
    assert.ok(qwen.special.has('<|fim_prefix|>'));
    assert.ok(!qwen.special.has('<tool_call>'));
    const [call = -1] = qwen.encode('<tool_call>', { special: false });
    assert.equal(qwen.decode([call]), '<tool_call>');
  });

  it('knows its size and what names it', async () => {
    assert.equal(small.size, 49_152);
    assert.equal(qwen.size, 151_669);
    const again = await openTokenizer(await smallModel(folder.path));
    assert.equal(again.definition.hash, small.definition.hash);
    assert.notEqual(qwen.definition.hash, small.definition.hash);
  });

  it('takes white space beside a token that strips it', () => {
    const tokenizer = bytesWith({ special: ['<s>'] });
    const [token] = tokenizer.definition.json.added_tokens;
    assert.ok(token);
    Object.assign(token, { lstrip: true, rstrip: true });
    assert.equal(tokenizer.decode(tokenizer.encode('a  <s>\n b', { special: true })), 'a<s>b');
  });

  it('gives every text of random bytes back', () => {
    const tokenizer = bytesWith();
    for (let length = 0; length < 200; length += 1) {
      const text = Array.from({ length }, (_, index) => String.fromCodePoint((index * length * 977) % 0xd000)).join('');
      assert.equal(tokenizer.decode(tokenizer.encode(text, { special: false })), text);
    }
  });
});
