// Whole training steps of tiny models on the GPU against the CPU.
import { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import type { PackedBatch } from '../../python-free-trainer/src/data/batch.ts';
import { BackendEngine } from '../../python-free-trainer/src/engine/backend-engine.ts';
import type { Objective, RecomputeMode } from '../../python-free-trainer/src/engine/engine.ts';
import type { Device } from '../../python-free-trainer/src/gpu/device.ts';
import type { Multiplier } from '../../python-free-trainer/src/gpu/product.ts';
import type { WeightSource } from '../../python-free-trainer/src/io/weight-source.ts';
import { sftObjective } from '../../python-free-trainer/src/loss/sft.ts';
import { trainAdapter } from '../../python-free-trainer/src/model/lora.ts';
import { loadWeights } from '../../python-free-trainer/src/model/weights.ts';
import { answerAfter, packShared, packTexts } from '../trainer/support/batches.ts';
import { type Learner, openLearner, trainedNumbers } from '../trainer/support/learner.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../trainer/support/models.ts';
import type { Trial } from './cases.ts';
import { relative, toBfloat16 } from './compare.ts';
import { PieceMemory } from './guarded.ts';

const SHARED = { hidden: 64, ffn: 96, vocab: 320 };
/** Tied embeddings with heads of 128 and 64 elements, biases with narrow heads, a head of its own. */
const MODELS = {
  'qwen3, heads of 128': { ...TINY.qwen3, ...SHARED },
  'qwen3, heads of 64': { ...TINY.qwen3, ...SHARED, headDim: 64 },
  'qwen2, heads of 16': { ...TINY.qwen2, ...SHARED, headDim: 16 },
  'llama, heads of 32': { ...TINY.llama, ...SHARED, headDim: 32, ropeFactors: null },
} as const;

/** Allowed distances after two blocks in bfloat16: of log-probabilities, and of all gradients (a cosine of 0.9988). */
const LOG_PROBS = 2e-2;
const GRADIENTS = 5e-2;

const SETTINGS = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, clip: 1 } as const;

/** How a model is run. `planned`: its passes in one allocation; else piece by piece. */
export interface Way {
  recompute: RecomputeMode;
  planned: boolean;
}

export const MODEL_NAMES = Object.keys(MODELS) as (keyof typeof MODELS)[];

/** Weights as the GPU keeps them, so that both sides begin with the same. */
function rounded(source: WeightSource): WeightSource {
  return { ...source, read: async (name, into) => toBfloat16(await source.read(name, into)) };
}

async function openGpu(device: Device, products: Multiplier, source: WeightSource, way: Way): Promise<Learner> {
  const adapter = randomAdapter(source.config, 5);
  const backend = new CudaBackend(device, products, adapter.r, way.planned ? null : new PieceMemory(device));
  const weights = await loadWeights(backend, source);
  const trained = trainAdapter(backend, source.config, adapter);
  const engine = new BackendEngine(backend, weights, trained, { name: device.name, peakFlops: null }, way.recompute);
  if (way.planned) await engine.plan(128);
  return { backend, weights, trained, engine };
}

/** Texts of several lengths, one of a single token; and a beginning that three texts share. */
function batches(vocab: number): PackedBatch[] {
  const tokens = (count: number, seed: number) => randomTokens(count, vocab, seed);
  return [
    packTexts([
      answerAfter(20, tokens(66, 1)),
      { tokens: tokens(1, 2), loss: [false] },
      answerAfter(3, tokens(9, 3)),
      answerAfter(1, tokens(31, 4)),
    ]),
    packShared(tokens(17, 5), [tokens(5, 6), tokens(40, 7), tokens(1, 8)]),
  ];
}

/** Two micro-batches, their gradients, an update, losses after it, with and without the adapter. */
async function outcome(learner: Learner, packs: readonly PackedBatch[]) {
  const { engine } = learner;
  const sft = sftObjective(100);
  const late: Objective = (logProbs, batch) => sft(logProbs, batch);
  const logProbs: number[] = [];
  for (const [index, batch] of packs.entries())
    logProbs.push(...(await engine.accumulate(batch, index === 0 ? sft : late)).logProbs);
  const gradients = [...(await trainedNumbers(learner, 'gradient')).values()].flatMap((values) => [...values]);
  const { gradNorm } = await engine.update(SETTINGS);
  for (const batch of packs)
    for (const adapter of [true, false]) logProbs.push(...(await engine.evaluate(batch, { adapter })).logProbs);
  await engine.accumulate(packs[0] ?? (batches(SHARED.vocab)[0] as PackedBatch), sft);
  await engine.update(SETTINGS);
  return { logProbs, gradients, gradNorm };
}

export async function modelCase(
  trial: Trial,
  device: Device,
  products: Multiplier,
  name: keyof typeof MODELS,
  ways: readonly Way[],
): Promise<void> {
  const config = MODELS[name];
  const source = rounded(randomModel(config, 7));
  const packs = batches(config.vocab);
  const reference = await openLearner({ source, adapter: randomAdapter(config, 5) });
  const expected = await outcome(reference, packs);
  await reference.engine.close();
  let first: readonly number[] | null = null;
  for (const way of ways) {
    const how = `${name}, ${way.recompute}, ${way.planned ? 'planned' : 'piece by piece'}`;
    try {
      const given = await outcome(await openGpu(device, products, source, way), packs);
      await trial.check(`step of ${how}: log-probabilities`, LOG_PROBS, relative(expected.logProbs, given.logProbs));
      await trial.check('  gradients', GRADIENTS, relative(expected.gradients, given.gradients));
      await trial.check('  their norm', GRADIENTS, Math.abs(given.gradNorm / expected.gradNorm - 1));
      first ??= given.gradients;
      await trial.check('  the same bits, whatever is computed again', 0, relative(first, given.gradients));
    } catch (error) {
      // A loss that is no number, say; the other ways may tell more.
      trial.failed++;
      console.log(`OFF  step of ${how}: ${error}`);
    }
  }
}
