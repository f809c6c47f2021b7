import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dequantise } from '../../../python-free-trainer/src/io/dequant.ts';
import type { TypedValue } from '../../../python-free-trainer/src/io/gguf-bytes.ts';
import { TENSOR_TYPES } from '../../../python-free-trainer/src/io/gguf-types.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { randomModel, TINY } from '../support/models.ts';
import { expectRefused, expectSameWeights } from './expect.ts';
import { f32Tensor, float, ggufFile, modelMetadata, modelTensors, type RawTensor, text, whole } from './make-gguf.ts';

/** Rows that every type can hold. */
const WIDE: ModelConfig = { ...TINY.llama, hidden: 256, headDim: 64, ffn: 256, ropeFactors: null };

describe('models in GGUF files', () => {
  let folder: TemporaryFolder;
  let path: string;
  before(() => {
    folder = temporaryFolder();
    path = join(folder.path, 'model.gguf');
  });
  after(() => folder.remove());

  /** Writes a model, changed where `change` does so. */
  async function write(
    config: ModelConfig,
    change: (metadata: Map<string, TypedValue>, tensors: RawTensor[]) => RawTensor[] | undefined = () => undefined,
  ) {
    const source = randomModel(config, 7);
    const metadata = modelMetadata(config);
    const tensors = await modelTensors(source);
    writeFileSync(path, ggufFile({ metadata, tensors: change(metadata, tensors) ?? tensors }));
    return source;
  }

  for (const config of Object.values(TINY))
    for (const tied of [true, false])
      it(`of ${config.architecture} with a head ${tied ? 'shared with' : 'apart from'} the embeddings give every weight in Hugging Face's order`, async () => {
        const source = await write({ ...config, tied });
        const weights = await openWeights(path);
        assert.deepEqual(weights.config, { ropeFactors: null, ...config, tied });
        assert.equal(weights.name, 'Tiny');
        await expectSameWeights(weights, source);
        await weights.close();
      });

  it('take their name from the file, and lengths of heads and defaults as llama.cpp does', async () => {
    const config = { ...TINY.llama, headDim: 6, kvHeads: 4, ropeFactors: null };
    await write(config, (metadata) => {
      for (const key of ['attention.key_length', 'attention.value_length', 'attention.head_count_kv', 'rope.freq_base'])
        metadata.delete(`llama.${key}`);
      metadata.delete('general.name');
      metadata.set('llama.rope.dimension_count', whole(6));
      metadata.set('llama.feed_forward_length', { type: 'array', of: 'uint32', values: [40, 40] });
    });
    const weights = await openWeights(path);
    assert.deepEqual(weights.config, config);
    assert.equal(weights.name, 'model');
    await weights.close();
  });

  for (const [number, type] of TENSOR_TYPES)
    if (/^(BF16|F16|Q[458]_[01]|Q[456]_K)$/.test(type.name) && type.name !== 'Q8_1')
      it(`may be stored as ${type.name}`, async () => {
        await write(WIDE, (_, tensors) => tensors.map((tensor) => restored(tensor, number)));
        const weights = await openWeights(path);
        const linear = 7 * WIDE.layers + 2;
        assert.equal(weights.types[type.name], linear);
        const random = blocksOf('ffn_down.weight', [256, 256], number);
        const expected = new Float32Array(256 * 256);
        dequantise(type.name, random, expected);
        assert.deepEqual(await weights.read('model.layers.1.mlp.down_proj.weight'), expected);
        assert.ok(expected.some((value) => value !== expected[0]));
        await weights.close();
      });

  /** Rows of a linear layer in another type; vectors stay as they are. */
  function restored(tensor: RawTensor, type: number): RawTensor {
    if (tensor.shape.length < 2) return tensor;
    const bytes = blocksOf(tensor.name.replace(/^blk\.\d+\./, ''), tensor.shape, type);
    return { ...tensor, type, bytes };
  }

  /** Random blocks with small scales: no byte is such that a half-precision number would be infinite. */
  function blocksOf(name: string, shape: readonly number[], type: number): Uint8Array<ArrayBuffer> {
    const { size, bytes } = TENSOR_TYPES.get(type) ?? { size: 1, bytes: 0 };
    const random = new Random(name.length);
    const count = (shape.reduce((product, length) => product * length, 1) / size) * bytes;
    return Uint8Array.from({ length: count }, () => random.uint32() & 0xbb);
  }

  it('are read into memory that is there already', async () => {
    const source = await write(TINY.llama);
    const weights = await openWeights(path);
    for (const name of ['model.layers.0.self_attn.q_proj.weight', 'model.layers.0.mlp.up_proj.weight']) {
      const into = new Float32Array((await source.read(name)).length);
      assert.equal(await weights.read(name, into), into);
      assert.deepEqual(into, await source.read(name));
    }
    await assert.rejects(weights.read('lm_head.weight', new Float32Array(3)), RangeError);
    await assert.rejects(weights.read('model.layers.9.mlp.up_proj.weight'), { code: 'tensor_missing' });
    await weights.close();
  });

  it('that the trainer does not compute are refused, and say why', async () => {
    const { qwen3, llama } = TINY;
    const set = (key: string, value: TypedValue) => (metadata: Map<string, TypedValue>) =>
      void metadata.set(key, value);
    const cases: [ModelConfig, (metadata: Map<string, TypedValue>) => undefined, RegExp][] = [
      [qwen3, set('general.architecture', text('gemma3')), /architecture is gemma3/],
      [qwen3, set('general.architecture', text('constructor')), /architecture is constructor/],
      [qwen3, set('general.type', text('adapter')), /is an adapter/],
      [qwen3, set('split.count', { type: 'uint16', value: 2 }), /several parts/],
      [qwen3, set('qwen3.expert_count', whole(8)), /mixture of experts/],
      [qwen3, set('qwen3.attention.sliding_window', whole(512)), /sliding window/],
      [qwen3, set('qwen3.attention.causal', { type: 'bool', value: false }), /looks ahead/],
      [qwen3, set('qwen3.rope.scaling.type', text('yarn')), /stretches its rotation .* yarn/],
      [qwen3, set('qwen3.rope.dimension_count', whole(4)), /only a part of each head/],
      [qwen3, set('qwen3.attention.value_length', whole(4)), /different lengths/],
      [llama, set('llama.attention.scale', float(0.5)), /sets llama.attention.scale/],
      [
        llama,
        set('llama.attention.head_count_kv', { type: 'array', of: 'uint32', values: [2, 4] }),
        /differs between its layers/,
      ],
    ];
    for (const [config, change, words] of cases) {
      await write(config, change);
      await expectRefused(path, 'model_unsupported', words);
    }
    await write(qwen3, (_, tensors) => [...tensors, f32Tensor('blk.0.attn_output.bias', new Float32Array(24))]);
    await expectRefused(path, 'model_unsupported', /holds the tensor model.layers.0.self_attn.o_proj.bias/);
    await write(qwen3, (_, tensors) => [...tensors, f32Tensor('rope_freqs.weight', new Float32Array(64).fill(1))]);
    await expectRefused(path, 'model_unsupported', /holds the tensor rope_freqs.weight/);
  });

  it('quantised in an unknown way are refused with the name of the tensor and its type', async () => {
    await write(WIDE, (_, tensors) => tensors.map((tensor) => restored(tensor, 10)));
    await expectRefused(path, 'model_unsupported', /token_embd.weight is quantised as Q2_K/);
  });

  it('that are incomplete or contradict themselves are refused', async () => {
    const { qwen3, llama } = TINY;
    const without = (name: string) => (_: unknown, tensors: RawTensor[]) => tensors.filter((t) => t.name !== name);
    await write(qwen3, without('blk.1.ffn_up.weight'));
    await expectRefused(path, 'tensor_missing', /lacks the tensor model.layers.1.mlp.up_proj.weight/);
    await write(qwen3, without('token_embd.weight'));
    await expectRefused(path, 'model_unreadable', /says 0 for vocab/);
    const cases: [ModelConfig, string, TypedValue | null, RegExp][] = [
      [qwen3, 'qwen3.block_count', whole(3), /lacks the tensor model.layers.2/],
      [qwen3, 'qwen3.block_count', whole(2_000_000), /2000000 layers/],
      [qwen3, 'qwen3.attention.head_count', whole(6), /q_proj.weight has the shape/],
      [qwen3, 'qwen3.attention.head_count_kv', whole(3), /4 heads cannot share 3/],
      [qwen3, 'qwen3.attention.head_count', whole(0), /0 for heads/],
      [qwen3, 'qwen3.embedding_length', text('24'), /say 24 for qwen3.embedding_length/],
      [qwen3, 'qwen3.embedding_length', null, /lack qwen3.embedding_length/],
      [qwen3, 'qwen3.attention.layer_norm_rms_epsilon', null, /lack qwen3.attention.layer_norm_rms_epsilon/],
      [qwen3, 'qwen3.attention.layer_norm_rms_epsilon', float(Number.NaN), /NaN/],
      [qwen3, 'qwen3.rope.freq_base', whole(1_000_000), /say 1000000 for qwen3.rope.freq_base/],
      [qwen3, 'qwen3.rope.freq_base', float(Number.POSITIVE_INFINITY), /Infinity/],
      [qwen3, 'tokenizer.ggml.tokens', { type: 'array', of: 'string', values: ['a', 'b'] }, /2 tokens, and embeddings/],
      [llama, 'general.architecture', null, /does not name its architecture/],
    ];
    for (const [config, key, value, words] of cases) {
      await write(config, (metadata) => void (value ? metadata.set(key, value) : metadata.delete(key)));
      await expectRefused(path, words.source.startsWith('lacks') ? 'tensor_missing' : 'model_unreadable', words);
    }
    await write(llama, (metadata) => {
      metadata.delete('llama.rope.freq_base');
      metadata.set('llbma.rope.freq_base', float(1));
    });
    await expectRefused(path, 'model_unreadable', /damaged llama.rope.freq_base/);
    await write(llama, (_, tensors) => [
      ...tensors.filter(({ name }) => name !== 'rope_freqs.weight'),
      f32Tensor('rope_freqs.weight', Float32Array.of(1, 2)),
    ]);
    await expectRefused(path, 'model_unreadable', /has 2 factors, where 4 are needed/);
    await write({ ...llama, ropeFactors: [1, 0, 1, 1] });
    await expectRefused(path, 'model_unreadable', /factors of its rotation are absurd/);
  });

  it('with weights that are not finite are refused when they are read', async () => {
    await write(TINY.qwen3, (_, tensors) =>
      tensors.map((tensor) => {
        const values = new Float32Array(tensor.bytes.slice().buffer);
        if (tensor.name === 'blk.0.ffn_gate.weight') values[5] = Number.NEGATIVE_INFINITY;
        return { ...tensor, bytes: new Uint8Array(values.buffer) };
      }),
    );
    const weights = await openWeights(path);
    await weights.read('model.layers.0.mlp.up_proj.weight');
    await assert.rejects(weights.read('model.layers.0.mlp.gate_proj.weight'), {
      code: 'model_unreadable',
      message: /element 5 of the tensor model.layers.0.mlp.gate_proj.weight/,
    });
    await weights.close();
  });
});
