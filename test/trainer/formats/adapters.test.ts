import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gguf } from '@huggingface/gguf';
import { otherBaseWarning, UNKNOWN_ORIGIN } from '../../../python-free-trainer/src/io/adapter-about.ts';
import { f16ToFloat } from '../../../python-free-trainer/src/io/dequant-floats.ts';
import { readGgufLora, writeGgufLora } from '../../../python-free-trainer/src/io/gguf-lora.ts';
import { huggingFaceConfig } from '../../../python-free-trainer/src/io/hf-config.ts';
import { readPeft, writePeft } from '../../../python-free-trainer/src/io/peft.ts';
import { toF16 } from '../../../python-free-trainer/src/io/quantise.ts';
import { readAdapter } from '../../../python-free-trainer/src/io/read-adapter.ts';
import {
  readSafetensors,
  type TensorToWrite,
  writeSafetensors,
} from '../../../python-free-trainer/src/io/safetensors.ts';
import type { Adapter } from '../../../python-free-trainer/src/model/adapter.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { goldenFolder } from '../golden/vectors.ts';
import { TINY } from '../support/models.ts';
import { randomAdapter, SOME_FILE, SOME_ORIGIN } from './random-adapter.ts';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));
const CONFIG = 'adapter_config.json';
const TENSORS = 'adapter_model.safetensors';

function goldenConfig(): ModelConfig {
  return huggingFaceConfig(goldenFolder, readFileSync(join(goldenFolder, 'config.json'), 'utf8'));
}

function rounded(values: Float32Array): Float32Array {
  const halves = new Float32Array(values.length);
  f16ToFloat(new Uint16Array(toF16(values).buffer), halves);
  return halves;
}

function bfloat16(values: Float32Array): Uint16Array {
  return Uint16Array.from(new Uint32Array(values.buffer.slice(0)), (bits) => bits >>> 16);
}

