import type { Example } from '../../../python-free-trainer/src/data/conversation.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';

/** An example of a prompt and an answer that is learned. */
export function example(prompt: readonly number[], answer: readonly number[]): Example {
  const tokens = Int32Array.from([...prompt, ...answer]);
  return { tokens, loss: new Uint8Array(tokens.length).fill(1, prompt.length) };
}

/** Token ids of a generator. */
export function tokensOf(random: Random, count: number, vocab: number): number[] {
  return Array.from({ length: count }, () => random.below(vocab));
}

export interface FamilyOptions {
  families: number;
  /** Examples of a family. */
  each: number;
  /** Tokens that a family's prompts begin with, and most that each has of its own. */
  shared: number;
  own: number;
  answer: number;
  vocab: number;
  seed: number;
}

/** Examples of several families in a mixed order; prompts of a family begin alike, as those on one schema do. */
export function familyExamples({ families, each, shared, own, answer, vocab, seed }: FamilyOptions): Example[] {
  const random = new Random(seed);
  const beginnings = Array.from({ length: families }, () => tokensOf(random, shared, vocab));
  return Array.from({ length: families * each }, (_, index) =>
    example(
      [...(beginnings[index % families] ?? []), ...tokensOf(random, 1 + random.below(own), vocab)],
      tokensOf(random, 1 + random.below(answer), vocab),
    ),
  );
}
