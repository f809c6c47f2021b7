import assert from 'node:assert/strict';
import { createEngine } from '../../../python-free-trainer/src/engine/create.ts';
import type { Engine } from '../../../python-free-trainer/src/engine/engine.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import type { Adapter } from '../../../python-free-trainer/src/model/adapter.ts';
import { packTexts } from '../support/batches.ts';
import type { GreedyAnswer } from '../support/llama.ts';

/** The trainer's own computation of a model with an adapter. */
export function engineWith(source: WeightSource, adapter: Adapter): Promise<Engine> {
  return createEngine({ device: 'cpu', source, lora: { ...adapter, targets: [] }, adapter, seed: 1, threads: null });
}

/** How far the two may be apart, in nats. */
export interface Closeness {
  /** Two tokens this near each other may change places. */
  nearTie: number;
  /** Middle and largest difference of a log-probability. */
  median: number;
  largest: number;
}

/** The engine's log-probabilities of each step's candidates, and how many steps have its most likely token among them. */
async function judge(engine: Engine, prompt: readonly number[], { steps }: GreedyAnswer, adapter: boolean) {
  const tokens = [...prompt, ...steps.map(({ token }) => token)];
  const batch = packTexts([{ tokens, loss: tokens.map((_, index) => index >= prompt.length) }]);
  const rows = steps.flatMap(({ candidates }, step) => candidates.map(() => prompt.length - 1 + step));
  const targets = steps.flatMap(({ candidates }) => candidates.map(({ token }) => token));
  const asked = {
    ...batch,
    lossRows: Int32Array.from(rows),
    targets: Int32Array.from(targets),
    examples: new Int32Array(rows.length),
  };
  return engine.evaluate(asked, { adapter });
}

/**
 * llama.cpp's greedy tokens are the engine's most likely ones, up to near ties, and the log-probabilities of its likeliest
 * tokens are the engine's.
 * @returns how many of the tokens were such ties
 */
export async function expectAgreement(
  engine: Engine,
  answers: readonly { prompt: readonly number[]; answer: GreedyAnswer }[],
  { nearTie, median, largest }: Closeness,
  adapter = true,
): Promise<number> {
  const differences: number[] = [];
  let ties = 0;
  for (const { prompt, answer } of answers) {
    const { logProbs, correct } = await judge(engine, prompt, answer, adapter);
    assert.equal(correct, answer.steps.length, 'the most likely token is not among those of llama.cpp');
    let at = 0;
    for (const { candidates } of answer.steps) {
      const own = candidates.map((_, index) => logProbs[at + index] ?? Number.NaN);
      at += candidates.length;
      const best = own.indexOf(Math.max(...own));
      if (best !== 0) {
        ties++;
        const gap = (candidates[0]?.logProb ?? 0) - (candidates[best]?.logProb ?? 0);
        assert.ok(gap < nearTie, `another token is the most likely one, by ${gap}`);
      }
      for (const [index, { logProb }] of candidates.entries())
        if (logProb > -8) differences.push(Math.abs(logProb - (own[index] ?? Number.NaN)));
    }
  }
  differences.sort((a, b) => a - b);
  const [middle = Number.NaN, most = Number.NaN] = [differences[differences.length >> 1], differences.at(-1)];
  assert.ok(middle <= median, `half of the log-probabilities differ by more than ${middle}`);
  assert.ok(most <= largest, `a log-probability differs by ${most}`);
  return ties;
}
