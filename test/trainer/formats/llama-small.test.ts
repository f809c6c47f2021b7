import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Llama } from 'node-llama-cpp';
import { readGgufLora, writeGgufLora } from '../../../python-free-trainer/src/io/gguf-lora.ts';
import { writeMerged } from '../../../python-free-trainer/src/io/gguf-merge.ts';
import { readAdapter } from '../../../python-free-trainer/src/io/read-adapter.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { goldenFolder } from '../golden/vectors.ts';
import { type GreedyAnswer, loadLlama, openLlama } from '../support/llama.ts';
import { needSmallModel } from '../support/small-model.ts';
import { engineWith, expectAgreement } from './agreement.ts';
import { randomAdapter } from './random-adapter.ts';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));
const STEPS = 8;

/** The eight shortest prompts, each a question with its schema, among the texts of known tokens. */
function prompts(): number[][] {
  const lines = readFileSync(join(goldenFolder, 'tokens_small.jsonl'), 'utf8').trim().split('\n');
  const texts: { ids: number[]; special: boolean }[] = lines.map((line) => JSON.parse(line));
  const asked = texts.filter(({ special }) => special).map(({ ids }) => ids);
  return asked.toSorted((one, other) => one.length - other.length).slice(0, 8);
}

interface Answered {
  prompt: number[];
  answer: GreedyAnswer;
}

describe('the bundled small model in llama.cpp', function () {
  this.timeout(300_000);
  const temporary = temporaryFolder();
  let llama: Llama;
  let source: WeightSource;
  let base: string;
  before(async function (this: Mocha.Context) {
    base = await needSmallModel(this, temporary.path);
    source = await openWeights(base);
    llama = await openLlama();
  });
  after(async () => {
    await llama?.dispose();
    await source?.close();
    temporary.remove();
  });

  async function greedy(asked: readonly number[][], model: string, adapter?: string): Promise<Answered[]> {
    const answers = await loadLlama(llama, model, adapter);
    const found: Answered[] = [];
    for (const prompt of asked) found.push({ prompt, answer: await answers.greedy(prompt, STEPS) });
    await answers.close();
    return found;
  }

  async function texts(model: string, adapter?: string): Promise<string[]> {
    const answers = await loadLlama(llama, model, adapter);
    const found: string[] = [];
    for (const prompt of prompts()) found.push((await answers.answer(prompt, 16)).join());
    await answers.close();
    return found;
  }

  const about = () => ({ baseName: source.name, baseFile: source.file, dataHash: null, runId: null, repairs: false });

  it("answers with an adapter, apart and merged, as the trainer's own forward pass does", async () => {
    const file = join(temporary.path, 'random.lora.gguf');
    const written = randomAdapter(source.config, 41, { r: 8, alpha: 16, strength: 0.2 });
    await writeGgufLora(file, written, source.config, about());
    const adapter = await readAdapter(file, source.config);
    // F16 for the base too: into products with Q4_1 weights llama.cpp rounds the other factor to 8 bits.
    const half = join(temporary.path, 'half.gguf');
    await writeMerged(half, source, { ...adapter, pairs: [] }, 'F16', about());
    const merged = join(temporary.path, 'merged.gguf');
    await writeMerged(merged, source, adapter, 'F16', about());
    // Their ends, the question, so that they are soon computed.
    const asked = prompts().map((prompt) => prompt.slice(-24));
    const [apart, one] = [await greedy(asked, half, file), await greedy(asked, merged)];
    const engine = await engineWith(source, adapter);
    try {
      const close = { nearTie: 0.05, median: 0.01, largest: 0.1 };
      const ties = [await expectAgreement(engine, apart, close), await expectAgreement(engine, one, close)];
      // Without the adapter the answers are other ones.
      await assert.rejects(expectAgreement(engine, apart, close, false), assert.AssertionError);
      assert.ok(Math.max(...ties) <= 8 * STEPS * 0.05, `${ties.join(' and ')} tokens are near ties`);
    } finally {
      await engine.close();
    }
  });

  it('gives the same answers with its own adapter apart and merged in 8 bits, but for one in eight', async () => {
    const file = join(MODELS, 'small.lora.gguf');
    const { adapter } = await readGgufLora(file, source.config);
    const merged = join(temporary.path, 'merged-q8_0.gguf');
    await writeMerged(merged, source, adapter, 'Q8_0', about());
    const [apart, one] = [await texts(base, file), await texts(merged)];
    assert.ok(apart.filter((text, index) => text === one[index]).length >= 7);
  });
});
