import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TensorToWrite } from '../../../python-free-trainer/src/io/safetensors.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { randomModel, TINY } from '../support/models.ts';
import { expectRefused, expectSameWeights } from './expect.ts';
import { configJson, type FolderOptions, writeFolder } from './make-folder.ts';

const golden = fileURLToPath(new URL('../../fixtures/trainer/golden', import.meta.url));
const PLAIN: ModelConfig = { ...TINY.llama, ropeFactors: null };

/** Where Llama 3.2's stretch passes over: index of the frequency and its factor, by transformers' formula in double precision. */
const PASSAGE = [
  [15, 1.6513292457638982],
  [16, 3.2922621029408843],
  [17, 9.66672897875329],
] as const;

describe('models in Hugging Face folders', () => {
  let temporary: TemporaryFolder;
  let folder: string;
  beforeEach(() => {
    temporary = temporaryFolder();
    folder = join(temporary.path, 'tiny');
  });
  afterEach(() => temporary.remove());

  async function write(config: ModelConfig, options: FolderOptions = {}) {
    const source = randomModel(config, 3);
    await writeFolder(folder, source, options);
    return source;
  }

  async function configOf(config: ModelConfig, fields: Record<string, unknown>): Promise<ModelConfig> {
    await write(config, { config: fields });
    const weights = await openWeights(folder);
    await weights.close();
    return weights.config;
  }

  it('are read as transformers wrote them, and named by a hash of all their files', async () => {
    const weights = await openWeights(golden);
    const { hidden, layers, heads, kvHeads, headDim, ffn, vocab, tied, qkNorm, qkvBias } = weights.config;
    assert.deepEqual([hidden, layers, heads, kvHeads, headDim, ffn, vocab], [64, 2, 4, 2, 16, 160, 320]);
    assert.deepEqual([tied, qkNorm, qkvBias, weights.config.architecture], [true, true, false, 'qwen3']);
    assert.deepEqual([weights.name, weights.container, weights.types], ['golden', 'safetensors', { F32: 24 }]);
    const hash = createHash('sha256');
    for (const name of ['config.json', 'model.safetensors']) {
      const bytes = readFileSync(join(golden, name));
      hash.update(`${bytes.length}\n`).update(bytes);
    }
    assert.deepEqual(weights.file, { path: golden, sha256: hash.digest('hex'), bytes: 430_682 });
    assert.equal((await weights.read('model.layers.1.mlp.down_proj.weight')).length, 64 * 160);
    await weights.close();
  });

  for (const config of [TINY.qwen3, TINY.qwen2, PLAIN])
    for (const tied of [true, false])
      it(`of ${config.architecture}, head ${tied ? 'shared with' : 'apart from'} the embeddings, in one file and in several`, async () => {
        for (const shards of [undefined, 3]) {
          const source = await write({ ...config, tied }, shards === undefined ? {} : { shards });
          const weights = await openWeights(folder);
          assert.deepEqual(weights.config, { ropeFactors: null, ...config, tied });
          await expectSameWeights(weights, source);
          await weights.close();
          rmSync(folder, { recursive: true });
        }
      });

  it('in half precision become float32', async () => {
    const tensors = new Map<string, TensorToWrite>([
      ['model.norm.weight', { dtype: 'BF16', shape: [24], data: new Uint16Array(24).fill(0x3fc0) }],
      ['model.layers.0.input_layernorm.weight', { dtype: 'F16', shape: [24], data: new Uint16Array(24).fill(0x3400) }],
    ]);
    await write(TINY.qwen3, { tensors });
    const weights = await openWeights(folder);
    assert.deepEqual(await weights.read('model.norm.weight'), new Float32Array(24).fill(1.5));
    assert.deepEqual(await weights.read('model.layers.0.input_layernorm.weight'), new Float32Array(24).fill(0.25));
    assert.equal(weights.types['BF16'], 1);
    await weights.close();
  });

  it('take defaults as transformers does', async () => {
    const missing = { head_dim: undefined, num_key_value_heads: undefined, tie_word_embeddings: undefined };
    assert.deepEqual(await configOf({ ...PLAIN, headDim: 6, kvHeads: 4 }, missing), {
      ...PLAIN,
      headDim: 6,
      kvHeads: 4,
    });
    assert.equal((await configOf({ ...TINY.qwen3, headDim: 128 }, { head_dim: null })).headDim, 128);
  });

  it("stretch Llama 3's rotation, in the old spelling and in that of transformers 5", async () => {
    // Of Llama 3.2 1B: 32 frequencies of heads of 64.
    const ropeScaling = { factor: 32, lowFrequencyFactor: 1, highFrequencyFactor: 4, originalPositions: 8192 };
    const config = { ...PLAIN, headDim: 64, ropeTheta: 500_000, ropeScaling };
    const old = await configOf(config, {});
    assert.deepEqual(old.ropeScaling, ropeScaling);
    const { rope_scaling: scaling } = configJson(config);
    const renamed = { rope_theta: undefined, rope_scaling: undefined };
    const parameters = { rope_theta: 500_000, ...Object(scaling) };
    assert.deepEqual(await configOf(config, { ...renamed, rope_parameters: parameters }), old);
    assert.deepEqual(
      await configOf(config, { rope_scaling: { ...Object(scaling), rope_type: undefined, type: 'llama3' } }),
      old,
    );
    const factors = old.ropeFactors ?? [];
    assert.equal(factors.length, 32);
    assert.ok(factors.slice(0, 15).every((factor) => factor === 1));
    assert.ok(factors.slice(18).every((factor) => factor === 32));
    for (const [index, factor] of PASSAGE) assert.ok(Math.abs((factors[index] ?? 0) / factor - 1) < 1e-6);
  });

  it('with fields that change nothing are read all the same', async () => {
    const harmless = {
      layer_types: ['full_attention', 'full_attention'],
      rope_scaling: { rope_type: 'default' },
      use_sliding_window: true,
      attention_dropout: 0.5,
      transformers_version: '5.0.0',
      quantization_config: null,
    };
    assert.deepEqual(await configOf(PLAIN, harmless), PLAIN);
    assert.deepEqual(await configOf(PLAIN, { use_sliding_window: true, max_window_layers: 2 }), PLAIN);
    const frequencies: TensorToWrite = { shape: [4], data: new Float32Array(4) };
    await write(PLAIN, { tensors: new Map([['model.layers.0.self_attn.rotary_emb.inv_freq', frequencies]]) });
    await (await openWeights(folder)).close();
    const head: TensorToWrite = { shape: [50, 24], data: new Float32Array(50 * 24) };
    await write(TINY.qwen3, { tensors: new Map([['lm_head.weight', head]]) });
    await (await openWeights(folder)).close();
  });

  it('that the trainer does not compute are refused, and say why', async () => {
    const { qwen3, qwen2 } = TINY;
    const cases: [ModelConfig, Record<string, unknown>, RegExp][] = [
      [qwen3, { architectures: ['Qwen3MoeForCausalLM'], model_type: 'qwen3_moe' }, /Qwen3MoeForCausalLM/],
      [qwen3, { architectures: ['MistralForCausalLM'], num_hidden_layers: 'many' }, /MistralForCausalLM/],
      [qwen3, { num_experts: 8 }, /mixture of experts/],
      [qwen3, { hidden_act: 'gelu' }, /activation is gelu/],
      [qwen3, { attention_bias: true }, /attention has biases/],
      [PLAIN, { mlp_bias: true }, /feed-forward layers have biases/],
      [qwen2, { use_sliding_window: true, max_window_layers: 1 }, /sliding window/],
      [qwen3, { layer_types: ['full_attention', 'sliding_attention'] }, /sliding window/],
      [qwen3, { quantization_config: { quant_method: 'awq' } }, /weights are quantised/],
      [qwen3, { rope_scaling: { type: 'yarn', factor: 4 } }, /not known: yarn/],
      [PLAIN, { rope_parameters: { rope_type: 'dynamic', rope_theta: 10_000 } }, /not known: dynamic/],
      [PLAIN, { rope_interleaved: true }, /interleaved/],
      [PLAIN, { partial_rotary_factor: 0.5 }, /only a part of each head/],
    ];
    for (const [config, fields, words] of cases) {
      await write(config, { config: fields });
      await expectRefused(folder, 'model_unsupported', words);
    }
    const bias: TensorToWrite = { shape: [24], data: new Float32Array(24) };
    await write(qwen3, { tensors: new Map([['model.layers.0.self_attn.o_proj.bias', bias]]) });
    await expectRefused(folder, 'model_unsupported', /holds the tensor model.layers.0.self_attn.o_proj.bias/);
    const bytes: TensorToWrite = { shape: [24], data: new Uint8Array(24) };
    await write(qwen3, { tensors: new Map([['model.norm.weight', bytes]]) });
    await expectRefused(folder, 'model_unsupported', /model.norm.weight is of type U8/);
  });

  it('that contradict themselves are refused', async () => {
    const { qwen3 } = TINY;
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ hidden_size: 32 }, /embed_tokens.weight has the shape \[50, 24\], where its configuration says \[50, 32\]/],
      [{ vocab_size: 51 }, /embed_tokens.weight has the shape/],
      [{ num_key_value_heads: 3 }, /4 heads cannot share 3/],
      [{ head_dim: 7 }, /cannot be rotated in pairs/],
      [{ rms_norm_eps: undefined }, /rms_norm_eps is missing/],
      [{ rms_norm_eps: 1 }, /1 for the epsilon/],
      [{ rope_theta: undefined }, /rope_theta is missing/],
      [{ rope_theta: 0 }, /0 for the base of its rotation/],
      [{ rope_parameters: { rope_theta: 5 } }, /contradict each other/],
      [{ rope_scaling: { factor: 4 } }, /does not say how/],
      [{ rope_scaling: { rope_type: 'llama3', factor: 4 } }, /incomplete/],
      [
        {
          rope_scaling: {
            rope_type: 'llama3',
            factor: 4,
            low_freq_factor: 4,
            high_freq_factor: 1,
            original_max_position_embeddings: 64,
          },
        },
        /do not fit each other/,
      ],
      [{ num_attention_heads: '4' }, /num_attention_heads is missing or has a value/],
      [{ num_hidden_layers: 1e9 }, /layers/],
      [{ model_type: 'llama' }, /its model_type llama/],
      [{ architectures: [] }, /does not name its architecture/],
      [{ rope_thetb: 5, rope_theta: undefined }, /rope_thetb, which looks like a misspelt rope_theta/],
    ];
    for (const [fields, words] of cases) {
      await write(qwen3, { config: fields });
      await expectRefused(folder, 'model_unreadable', words);
    }
  });

  it('that are incomplete are refused', async () => {
    await expectRefused(folder, 'model_missing', /There is no model/);
    await write({ ...TINY.qwen3, tied: false }, { without: ['lm_head.weight'] });
    await expectRefused(folder, 'tensor_missing', /lm_head.weight/);
    await expectRefused(join(folder, 'model.safetensors'), 'model_missing', /Name the folder/);
    rmSync(join(folder, 'model.safetensors'));
    await expectRefused(folder, 'model_unreadable', /holds neither model.safetensors nor/);
    rmSync(join(folder, 'config.json'));
    await expectRefused(folder, 'model_missing', /config.json/);
  });

  it('whose weight files are missing or are not what the index says are refused', async () => {
    await write(PLAIN, { shards: 2 });
    const index = join(folder, 'model.safetensors.index.json');
    const text = readFileSync(index, 'utf8');
    rmSync(join(folder, 'model-00002-of-00002.safetensors'));
    await expectRefused(folder, 'model_unreadable', /weight file model-00002-of-00002.safetensors, .* is missing/);
    for (const name of ['../other.safetensors', '/etc/passwd', '', '..']) {
      writeFileSync(index, text.replace('model-00001-of-00002.safetensors', name));
      await expectRefused(folder, 'model_unreadable', /names a strange file/);
    }
    writeFileSync(index, text.replaceAll('00002-of', '00001-of'));
    await expectRefused(folder, 'tensor_missing', /lacks the tensor/);
    for (const broken of ['{', '[]', '{"weight_map": {"a": 1}}', '{"weight_map": []}']) {
      writeFileSync(index, broken);
      await expectRefused(folder, 'model_unreadable', /not a JSON object with a weight_map/);
    }
  });
});
