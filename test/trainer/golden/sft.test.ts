import { strict as assert } from 'node:assert';
import type { HeadShape, Tensor } from '../../../python-free-trainer/src/backend/backend.ts';
import type { Floats } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { RotationTensors } from '../../../python-free-trainer/src/model/rotation-tensors.ts';
import { packTexts } from '../support/batches.ts';
import { type Learner, observe, trainedNumbers } from '../support/learner.ts';
import { openGolden } from './open.ts';
import { packPadded, readScalars, readVectors, type Vectors } from './vectors.ts';
import { Worst } from './worst.ts';

const COLUMNS = 24;
const VOCAB = 320;
const scalars = readScalars();

describe('supervised fine-tuning of the tiny model equals PyTorch', () => {
  let learner: Learner;
  let vectors: Vectors;
  const worst = new Worst();

  before(async () => {
    learner = await openGolden();
    vectors = await readVectors('sft.safetensors');
  });
  after(async () => {
    worst.print();
    await learner.engine.close();
  });

  it('in all logits with the adapter', async () => {
    const logits = await observe(learner, packPadded(vectors, COLUMNS), { adapter: true });
    const theirs = rowsThatAreText(vectors);
    assert.equal(logits.length, 71 * VOCAB);
    worst.compare('logits', logits, theirs);
  });

  it('in the logits without it', async () => {
    const logits = await observe(learner, packTexts([secondRow(vectors)]), { adapter: false });
    worst.compare('base logits', logits, vectors.floats('logits_base_row1').subarray(0, 17 * VOCAB));
  });

  it('after every module on the way', async () => {
    const intermediates = await readVectors('sft_intermediates.safetensors');
    const seen = await modules(learner, vectors);
    for (const name of intermediates.names) {
      const ours = seen.get(name);
      assert.ok(ours !== undefined, name);
      worst.compare(name, ours, intermediates.floats(name).subarray(0, ours.length));
    }
  });

  it('in loss, gradients and their norm', async () => {
    const { engine } = learner;
    const result = await engine.accumulate(packPadded(vectors, COLUMNS), sftObjective(scalars.sft.n_loss_tokens));
    worst.compare('loss', [result.loss], vectors.floats('loss'));
    worst.compare('loss', [result.loss], [scalars.sft.loss]);
    worst.compareAll('grad.', await trainedNumbers(learner, 'gradient'), (name) => vectors.floats(name));
    const { gradNorm } = await engine.update({ lr: 0, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, clip: null });
    worst.compare('gradient norm', [gradNorm], [scalars.sft.grad_norm]);
  });
});

describe('the same in double precision', () => {
  it('gives the loss of PyTorch in float64, whose norms and softmax still compute in float32, to 5e-9', async () => {
    const { engine } = await openGolden({ float64: true });
    const batch = packPadded(await readVectors('sft.safetensors'), COLUMNS);
    const { loss } = await engine.accumulate(batch, sftObjective(scalars.sft.n_loss_tokens));
    await engine.close();
    assert.ok(Math.abs(loss / scalars.sft.loss_float64 - 1) <= 5e-9, `${loss}`);
  });
});

function secondRow(vectors: Vectors) {
  const tokens = [...vectors.integers('input_ids').subarray(COLUMNS, COLUMNS + 17)];
  return { tokens, loss: tokens.map(() => false) };
}

function rowsThatAreText(vectors: Vectors): number[] {
  const logits = vectors.floats('logits');
  const rows: number[] = [];
  for (const [row, real] of vectors.integers('attention_mask').entries())
    if (real === 1) rows.push(...logits.subarray(row * VOCAB, (row + 1) * VOCAB));
  return rows;
}

/** The tensors that a forward pass of the second row shows, under the names of the file. */
async function modules(learner: Learner, vectors: Vectors): Promise<Map<string, Floats>> {
  const batch = packTexts([secondRow(vectors)]);
  const seen = new Map<string, Floats>();
  const probe = (name: string, tensor: Tensor) => {
    seen.set(name, (tensor as Tensor & { data: Floats }).data.slice());
  };
  await observe(learner, batch, { adapter: true, probe });
  const qkv = seen.get('layer0.qkv') ?? new Float32Array();
  for (const [name, from, width] of [
    ['q', 0, 64],
    ['k', 64, 32],
    ['v', 96, 32],
  ] as const)
    seen.set(`layer0.${name}_proj`, columns(qkv, 128, from, width));
  const normed = await headNorms(learner, qkv);
  seen.set('layer0.q_norm', columns(normed, 128, 0, 64));
  seen.set('layer0.k_norm', columns(normed, 128, 64, 32));
  return seen;
}

/** Norms of the heads alone: a rotation at position 0 turns nothing. */
async function headNorms({ backend, weights }: Learner, qkv: Floats): Promise<Floats> {
  const rows = qkv.length / 128;
  const shape: HeadShape = { heads: 4, kvHeads: 2, headDim: 16 };
  const [read, out, rstd] = [backend.tensor(rows, 128, qkv), backend.tensor(rows, 128), backend.tensor(rows, 6)];
  const rotation = new RotationTensors(backend, weights.config).at(new Int32Array(rows));
  const norms = weights.layers[0]?.headNorms ?? null;
  assert.ok(norms !== null);
  backend.rotate(out, rstd, read, shape, rotation, { ...norms, eps: weights.config.rmsEps });
  return backend.read(out);
}

function columns(values: Floats, width: number, from: number, count: number): Floats {
  return values.filter((_, index) => index % width >= from && index % width < from + count);
}
