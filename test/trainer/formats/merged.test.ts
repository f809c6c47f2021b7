import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { f16ToFloat } from '../../../python-free-trainer/src/io/dequant-floats.ts';
import { writeMerged } from '../../../python-free-trainer/src/io/gguf-merge.ts';
import { readGguf } from '../../../python-free-trainer/src/io/gguf-read.ts';
import { toF16 } from '../../../python-free-trainer/src/io/quantise.ts';
import { llama3Factors } from '../../../python-free-trainer/src/io/rope-factors.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { type Adapter, loraScale } from '../../../python-free-trainer/src/model/adapter.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { targetName } from '../../../python-free-trainer/src/model/targets.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { randomModel, TINY } from '../support/models.ts';
import { tinyFolder } from '../support/tiny-folder.ts';
import { writeFolder } from './make-folder.ts';
import { randomAdapter, SOME_ORIGIN } from './random-adapter.ts';

const SCALING = { factor: 4, lowFrequencyFactor: 1, highFrequencyFactor: 4, originalPositions: 64 };

function withBytes(config: ModelConfig): ModelConfig {
  const sized = { ...config, vocab: 272, ropeScaling: config.architecture === 'llama' ? SCALING : null };
  return { ...sized, ropeFactors: llama3Factors(sized) };
}

/** W + scale · B A by the book, in half precision. */
async function expected(source: WeightSource, name: string, adapter: Adapter): Promise<Float32Array> {
  const values = await source.read(name);
  const pair = adapter.pairs.find(({ layer, target }) => `${targetName(layer, target)}.weight` === name);
  if (pair)
    for (let row = 0; row < pair.out; row++)
      for (let column = 0; column < pair.in; column++) {
        let sum = 0;
        for (let k = 0; k < adapter.r; k++)
          sum += (pair.b[row * adapter.r + k] ?? 0) * (pair.a[k * pair.in + column] ?? 0);
        const at = row * pair.in + column;
        values[at] = (values[at] ?? 0) + loraScale(adapter) * sum;
      }
  if (name.endsWith('norm.weight') || name.endsWith('.bias')) return values;
  const halves = new Float32Array(values.length);
  f16ToFloat(new Uint16Array(toF16(values).buffer), halves);
  return halves;
}

