// `node test/gpu/model.ts`: the tiny golden model on the GPU against PyTorch's numbers: loss, gradients of every adapter matrix,
// three steps of AdamW; and that the same seed gives the same bits.
import { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import { BackendEngine } from '../../python-free-trainer/src/engine/backend-engine.ts';
import { Device } from '../../python-free-trainer/src/gpu/device.ts';
import { openMultiplier } from '../../python-free-trainer/src/gpu/multiplier.ts';
import { readAdapter } from '../../python-free-trainer/src/io/read-adapter.ts';
import { openWeights } from '../../python-free-trainer/src/io/weights.ts';
import { sftObjective } from '../../python-free-trainer/src/loss/sft.ts';
import { trainAdapter } from '../../python-free-trainer/src/model/lora.ts';
import { loadWeights } from '../../python-free-trainer/src/model/weights.ts';
import { goldenFolder, packPadded, readScalars, readVectors } from '../trainer/golden/vectors.ts';
import { type Learner, trainedNumbers } from '../trainer/support/learner.ts';

const COLUMNS = 24;
const COSINE = 0.999;
const scalars = readScalars();
let failed = 0;

function say(isFine: boolean, text: string): void {
  if (!isFine) failed++;
  console.log(`${isFine ? 'ok  ' : 'OFF '} ${text}`);
}

async function open(device: Device, own: boolean): Promise<Learner> {
  const source = await openWeights(goldenFolder);
  const adapter = await readAdapter(goldenFolder, source.config);
  const backend = new CudaBackend(device, openMultiplier(device, own ? 'own' : 'any'), adapter.r);
  const weights = await loadWeights(backend, source);
  const trained = trainAdapter(backend, source.config, adapter);
  await source.close();
  return {
    backend,
    weights,
    trained,
    engine: new BackendEngine(backend, weights, trained, { name: device.name, peakFlops: null }),
  };
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}

for (const own of [false, true]) {
  const device = new Device();
  const learner = await open(device, own);
  const vectors = await readVectors('sft.safetensors');
  const batch = packPadded(vectors, COLUMNS);
  const objective = sftObjective(scalars.sft.n_loss_tokens);
  const first = await learner.engine.accumulate(batch, objective);
  say(Math.abs(first.loss / scalars.sft.loss - 1) < 2e-3, `loss ${first.loss}, torch ${scalars.sft.loss}`);
  const gradients = await trainedNumbers(learner, 'gradient');
  let worst = { name: '', value: 1 };
  for (const [name, gradient] of gradients) {
    const value = cosine(gradient, vectors.floats(`grad.${name}`));
    if (!(value >= worst.value)) worst = { name, value };
  }
  say(worst.value >= COSINE, `gradients: lowest cosine ${worst.value} (${worst.name})`);
  const settings = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, clip: null } as const;
  const losses = [first.loss];
  for (let step = 0; step < 3; step++) {
    const { gradNorm } = await learner.engine.update(settings);
    const expected = scalars.adamw.grad_norms_before_clipping[step] ?? 0;
    say(Math.abs(gradNorm / expected - 1) < 5e-3, `step ${step + 1}: gradient norm ${gradNorm}, torch ${expected}`);
    const { loss } = await learner.engine.accumulate(batch, objective);
    losses.push(loss);
    const theirs = scalars.adamw.losses_before_each_step_and_after[step + 1] ?? 0;
    say(Math.abs(loss / theirs - 1) < 3e-3, `step ${step + 1}: loss ${loss}, torch ${theirs}`);
  }
  const again = await open(device, own);
  const repeated = [(await again.engine.accumulate(batch, objective)).loss];
  for (let step = 0; step < 3; step++) {
    await again.engine.update(settings);
    repeated.push((await again.engine.accumulate(batch, objective)).loss);
  }
  const [one, other] = [await trainedNumbers(learner, 'gradient'), await trainedNumbers(again, 'gradient')];
  const isSame =
    repeated.every((loss, i) => loss === losses[i]) &&
    [...one].every(([name, values]) =>
      Buffer.from(values.buffer).equals(Buffer.from((other.get(name) ?? values).buffer)),
    );
  say(isSame, 'the same bits again');
}
console.log(failed === 0 ? 'as PyTorch' : `${failed} off`);
process.exit(failed === 0 ? 0 : 1);