describe('adapters as files', () => {
  const temporary = temporaryFolder();
  let count = 0;
  const place = (): string => join(temporary.path, `adapter-${++count}`);
  after(() => temporary.remove());

  /** A PEFT folder that was changed: fields of its configuration, its tensors. */
  async function changed(
    config: Record<string, unknown>,
    tensors: (written: Map<string, TensorToWrite>) => void = () => undefined,
  ): Promise<string> {
    const folder = place();
    mkdirSync(folder);
    const own: unknown = JSON.parse(readFileSync(join(goldenFolder, CONFIG), 'utf8'));
    writeFileSync(join(folder, CONFIG), JSON.stringify({ ...(own as object), ...config }));
    const read = await readSafetensors(join(goldenFolder, TENSORS));
    const written = new Map(
      [...read.tensors].map(([name, { shape, data }]) => [name, { shape, data: data as Float32Array }]),
    );
    tensors(written);
    await writeSafetensors(join(folder, TENSORS), written, { format: 'pt' });
    return folder;
  }

  describe('PEFT folders', () => {
    it('are written in the very form in which PEFT writes them', async () => {
      const config = goldenConfig();
      const { adapter, origin } = await readPeft(goldenFolder, config);
      assert.deepEqual(origin, UNKNOWN_ORIGIN);
      const folder = place();
      await writePeft(folder, adapter, { ...SOME_ORIGIN, baseFile: { ...SOME_FILE, path: '.' } });
      const { rank_pattern, alpha_pattern, ...own } = JSON.parse(readFileSync(join(folder, CONFIG), 'utf8'));
      assert.deepEqual([rank_pattern, alpha_pattern], [{}, {}]);
      assert.deepEqual(own, JSON.parse(readFileSync(join(goldenFolder, CONFIG), 'utf8')));
      const [written, golden] = [folder, goldenFolder].map((from) => readFileSync(join(from, TENSORS)));
      assert.ok(written && golden);
      const header = (bytes: Buffer) => JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString());
      const { __metadata__: metadata, ...tensors } = header(written);
      const { __metadata__: goldenMetadata, ...goldenTensors } = header(golden);
      assert.deepEqual(Object.entries(tensors), Object.entries(goldenTensors));
      assert.equal(metadata.format, goldenMetadata.format);
      const data = (bytes: Buffer) => bytes.subarray(8 + Number(bytes.readBigUInt64LE()));
      assert.ok(data(written).equals(data(golden)));
    });

    it('tell base, data and run in the metadata and to people', async () => {
      const folder = place();
      await writePeft(folder, randomAdapter(TINY.qwen3, 1), SOME_ORIGIN);
      const { origin } = await readPeft(folder, TINY.qwen3);
      assert.deepEqual(origin, {
        baseName: 'Tiny',
        baseHash: SOME_FILE.sha256,
        dataHash: 'd'.repeat(64),
        runId: 'run-1',
        repairs: true,
      });
      const card = readFileSync(join(folder, 'README.md'), 'utf8');
      for (const fact of ['Tiny', SOME_FILE.sha256, 'd'.repeat(64), 'run-1', 'r 4, alpha 8'])
        assert.ok(card.includes(fact), fact);
    });

    it('are read in F16 and BF16 too, and with the scale of rank-stabilised LoRA', async () => {
      const { adapter } = await readPeft(goldenFolder, goldenConfig());
      const halves = await changed({ use_rslora: true }, (tensors) => {
        for (const [name, { shape, data }] of tensors)
          tensors.set(
            name,
            name.includes('lora_A')
              ? { dtype: 'F16', shape, data: new Uint16Array(toF16(data as Float32Array).buffer) }
              : { dtype: 'BF16', shape, data: bfloat16(data as Float32Array) },
          );
      });
      const read = await readAdapter(halves, goldenConfig());
      assert.equal(read.rslora, true);
      for (const [index, { a, b }] of adapter.pairs.entries()) {
        assert.deepEqual(read.pairs[index]?.a, rounded(a));
        assert.deepEqual(
          read.pairs[index]?.b,
          new Float32Array(Uint32Array.from(bfloat16(b), (bits) => bits << 16).buffer),
        );
      }
    });

    it('of another kind than plain LoRA are refused in words', async () => {
      const bias = ['base_model.model.model.norm.weight', { shape: [1], data: new Float32Array(1) }] as const;
      const refused: [Record<string, unknown>, RegExp, ((tensors: Map<string, TensorToWrite>) => void)?][] = [
        [{ use_dora: true }, /DoRA/],
        [{ peft_type: 'IA3' }, /IA3/],
        [{ peft_type: 'PREFIX_TUNING', r: undefined }, /PREFIX_TUNING/],
        [{ bias: 'all' }, /biases/],
        [{ modules_to_save: ['lm_head'] }, /lm_head/],
        [{ rank_pattern: { q_proj: 8 } }, /rank_pattern/],
        [{ alpha_pattern: { q_proj: 8 } }, /alpha_pattern/],
        [{ fan_in_fan_out: true }, /transposed/],
        [{ init_lora_weights: 'pissa_niter_4' }, /pissa/],
        [{ target_modules: ['q_proj', 'embed_tokens'] }, /embed_tokens/],
        [{}, /model\.norm/, (tensors) => tensors.set(...bias)],
      ];
      for (const [config, words, tensors] of refused)
        await assert.rejects(
          changed(config, tensors).then((folder) => readAdapter(folder, goldenConfig())),
          (error) => {
            assert.ok(error instanceof Error && 'code' in error);
            assert.equal(error.code, 'adapter_unsupported', error.message);
            assert.match(error.message, words);
            return true;
          },
        );
    });

    it('that lack something are refused: a file, a layer, one half of a pair, numbers', async () => {
      const q = 'base_model.model.model.layers.1.self_attn.q_proj';
      const nothing = place();
      await assert.rejects(readAdapter(nothing, TINY.llama), { code: 'adapter_missing' });
      mkdirSync(nothing);
      await assert.rejects(readAdapter(nothing, TINY.llama), { code: 'adapter_missing' });
      const bare = await changed({});
      rmSync(join(bare, TENSORS));
      await assert.rejects(readAdapter(bare, goldenConfig()), { code: 'adapter_missing' });
      const without = async (names: string[], config = {}) => {
        const folder = await changed(config, (tensors) => {
          for (const name of names) tensors.delete(name);
        });
        return readAdapter(folder, goldenConfig());
      };
      await assert.rejects(without([`${q}.lora_B.weight`]), { code: 'adapter_damaged' });
      await assert.rejects(without([`${q}.lora_A.weight`, `${q}.lora_B.weight`]), { code: 'adapter_damaged' });
      await assert.rejects(without([], { r: 8 }), { code: 'adapter_unsupported' });
      await assert.rejects(without([], { lora_alpha: 'much' }), { code: 'adapter_damaged' });
      const poisoned = changed({}, (tensors) => {
        (tensors.get(`${q}.lora_A.weight`)?.data as Float32Array)[3] = Number.NaN;
      });
      await assert.rejects(readAdapter(await poisoned, goldenConfig()), { code: 'adapter_not_finite' });
    });

    it('with layers of their own choice are read as such', async () => {
      const folder = await changed({ layers_to_transform: [1] }, (tensors) => {
        for (const name of tensors.keys()) if (name.includes('layers.0.')) tensors.delete(name);
      });
      const { pairs } = await readAdapter(folder, goldenConfig());
      assert.deepEqual([...new Set(pairs.map(({ layer }) => layer))], [1]);
    });
  });

  describe('GGUF adapters', () => {
    const cases = (['qwen3', 'qwen2', 'llama'] as const).flatMap((name) =>
      [false, true].map((rslora) => ({ name, adapter: randomAdapter(TINY[name], 3, { r: 6, alpha: 5, rslora }) })),
    );

    async function throughGguf(adapter: Adapter, config: ModelConfig, type: 'F16' | 'F32'): Promise<Adapter> {
      const [folder, file] = [place(), place()];
      await writePeft(folder, adapter, SOME_ORIGIN);
      await writeGgufLora(file, await readAdapter(folder, config), config, SOME_ORIGIN, type);
      const back = place();
      await writePeft(back, await readAdapter(file, config), SOME_ORIGIN);
      return readAdapter(back, config);
    }

    for (const { name, adapter } of cases)
      it(`of ${name}${adapter.rslora ? ' with rank-stabilised scale' : ''} come back from a PEFT folder as they were`, async () => {
        assert.deepEqual(await throughGguf(adapter, TINY[name], 'F32'), adapter);
        const pairs = adapter.pairs.map((pair) => ({ ...pair, a: rounded(pair.a), b: rounded(pair.b) }));
        assert.deepEqual(await throughGguf(adapter, TINY[name], 'F16'), { ...adapter, pairs });
      });

    it("say to Hugging Face's reader what llama.cpp needs: kind, architecture, alpha, shapes", async () => {
      const path = place();
      await writeGgufLora(
        path,
        randomAdapter(TINY.llama, 5, { r: 4, alpha: 6, rslora: true }),
        TINY.llama,
        SOME_ORIGIN,
      );
      const { metadata, tensorInfos } = await gguf(path, { allowLocalFile: true });
      const found: Record<string, unknown> = { ...metadata };
      assert.equal(found['general.type'], 'adapter');
      assert.equal(found['adapter.type'], 'lora');
      assert.equal(found['general.architecture'], 'llama');
      // llama.cpp divides by the rank: 12 / 4 is 6 / √4.
      assert.equal(found['adapter.lora.alpha'], 12);
      assert.equal(found['general.base_model.0.name'], 'Tiny');
      assert.equal(found['sql_agent.base_sha256'], SOME_FILE.sha256);
      assert.equal(found['sql_agent.data_sha256'], 'd'.repeat(64));
      assert.equal(found['sql_agent.run_id'], 'run-1');
      assert.equal(found['sql_agent.repairs'], 'true');
      assert.equal(tensorInfos.length, 28);
      const shapes = new Map(tensorInfos.map(({ name, shape, dtype }) => [name, [...shape.map(Number), dtype]]));
      assert.deepEqual(shapes.get('blk.1.ffn_down.weight.lora_a'), [40, 4, 1]);
      assert.deepEqual(shapes.get('blk.1.ffn_down.weight.lora_b'), [4, 24, 1]);
    });

    it('have the rows of q and k interleaved for llama, and only for it', async () => {
      const [llama, qwen] = [place(), place()];
      const adapter = randomAdapter(TINY.llama, 5);
      await writeGgufLora(llama, adapter, TINY.llama, SOME_ORIGIN, 'F32');
      await writeGgufLora(qwen, adapter, { ...TINY.llama, architecture: 'qwen2' }, SOME_ORIGIN, 'F32');
      const asQwen = { ...TINY.llama, architecture: 'qwen2' } as const;
      const [q] = (await readAdapter(qwen, asQwen)).pairs;
      assert.deepEqual(q?.b, adapter.pairs[0]?.b);
      const bytes = readFileSync(llama);
      const row = (index: number) => {
        const { b = new Float32Array() } = adapter.pairs[0] ?? {};
        return Buffer.from(b.slice(index * 4, index * 4 + 4).buffer);
      };
      // Heads of 8: rows 0, 4, 1, 5 of the first head stand one after the other.
      assert.ok(bytes.includes(Buffer.concat([0, 4, 1, 5].map(row))));
      assert.ok(!readFileSync(qwen).includes(Buffer.concat([0, 4, 1, 5].map(row))));
    });

    it('that this program brings are read', async () => {
      const small: ModelConfig = {
        ...TINY.llama,
        ...{ hidden: 576, layers: 30, heads: 9, kvHeads: 3, headDim: 64, ffn: 1536 },
      };
      const coder: ModelConfig = {
        ...TINY.qwen2,
        ...{ hidden: 1536, layers: 28, heads: 12, kvHeads: 2, headDim: 128, ffn: 8960 },
      };
      for (const [name, config, r, alpha] of [
        ['small', small, 64, 128],
        ['coder', coder, 16, 32],
      ] as const) {
        const { adapter, origin } = await readGgufLora(join(MODELS, `${name}.lora.gguf`), config);
        assert.deepEqual([adapter.r, adapter.alpha, adapter.rslora], [r, alpha, false]);
        assert.equal(adapter.pairs.length, config.layers * 7);
        assert.equal(origin.baseHash, readModelEntry(name).base.sha256);
      }
    });

    it('of another base are refused by their shapes or architecture, and warned of by the hash in them', async () => {
      const path = place();
      await writeGgufLora(path, randomAdapter(TINY.qwen2, 2), TINY.qwen2, SOME_ORIGIN);
      const others: Partial<ModelConfig>[] = [
        { ffn: 48 },
        { hidden: 32 },
        { kvHeads: 1 },
        { layers: 1 },
        { architecture: 'llama' },
      ];
      for (const other of others)
        await assert.rejects(readAdapter(path, { ...TINY.qwen2, ...other }), { code: 'adapter_mismatch' });
      const { origin } = await readGgufLora(path, TINY.qwen2);
      assert.equal(otherBaseWarning(origin, SOME_FILE), null);
      assert.match(otherBaseWarning(origin, { ...SOME_FILE, sha256: 'b'.repeat(64) }) ?? '', /another base file/);
      const model = place();
      copyFileSync(join(MODELS, 'manifest.json'), model);
      await assert.rejects(readAdapter(model, TINY.qwen2), { code: 'adapter_damaged' });
    });

    it('are not written where a number is not finite or does not fit F16', async () => {
      const poisoned = randomAdapter(TINY.qwen3, 4);
      const [first] = poisoned.pairs;
      assert.ok(first);
      first.b[5] = Number.NaN;
      for (const write of [
        () => writePeft(place(), poisoned, SOME_ORIGIN),
        () => writeGgufLora(place(), poisoned, TINY.qwen3, SOME_ORIGIN),
      ])
        await assert.rejects(write(), { code: 'adapter_not_finite' });
      first.b[5] = 70_000;
      const path = place();
      await assert.rejects(writeGgufLora(path, poisoned, TINY.qwen3, SOME_ORIGIN), { code: 'adapter_out_of_range' });
      await writeGgufLora(path, poisoned, TINY.qwen3, SOME_ORIGIN, 'F32');
    });
  });
});
