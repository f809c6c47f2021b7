import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gguf as readByOther } from '@huggingface/gguf';
import { readGguf } from '../../../python-free-trainer/src/io/gguf-read.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { needSmallModel } from '../support/small-model.ts';

/** SHA-256 of weights in float32, dequantised and put in order by NumPy from the same file. */
const BY_NUMPY: Readonly<Record<string, string>> = {
  'model.embed_tokens.weight': '3fd491c8066dd9dc1a2bf6796701526c82817d95c0ecabacdef3013c2b8bbbaa',
  'model.layers.0.self_attn.q_proj.weight': '54b377bbfa2deab945dfdba7fb59e0ca3eb74329358bd1b53b635b3ff37c1a56',
  'model.layers.29.self_attn.k_proj.weight': '8e99b2450d5f3d53731f52790cc82f80b04341e533306bcfee6669ffa3c79921',
  'model.layers.29.mlp.down_proj.weight': 'c19605745425a11e704e305ce3d27b632c406195d39eb3377e9cfb140ac643d1',
  'model.norm.weight': '3b87f8e27335e67fc08f159cabfd2d18f205d6c5b225a6f978153552bf01d559',
};

describe('the model that comes with the program', () => {
  let folder: TemporaryFolder;
  let path: string;
  let weights: WeightSource;
  before(async function () {
    folder = temporaryFolder();
    path = await needSmallModel(this, folder.path);
    weights = await openWeights(path);
  });
  after(async () => {
    await weights?.close();
    folder.remove();
  });

  it('has the shape of SmolLM2 135M', () => {
    assert.deepEqual(weights.config, {
      architecture: 'llama',
      hidden: 576,
      layers: 30,
      heads: 9,
      kvHeads: 3,
      headDim: 64,
      ffn: 1536,
      vocab: 49152,
      tied: true,
      ropeTheta: 100_000,
      ropeScaling: null,
      ropeFactors: null,
      rmsEps: 1e-5,
      qkvBias: false,
      qkNorm: false,
      maxPositions: 8192,
    });
    assert.equal(weights.file.sha256, 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53');
    assert.deepEqual(weights.types, { Q4_1: 210, F32: 61, Q8_0: 1 });
  });

  it("has the weights that NumPy finds in it, bit for bit, rows of q and k in Hugging Face's order", async () => {
    for (const [name, sha256] of Object.entries(BY_NUMPY)) {
      const values = await weights.read(name);
      assert.equal(createHash('sha256').update(new Uint8Array(values.buffer)).digest('hex'), sha256, name);
    }
  });

  it('has 134,515,008 weights, all of them finite', async () => {
    let count = 0;
    for (const name of weights.shapes.keys()) count += (await weights.read(name)).length;
    assert.equal(count, 134_515_008);
  });

  it('has the metadata that @huggingface/gguf finds in it', async () => {
    const ours = await readGguf(path);
    await ours.close();
    const { metadata } = await readByOther(path, { allowLocalFile: true });
    const other = new Map<string, unknown>(Object.entries(metadata));
    for (const [key, value] of ours.metadata) assert.deepEqual(value, other.get(key), key);
  });
});
