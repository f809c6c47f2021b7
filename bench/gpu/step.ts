// `node bench/gpu/step.ts 1.7b|4b|small [i|ii] [own] [none|cheap|mlp|block] [thread] [unspecialised]`: seconds of a training step of a shape
// with random weights (Qwen3's, SmolLM2-135M's), LoRA of rank 16 on all seven layers. i: 16 texts of 2,048 tokens, loss on all;
// ii: 64 texts of lognormal length, loss on the last 60 tokens. PACK: most tokens computed at once. unspecialised: NVRTC serves
// cuDNN alone; SQL_AGENT_NVRTC, SQL_AGENT_CUDNN and SQL_AGENT_CUBLASLT set to "none" hide these libraries.
import { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import type { PackedBatch } from '../../python-free-trainer/src/data/batch.ts';
import { BackendEngine } from '../../python-free-trainer/src/engine/backend-engine.ts';
import { createEngine } from '../../python-free-trainer/src/engine/create.ts';
import { MODES } from '../../python-free-trainer/src/engine/memory-plan.ts';
import { Device } from '../../python-free-trainer/src/gpu/device.ts';
import { openMultiplier } from '../../python-free-trainer/src/gpu/multiplier.ts';
import { specialise } from '../../python-free-trainer/src/gpu/specialise.ts';
import { specialiseDevice } from '../../python-free-trainer/src/gpu/specialise-device.ts';
import { sftObjective } from '../../python-free-trainer/src/loss/sft.ts';
import { freshAdapter, trainAdapter } from '../../python-free-trainer/src/model/lora.ts';
import { TARGETS } from '../../python-free-trainer/src/model/targets.ts';
import { loadWeights } from '../../python-free-trainer/src/model/weights.ts';
import { randomFloats } from '../../test/gpu/compare.ts';
import { packTexts } from '../../test/trainer/support/batches.ts';
import { RandomWeights, SHAPES } from './random-weights.ts';

const [, , shape = '1.7b', workload = 'i', ...others] = process.argv;
const config = SHAPES[shape];
if (config === undefined) throw new Error(`no shape ${shape}; there are ${Object.keys(SHAPES).join(', ')}`);
/** Tokens that texts are made of. */
const words = Math.min(150_000, config.vocab);
const STEPS = 4;
/** Most tokens of one pack. */
const PACK = Number(process.env['PACK'] ?? 16_384);

function lengths(): number[] {
  if (workload === 'i') return Array.from({ length: 16 }, () => 2048);
  const uniform = randomFloats(128, 7).map((value) => (value + 1) / 2);
  return Array.from({ length: 64 }, (_, i) => {
    const normal =
      Math.sqrt(-2 * Math.log(Math.max(uniform[2 * i] ?? 0.5, 1e-6))) *
      Math.cos(2 * Math.PI * (uniform[2 * i + 1] ?? 0));
    return Math.max(128, Math.min(2048, Math.round(Math.exp(6.62 + 0.5 * normal))));
  });
}

/** Texts into packs of at most PACK tokens, longest first. */
function packs(): PackedBatch[] {
  const bins: number[][] = [];
  for (const length of lengths().sort((a, b) => b - a)) {
    const bin = bins.find((one) => one.reduce((sum, other) => sum + other, 0) + length <= PACK);
    if (bin === undefined) bins.push([length]);
    else bin.push(length);
  }
  return bins.map((bin) =>
    packTexts(
      bin.map((length) => ({
        tokens: Array.from({ length }, (_, i) => (i * 7919 + length) % words),
        loss: Array.from({ length }, (_, i) => workload === 'i' || i >= length - 60),
      })),
    ),
  );
}

const device = new Device();
const kernels = others.includes('unspecialised')
  ? { name: 'kernels for any model', note: null }
  : specialiseDevice(device, await specialise(config, device.capability));
if (kernels.note !== null) console.log(kernels.note);
const products = openMultiplier(device, others.includes('own') ? 'own' : 'any');
const backend = new CudaBackend(device, products, 16);
const source = new RandomWeights(config);
const started = performance.now();
const weights = await loadWeights(backend, source);
const lora = { r: 16, alpha: 32, rslora: false, targets: TARGETS };
const adapter = freshAdapter(config, lora, 1);
for (const { b } of adapter.pairs) b.set(randomFloats(b.length, 3).map((value) => value * 0.01));
const about = { name: device.name, peakFlops: null };
const recompute = MODES.find((mode) => others.includes(mode)) ?? null;
const direct = new BackendEngine(backend, weights, trainAdapter(backend, config, adapter), about, recompute);
const start = { device: 'cuda', source, lora, adapter, seed: 1, threads: null } as const;
const engine = others.includes('thread') ? await createEngine(start) : direct;
console.log(
  `loaded in ${((performance.now() - started) / 1000).toFixed(1)} s, ${(backend.memory() / 2 ** 30).toFixed(1)} GB`,
);
console.log(await engine.plan?.(PACK));
const batches = packs();
const lossTokens = batches.reduce((sum, { lossRows }) => sum + lossRows.length, 0);
const tokens = batches.reduce((sum, batch) => sum + batch.tokens.length, 0);
const flops = batches.reduce((sum, batch) => sum + engine.flops(batch), 0);
const objective = sftObjective(lossTokens);
const seconds: number[] = [];
let loss = 0;
for (let step = 0; step < STEPS; step++) {
  device.wait();
  const start = performance.now();
  loss = 0;
  for (const batch of batches) loss += (await engine.accumulate(batch, objective)).loss;
  const { gradNorm } = await engine.update({ lr: 2e-4, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, clip: 1 });
  device.wait();
  seconds.push((performance.now() - start) / 1000);
  console.log(
    `step ${step}: ${seconds.at(-1)?.toFixed(3)} s, loss ${loss.toFixed(4)}, gradient norm ${gradNorm.toExponential(2)}`,
  );
}
const best = Math.min(...seconds.slice(1));
console.log(
  JSON.stringify({
    bench: 'step',
    gpu: device.name,
    products: products.name,
    attention: backend.attentionBy,
    kernels: kernels.name,
    shape,
    workload,
    tokens,
    lossTokens,
    packs: batches.length,
    seconds: Number(best.toFixed(3)),
    tokensPerSecond: Math.round(tokens / best),
    usefulTflops: Math.round(flops / best / 1e12),
    peakGiB: Number((engine.memory() / 2 ** 30).toFixed(1)),
  }),
);
process.exit(0);
