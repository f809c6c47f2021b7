import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import type { Llama } from 'node-llama-cpp';
import { openTokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { writeGgufLora } from '../../../python-free-trainer/src/io/gguf-lora.ts';
import { type MergedType, writeMerged } from '../../../python-free-trainer/src/io/gguf-merge.ts';
import { readAdapter } from '../../../python-free-trainer/src/io/read-adapter.ts';
import { llama3Factors } from '../../../python-free-trainer/src/io/rope-factors.ts';
import { separateHalves } from '../../../python-free-trainer/src/io/rotary-rows.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import type { Adapter } from '../../../python-free-trainer/src/model/adapter.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { qwen3Folder } from '../data/tokenizers.ts';
import { goldenFolder, readScalars } from '../golden/vectors.ts';
import { loadLlama, openLlama, tokensOf } from '../support/llama.ts';
import { randomModel, TINY } from '../support/models.ts';
import { tinyFolder } from '../support/tiny-folder.ts';
import { engineWith, expectAgreement } from './agreement.ts';
import { writeFolder } from './make-folder.ts';
import { randomAdapter, SOME_ORIGIN } from './random-adapter.ts';

/** Sizes of which Q8_0 is made as well, and a vocabulary of bytes. */
const SIZES = { hidden: 64, headDim: 16, ffn: 96, vocab: 272 };
const SCALING = { factor: 4, lowFrequencyFactor: 1, highFrequencyFactor: 4, originalPositions: 64 };

function llama3(): ModelConfig {
  const scaled = { ...TINY.llama, ...SIZES, ropeScaling: SCALING };
  return { ...scaled, ropeFactors: llama3Factors(scaled) };
}

const FAMILIES: Record<string, ModelConfig> = {
  'Qwen3, tied': { ...TINY.qwen3, ...SIZES },
  'Qwen2, tied, with biases': { ...TINY.qwen2, ...SIZES },
  'Llama, not tied, with stretched rotation': llama3(),
};

const PROMPTS = [
  [72, 111, 119, 32, 109, 97, 110, 121],
  [83, 69, 76, 69, 67, 84],
  [49, 50, 51, 32, 97, 98, 99, 100, 101, 102, 103, 104],
];
const STEPS = 10;
/** F16 rounds weights by up to 5e-4 of themselves; the tiny models' logits then differ by some thousandths. */
const CLOSE = { nearTie: 0.05, median: 0.01, largest: 0.1 };

describe('tiny models in llama.cpp', function () {
  this.timeout(60_000);
  const temporary = temporaryFolder();
  let llama: Llama;
  let bytes: string;
  before(async () => {
    llama = await openLlama();
    bytes = tinyFolder(temporary.path);
  });
  after(async () => {
    await llama.dispose();
    temporary.remove();
  });

  async function merged(source: WeightSource, adapter: Adapter, type: MergedType, name: string): Promise<string> {
    const path = join(temporary.path, `${name}-${type}.gguf`.replaceAll(/[ ,]+/g, '-'));
    await writeMerged(path, source, adapter, type, SOME_ORIGIN);
    return path;
  }

  async function greedy(model: string, adapter?: string) {
    const answers = await loadLlama(llama, model, adapter);
    const found: { prompt: number[]; answer: Awaited<ReturnType<typeof answers.greedy>> }[] = [];
    for (const prompt of PROMPTS) found.push({ prompt, answer: await answers.greedy(prompt, STEPS) });
    await answers.close();
    return found;
  }

  const nothing = ({ pairs, ...rest }: Adapter): Adapter => ({
    ...rest,
    pairs: pairs.map((pair) => ({ ...pair, b: new Float32Array(pair.b.length) })),
  });

  it('give the greedy tokens of PyTorch: base, base with adapter, and both merged', async () => {
    const source = await openWeights(bytes);
    const adapter = await readAdapter(goldenFolder, source.config);
    const base = await merged(source, nothing(adapter), 'F16', 'golden-base');
    const both = await merged(source, adapter, 'F16', 'golden');
    const lora = join(temporary.path, 'golden.lora.gguf');
    await writeGgufLora(lora, adapter, source.config, SOME_ORIGIN);
    const { greedy } = readScalars();
    for (const [model, file, expected] of [
      [base, undefined, greedy.base],
      [base, lora, greedy.adapter],
      [both, undefined, greedy.adapter],
    ] as const) {
      const answers = await loadLlama(llama, model, file);
      const { prompt, completion } = expected;
      assert.deepEqual(tokensOf(await answers.greedy(prompt, completion.length)), completion);
      await answers.close();
    }
    await source.close();
  });

  for (const [name, config] of Object.entries(FAMILIES))
    it(`answer as the trainer's own forward pass does: ${name}`, async () => {
      const folder = join(temporary.path, name);
      await writeFolder(folder, randomModel(config, 31));
      copyFileSync(join(bytes, 'tokenizer.json'), join(folder, 'tokenizer.json'));
      const source = await openWeights(folder);
      const written = randomAdapter(source.config, 32, { rslora: config.architecture !== 'qwen2' });
      const lora = join(folder, 'lora.gguf');
      await writeGgufLora(lora, written, source.config, SOME_ORIGIN);
      const adapter = await readAdapter(lora, source.config);
      const engine = await engineWith(source, adapter);
      try {
        const base = await merged(source, nothing(adapter), 'F16', name);
        const plain = await greedy(base);
        await expectAgreement(engine, plain, CLOSE, false);
        const adapted = await greedy(base, lora);
        await expectAgreement(engine, adapted, CLOSE);
        assert.notDeepEqual(
          adapted.map(({ answer }) => tokensOf(answer)),
          plain.map(({ answer }) => tokensOf(answer)),
        );
        await expectAgreement(engine, await greedy(await merged(source, adapter, 'F16', `${name} merged`)), CLOSE);
        const coarse = await greedy(await merged(source, adapter, 'Q8_0', `${name} merged`));
        await expectAgreement(engine, coarse, { nearTie: 0.3, median: 0.05, largest: 0.5 });
      } finally {
        await engine.close();
        await source.close();
      }
    });

  it('would not agree with an adapter whose rows of q and k stand in another order', async () => {
    const folder = join(temporary.path, 'other order');
    await writeFolder(folder, randomModel(llama3(), 31));
    copyFileSync(join(bytes, 'tokenizer.json'), join(folder, 'tokenizer.json'));
    const source = await openWeights(folder);
    const adapter = randomAdapter(source.config, 32);
    const { heads, kvHeads } = source.config;
    const turned = adapter.pairs.map((pair) => {
      const rotated = { q_proj: heads, k_proj: kvHeads }[String(pair.target)];
      return rotated === undefined ? pair : { ...pair, b: separateHalves(pair.b, rotated, adapter.r) };
    });
    const engine = await engineWith(source, adapter);
    try {
      const wrong = await greedy(await merged(source, { ...adapter, pairs: turned }, 'F16', 'other order'));
      await assert.rejects(expectAgreement(engine, wrong, CLOSE), assert.AssertionError);
    } finally {
      await engine.close();
      await source.close();
    }
  });

  it("tokenise as the trainer does: Qwen3's own tokenizer, brought over from its folder", async () => {
    const folder = qwen3Folder(temporary.path);
    const config = { ...TINY.qwen3, hidden: 32, layers: 1, headDim: 16, ffn: 32, vocab: 151_936 };
    await writeFolder(folder, randomModel(config, 33));
    const source = await openWeights(folder);
    const path = await merged(source, randomAdapter(config, 34), 'Q8_0', 'tokens');
    await source.close();
    const { model, close } = await loadLlama(llama, path);
    const tokenizer = await openTokenizer(folder);
    for (const text of [
      '<|im_start|>user\nHow many singers are there?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
      "SELECT name, COUNT(*) FROM t WHERE x >= 3.14159 AND it's = 'Größe 🦆';\n\n  -- 日本語 12345",
    ])
      assert.deepEqual([...model.tokenize(text, true)], [...tokenizer.encode(text, { special: true })]);
    assert.equal(model.tokens.eos, 151_645);
    await close();
    const { metadata } = await gguf(path, { allowLocalFile: true });
    const found: Record<string, unknown> = { ...metadata };
    assert.equal(found['tokenizer.chat_template'], tokenizer.definition.chatTemplate);
    assert.equal(found['tokenizer.ggml.padding_token_id'], 151_643);
    assert.equal(found['sql_agent.run_id'], 'run-1');
  });
});
