import { strict as assert } from 'node:assert';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import type { Objective } from '../../../python-free-trainer/src/engine/engine.ts';
import { dpoObjective } from '../../../python-free-trainer/src/loss/dpo.ts';
import { grpoObjective } from '../../../python-free-trainer/src/loss/grpo.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { sumByExample } from '../../../python-free-trainer/src/loss/sums.ts';
import type { Trained } from '../../../python-free-trainer/src/model/lora.ts';
import { targetName } from '../../../python-free-trainer/src/model/targets.ts';
import { answerAfter, packShared, packTexts } from '../support/batches.ts';
import { relativeDistance } from '../support/compare.ts';
import { type Learner, openLearner } from '../support/learner.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';

/** Entries of each matrix whose slope is measured. */
const SAMPLES = 3;
/** Half the distance over which a slope is measured; the error is about its square. */
const STEP = 1e-4;
const TOLERANCE = 1e-4;

interface Loss {
  name: string;
  temperature: number;
  /** Made from what the model says before anything is changed. */
  objective(learner: Learner, batch: PackedBatch): Promise<Objective>;
}

const losses: Loss[] = [
  { name: 'SFT', temperature: 1, objective: (_, { targets }) => Promise.resolve(sftObjective(targets.length)) },
  {
    name: 'DPO with smoothing and cross-entropy',
    temperature: 1,
    async objective({ engine }, batch) {
      const reference = sumByExample((await engine.evaluate(batch, { adapter: false })).logProbs, batch).logProbs;
      const [chosenReference = 0, rejectedReference = 0] = reference;
      const pairs = [{ chosen: 0, rejected: 1, chosenReference, rejectedReference }];
      const sft = { weight: 0.3, tokens: 7 };
      return dpoObjective(pairs, { beta: 0.2, labelSmoothing: 0.1, smoothing: 'robust', pairs: 1, sft });
    },
  },
  {
    name: 'GRPO with clip-higher, divergence and temperature',
    temperature: 0.8,
    async objective({ engine }, batch) {
      const options = { temperature: 0.8 };
      const { logProbs } = await engine.evaluate(batch, options);
      const referenceLogProbs = (await engine.evaluate(batch, { ...options, adapter: false })).logProbs;
      const offsets = [-0.5, -0.1, 0.1, 0.5, 0];
      const oldLogProbs = logProbs.map((value, index) => value + (offsets[index % 5] ?? 0));
      const advantages = Float64Array.of(0.7, -1.1);
      const samples = { advantages, oldLogProbs, referenceLogProbs };
      const reduction = { kind: 'sequence_mean', sequences: 2 } as const;
      return grpoObjective(samples, { clipLow: 0.2, clipHigh: 0.28, kl: 0.05, reduction });
    },
  },
];

/** Two examples of one beginning and nothing else, or three that share nothing. */
function batches(vocab: number): Record<string, PackedBatch> {
  const tokens = randomTokens(40, vocab, 5);
  const [prefix, first, second] = [tokens.slice(0, 7), tokens.slice(7, 14), tokens.slice(14, 19)];
  return {
    packed: packTexts([answerAfter(4, first), answerAfter(2, tokens.slice(19, 30))]),
    'with a shared beginning': packShared(prefix, [first, second]),
  };
}

async function lossNow({ engine }: Learner, batch: PackedBatch, objective: Objective, temperature: number) {
  const { logProbs } = await engine.evaluate(batch, { temperature });
  return objective(logProbs, batch).loss;
}

/** The slopes of a few entries of a matrix, from the backward pass and from differences of the loss. */
async function slopes(learner: Learner, matrix: Trained, loss: () => Promise<number>) {
  const { backend } = learner;
  const values = await backend.read(matrix.value);
  const gradient = await backend.read(matrix.gradient);
  const ours: number[] = [];
  const measured: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const place = Math.floor(((sample + 0.5) * values.length) / SAMPLES);
    const at = async (distance: number) => {
      const moved = values.slice();
      moved[place] = (moved[place] ?? 0) + distance;
      backend.write(matrix.value, moved);
      return loss();
    };
    measured.push(((await at(STEP)) - (await at(-STEP))) / (2 * STEP));
    ours.push(gradient[place] ?? Number.NaN);
  }
  backend.write(matrix.value, values);
  return { ours, measured };
}

describe('gradients equal the slopes of the loss in double precision', () => {
  let worst = 0;
  after(() => {
    process.stdout.write(`      farthest matrix: ${worst.toExponential(1)}\n`);
  });

  for (const [family, config] of Object.entries(TINY))
    for (const loss of losses)
      for (const [form, batch] of Object.entries(batches(config.vocab)))
        it(`${family}, ${loss.name}, ${form}`, async () => {
          const options = { source: randomModel(config, 3), adapter: randomAdapter(config, 4), float64: true };
          const learner = await openLearner(options);
          const { temperature } = loss;
          const objective = await loss.objective(learner, batch);
          await learner.engine.accumulate(batch, objective, { temperature });
          for (const { layer, target, a, b } of learner.trained.pairs)
            for (const [factor, matrix] of Object.entries({ A: a, B: b })) {
              const current = () => lossNow(learner, batch, objective, temperature);
              const { ours, measured } = await slopes(learner, matrix, current);
              const distance = relativeDistance(ours, measured);
              worst = Math.max(worst, distance);
              assert.ok(
                distance <= TOLERANCE,
                `${targetName(layer, target)} ${factor}: ${distance}, ${ours}, ${measured}`,
              );
            }
          await learner.engine.close();
        });
});
