import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verb } from '../../../python-free-trainer/src/cli/inspect.ts';
import { UsageError } from '../../../python-free-trainer/src/cli/verb.ts';
import { parseWords } from '../../../python-free-trainer/src/cli/words.ts';
import { bundledModels } from '../../../src/runtime/model/manifest.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { randomModel, TINY } from '../support/models.ts';
import { tinyFolder } from '../support/tiny-folder.ts';
import { ggufFile, modelMetadata, modelTensors, text } from './make-gguf.ts';

const golden = fileURLToPath(new URL('../../fixtures/trainer/golden', import.meta.url));

describe('inspect', () => {
  let folder: TemporaryFolder;
  let adapter: string;
  before(() => {
    folder = temporaryFolder();
    adapter = join(folder.path, 'adapter');
    mkdirSync(adapter);
    for (const name of ['adapter_config.json', 'adapter_model.safetensors'])
      copyFileSync(join(golden, name), join(adapter, name));
  });
  after(() => folder.remove());

  /** @returns what it prints for people and for programs */
  async function inspect(...words: string[]): Promise<{ lines: string; json: Record<string, unknown> }> {
    const lines: string[] = [];
    let json: unknown;
    const out = {
      jsonMode: true,
      line: (line = '') => void lines.push(line),
      log: () => undefined,
      json: (value: unknown) => {
        json = value;
      },
    };
    const signal = new AbortController().signal;
    assert.equal(await verb.run({ out, env: {}, cwd: folder.path, signal }, parseWords(verb, words)), 0);
    return { lines: lines.join('\n'), json: JSON.parse(JSON.stringify(json)) };
  }

  it('describes a Hugging Face folder with its tokenizer', async () => {
    const { lines, json } = await inspect(tinyFolder(folder.path));
    assert.deepEqual(
      { ...json, path: null, tokenizer: null },
      {
        status: 'ok',
        kind: 'model',
        path: null,
        name: 'tiny',
        container: 'safetensors',
        bytes: 430_682,
        config: {
          architecture: 'qwen3',
          hidden: 64,
          layers: 2,
          heads: 4,
          kv_heads: 2,
          head_dim: 16,
          ffn: 160,
          vocab: 320,
          tied: true,
          rope_theta: 1_000_000,
          rope_scaling: null,
          rope_factors: null,
          rms_eps: 1e-6,
          qkv_bias: false,
          qk_norm: true,
          max_positions: 256,
        },
        parameters: 106_880,
        types: { F32: 24 },
        tokenizer: null,
        tokenizer_problem: null,
        chat_template: false,
        metadata: { format: 'pt' },
        check: null,
      },
    );
    assert.match(lines, /tiny: qwen3, 106,880 parameters/);
    assert.match(lines, /tokenizer: 259 tokens, 0 merges, 3 special tokens, ends <\|im_end\|>/);
  });

  it('describes a GGUF file, with long metadata as their length, and says what is wrong with its tokenizer', async () => {
    const path = join(folder.path, 'x.gguf');
    const { config } = randomModel(TINY.llama, 1);
    const metadata = modelMetadata(config);
    metadata.set('tokenizer.ggml.model', text('llama'));
    metadata.set('tokenizer.chat_template', text('x'.repeat(600)));
    metadata.set('a.list', { type: 'array', of: 'uint64', values: [1n, 2n ** 60n] });
    metadata.set('a.long', { type: 'array', of: 'uint8', values: new Array(17).fill(1) });
    writeFileSync(path, ggufFile({ metadata, tensors: await modelTensors(randomModel(config, 1)) }));
    const { json, lines } = await inspect(path);
    assert.equal(json['container'], 'gguf');
    assert.equal(json['tokenizer'], null);
    assert.equal(Object(json['tokenizer_problem']).code, 'tokenizer_unsupported');
    const shown = Object(json['metadata']);
    assert.deepEqual(shown['a.list'], [1, String(2n ** 60n)]);
    assert.equal(shown['a.long'], '17 values');
    assert.equal(shown['tokenizer.chat_template'], '600 characters');
    assert.match(lines, /stretched as Llama 3 does/);
  });

  it('reads every weight where it is asked to', async () => {
    const { json } = await inspect(golden, '--check');
    const { sha256, largest } = Object(json['check']);
    assert.match(sha256, /^[0-9a-f]{64}$/);
    assert.ok(largest > 1 && largest < 10);
  });

  it('describes a PEFT folder, and says whether it fits a base', async () => {
    const { json, lines } = await inspect(adapter);
    assert.deepEqual(
      { ...json, path: null, metadata: null },
      {
        status: 'ok',
        kind: 'adapter',
        path: null,
        container: 'peft',
        bytes: 39_769,
        architecture: null,
        r: 4,
        alpha: 8,
        rslora: false,
        layers: 2,
        targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
        parameters: 8960,
        types: { F32: 28 },
        metadata: null,
        fits: null,
      },
    );
    assert.match(lines, /r 4, alpha 8, scale alpha \/ r\n {2}changes q_proj, k_proj/);
    assert.equal((await inspect('adapter', '--base', golden)).json['fits'], true);
    const other = join(folder.path, 'other.gguf');
    const { config } = randomModel(TINY.qwen3, 1);
    const tensors = await modelTensors(randomModel(config, 1));
    writeFileSync(other, ggufFile({ metadata: modelMetadata(config), tensors }));
    await assert.rejects(inspect('adapter', '--base', other), { code: 'adapter_mismatch' });
  });

  it('describes a GGUF adapter', async () => {
    const { json } = await inspect(join(bundledModels, 'small.lora.gguf'));
    const { container, architecture, r, alpha, layers, parameters, types } = json;
    assert.deepEqual([container, architecture, r, alpha, layers], ['gguf', 'llama', 64, 128, 30]);
    assert.deepEqual([parameters, types], [19_537_920, { F16: 420 }]);
  });

  it('refuses options that mean nothing for what it is given, and says what to do', async () => {
    const parent = join(folder.path, 'options');
    mkdirSync(parent);
    const model = tinyFolder(parent);
    await assert.rejects(inspect(model, '--base', model), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /--base is for adapters, and .*tiny is a model\. Leave it out, or name an adapter\./);
      return true;
    });
    await assert.rejects(inspect(adapter, '--check'), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /--check is for models, and .*adapter is an adapter; --base MODEL reads it whole\./);
      return true;
    });
  });

  it('fails with the error of reading, and for words that make no sense', async () => {
    await assert.rejects(inspect('nowhere'), { code: 'model_missing' });
    await assert.rejects(inspect(), UsageError);
    await assert.rejects(inspect('a', 'b'), UsageError);
    const empty = join(folder.path, 'empty');
    mkdirSync(empty);
    await assert.rejects(inspect(empty), { code: 'model_missing' });
    writeFileSync(join(empty, 'adapter_config.json'), '{}');
    await assert.rejects(inspect(empty), { code: 'adapter_damaged' });
    copyFileSync(join(adapter, 'adapter_config.json'), join(empty, 'adapter_config.json'));
    await assert.rejects(inspect(empty), { code: 'adapter_missing' });
  });
});
