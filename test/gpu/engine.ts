// `node test/gpu/engine.ts`: the engine on the GPU gives the same bits however it is run: with its memory planned or not, with
// activations kept or computed again, with the output head in one pass or in two, on a thread of its own or not.
import { createEngine } from '../../python-free-trainer/src/engine/create.ts';
import type { Engine, Objective, RecomputeMode } from '../../python-free-trainer/src/engine/engine.ts';
import { Device } from '../../python-free-trainer/src/gpu/device.ts';
import { readAdapter } from '../../python-free-trainer/src/io/read-adapter.ts';
import { openWeights } from '../../python-free-trainer/src/io/weights.ts';
import { sftObjective } from '../../python-free-trainer/src/loss/sft.ts';
import { toWireError } from '../../src/protocol/errors.ts';
import { goldenFolder, packPadded, readScalars, readVectors } from '../trainer/golden/vectors.ts';

const COLUMNS = 24;
const scalars = readScalars();
const batch = packPadded(await readVectors('sft.safetensors'), COLUMNS);
const sft = sftObjective(scalars.sft.n_loss_tokens);
const late: Objective = (logProbs, of) => sft(logProbs, of);
const settings = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, clip: null } as const;
let failed = 0;

function say(isFine: boolean, text: string): void {
  if (!isFine) failed++;
  console.log(`${isFine ? 'ok  ' : 'OFF '} ${text}`);
}

interface Way {
  planned: boolean;
  recompute?: RecomputeMode;
  thread: boolean;
  objective: Objective;
}

async function open({ recompute, thread }: Pick<Way, 'recompute' | 'thread'>): Promise<Engine> {
  const source = await openWeights(goldenFolder);
  const adapter = await readAdapter(goldenFolder, source.config);
  const lora = { r: adapter.r, alpha: adapter.alpha, rslora: adapter.rslora, targets: [] };
  const mode = recompute === undefined ? {} : { recompute };
  const engine = await createEngine({ device: 'cuda', source, lora, adapter, seed: 1, threads: null, thread, ...mode });
  await source.close();
  return engine;
}

/** Losses, norms and log-probabilities of three steps, and the adapter and moments after them. */
async function outcome(way: Way): Promise<string> {
  const engine = await open(way);
  if (way.planned) await engine.plan?.(batch.tokens.length + 40);
  const found: unknown[] = [];
  for (let step = 0; step < 3; step++) {
    const { loss, logProbs, correct } = await engine.accumulate(batch, way.objective);
    found.push(loss, [...logProbs], correct, await engine.update(settings));
  }
  found.push([...(await engine.evaluate(batch)).logProbs]);
  found.push([...(await engine.evaluate(batch, { adapter: false })).logProbs]);
  const { firstMoments, secondMoments } = await engine.optimiser();
  for (const { a, b } of (await engine.adapter()).pairs) found.push([...a], [...b]);
  for (const values of [...firstMoments, ...secondMoments]) found.push([...values]);
  await engine.close();
  return JSON.stringify(found);
}

const plain: Way = { planned: false, recompute: 'none', thread: false, objective: sft };
const expected = await outcome(plain);
for (const recompute of ['none', 'cheap', 'mlp', 'block'] as const)
  for (const planned of [false, true]) {
    const isSame = (await outcome({ ...plain, planned, recompute })) === expected;
    say(isSame, `the same bits: computed again ${recompute}, ${planned ? 'planned' : 'not planned'}`);
  }
say(
  (await outcome({ ...plain, planned: true, objective: late })) === expected,
  'the same bits: output head in two passes',
);
say((await outcome({ planned: true, thread: true, objective: sft })) === expected, 'the same bits: on a thread');
say(
  (await outcome({ planned: true, thread: true, objective: late })) === expected,
  'the same bits: on a thread, in two passes',
);
const engine = await open({ thread: true });
console.log(await engine.plan?.(4096));
await engine.close();
// The last: this process can ask nothing of the GPU afterwards.
const device = new Device();
let code = 'none';
try {
  device.launch('widen_rows', { x: 1, threads: 32 }, 64, 64, 64, 1, 32);
  device.wait();
} catch (error) {
  code = toWireError(error).code;
}
say(code === 'gpu_lost', `an illegal address is told as ${code}`);
console.log(failed === 0 ? 'the same bits' : `${failed} off`);
process.exit(failed === 0 ? 0 : 1);