describe('merged models', () => {
  const temporary = temporaryFolder();
  let bytes: string;
  before(() => {
    bytes = tinyFolder(temporary.path);
  });
  after(() => temporary.remove());

  async function folderOf(name: string, config: ModelConfig): Promise<WeightSource> {
    const folder = join(temporary.path, name);
    await writeFolder(folder, randomModel(config, 51));
    copyFileSync(join(bytes, 'tokenizer.json'), join(folder, 'tokenizer.json'));
    return openWeights(folder);
  }

  for (const name of ['qwen3', 'qwen2', 'llama'] as const)
    it(`of ${name} hold W + scale · B A, rounded once, from a folder and again from the merged file`, async () => {
      const source = await folderOf(name, withBytes(TINY[name]));
      const path = join(temporary.path, `${name}.gguf`);
      const adapter = randomAdapter(source.config, 52, { r: 5, alpha: 7 });
      await writeMerged(path, source, adapter, 'F16', SOME_ORIGIN);
      const merged = await openWeights(path);
      for (const field of [
        'hidden',
        'layers',
        'heads',
        'kvHeads',
        'headDim',
        'ffn',
        'vocab',
        'tied',
        'maxPositions',
      ] as const)
        assert.equal(merged.config[field], source.config[field], field);
      assert.deepEqual(merged.config.ropeFactors ?? null, source.config.ropeFactors?.map(Math.fround) ?? null);
      assert.deepEqual([...merged.shapes.keys()].sort(), [...source.shapes.keys()].sort());
      for (const tensor of source.shapes.keys())
        assert.deepEqual(await merged.read(tensor), await expected(source, tensor, adapter), tensor);
      // And the other way back: the same adapter taken off gives the base but for the rounding.
      const again = join(temporary.path, `${name}-again.gguf`);
      await writeMerged(again, merged, { ...adapter, alpha: -7 }, 'F16', SOME_ORIGIN);
      const back = await openWeights(again);
      for (const tensor of source.shapes.keys()) {
        const [one, other] = [await back.read(tensor), await source.read(tensor)];
        assert.ok(
          one.every((value, index) => Math.abs(value - (other[index] ?? Number.NaN)) < 4e-3),
          tensor,
        );
      }
      for (const opened of [source, merged, back]) await opened.close();
    });

  it("tell Hugging Face's reader what they are and where they come from, and keep the base's metadata", async () => {
    const source = await folderOf('facts', { ...withBytes(TINY.qwen2), hidden: 64, ffn: 96 });
    const path = join(temporary.path, 'facts.gguf');
    await writeMerged(path, source, randomAdapter(source.config, 53), 'Q8_0', SOME_ORIGIN);
    const merged = await openWeights(path);
    const again = join(temporary.path, 'facts-again.gguf');
    await writeMerged(again, merged, randomAdapter(source.config, 54), 'F16', { ...SOME_ORIGIN, runId: 'run-2' });
    const [one, two] = [await gguf(path, { allowLocalFile: true }), await gguf(again, { allowLocalFile: true })];
    const facts: [Record<string, unknown>, Record<string, unknown>] = [{ ...one.metadata }, { ...two.metadata }];
    assert.equal(facts[0]['general.architecture'], 'qwen2');
    assert.deepEqual(
      facts.map((found) => found['general.file_type']),
      [7, 1],
    );
    assert.deepEqual(
      facts.map((found) => found['sql_agent.run_id']),
      ['run-1', 'run-2'],
    );
    assert.equal(facts[0]['sql_agent.base_sha256'], SOME_ORIGIN.baseFile.sha256);
    for (const [key, value] of Object.entries(facts[0]))
      if (/^(qwen2|tokenizer)\./.test(key)) assert.deepEqual(facts[1][key], value, key);
    const types = new Map(one.tensorInfos.map(({ name, dtype }) => [name, dtype]));
    assert.equal(types.get('token_embd.weight'), 8);
    assert.equal(types.get('blk.0.attn_q.weight'), 8);
    assert.equal(types.get('blk.0.attn_q.bias'), 0);
    assert.equal(types.get('output_norm.weight'), 0);
    assert.ok(!types.has('output.weight'), 'a tied head is left out');
    await source.close();
    await merged.close();
  });

  it('are written with one tensor of the base in memory at a time', async () => {
    const source = await folderOf('streamed', withBytes(TINY.qwen3));
    const path = join(temporary.path, 'streamed.gguf');
    const reads: string[] = [];
    let done = 0;
    /** Bytes of the file that is being written. */
    const written = (): number => {
      const name = readdirSync(temporary.path).find((file) => file.startsWith('streamed.gguf.'));
      return statSync(join(temporary.path, name ?? '')).size;
    };
    const watched: WeightSource = {
      ...source,
      config: source.config,
      shapes: source.shapes,
      file: source.file,
      container: source.container,
      read: async (name, into) => {
        assert.ok(written() > done, 'those before are written');
        reads.push(name);
        const values = await source.read(name, into);
        done += values.length * 2;
        return values;
      },
      close: () => source.close(),
    };
    await writeMerged(path, watched, randomAdapter(source.config, 55), 'F16', SOME_ORIGIN);
    assert.deepEqual(reads, [...source.shapes.keys()]);
    const file = await readGguf(path);
    assert.equal(file.tensors.size, reads.length);
    await file.close();
    await source.close();
  });

  it('are not written where a number does not fit the type, or the folder has no tokenizer', async () => {
    const source = await folderOf('unfit', withBytes(TINY.qwen3));
    const adapter = randomAdapter(source.config, 56);
    const [pair] = adapter.pairs;
    assert.ok(pair);
    pair.b[0] = 1e7;
    const path = join(temporary.path, 'unfit.gguf');
    await assert.rejects(writeMerged(path, source, adapter, 'F16', SOME_ORIGIN), { code: 'export_out_of_range' });
    rmSync(join(temporary.path, 'unfit', 'tokenizer.json'));
    await assert.rejects(writeMerged(path, source, adapter, 'Q8_0', SOME_ORIGIN), { code: 'tokenizer_missing' });
    assert.ok(!existsSync(path));
    await source.close();
  });
});
