// Texts that the proofs learn from: real pairs as a run would take them, or made ones.
import { completeConfig } from '../../python-free-trainer/src/config/complete.ts';
import type { Example } from '../../python-free-trainer/src/data/conversation.ts';
import { createOrder } from '../../python-free-trainer/src/data/order.ts';
import { prefixFamilies } from '../../python-free-trainer/src/data/prefixes.ts';
import type { WeightSource } from '../../python-free-trainer/src/io/weight-source.ts';
import { loadRunData } from '../../python-free-trainer/src/train/data.ts';
import { randomFloats } from './compare.ts';

/** A text as PyTorch's part takes it: all tokens from `first` on are learned. */
export interface PeerText {
  tokens: number[];
  first: number;
}

/** @throws Error where what is learned does not stand at the end */
export function peerText({ tokens, loss }: Example): PeerText {
  const first = loss.indexOf(1);
  if (first < 1 || loss.subarray(first).includes(0)) throw new Error('learned tokens must end the text');
  return { tokens: [...tokens], first };
}

/** The examples of each step of a run with these settings, by the functions that a run calls. */
export async function plannedSteps(given: Record<string, unknown>, { config: model, shapes }: WeightSource) {
  let parameters = 0;
  for (const shape of shapes.values()) parameters += shape.reduce((product, size) => product * size, 1);
  const config = completeConfig(given, 'the settings', { parameters, maxPositions: model.maxPositions });
  const { train } = await loadRunData(config, model.vocab);
  const order = createOrder({
    examples: train.length,
    seed: config.seed,
    batch: config.batch.examples,
    epochs: config.length.epochs,
    families: config.data.share_prefixes ? prefixFamilies(train) : null,
  });
  const count = Math.min(order.steps, config.length.steps ?? order.steps);
  const steps = Array.from({ length: count }, (_, step) =>
    [...order.examplesOf(step)].flatMap((place) => train[place] ?? []),
  );
  return { config, steps };
}

/** Lengths of made texts in tokens: short, long, just before and behind a multiple of 64. */
const LENGTHS = [1024, 700, 513, 321, 256, 129, 64, 63];
/** Tokens that every second made text begins with. */
const SHARED = 48;

/** Texts of random tokens; the last third of each is learned. */
export function madeTexts(vocab: number, count: number): Example[] {
  const words = (length: number, seed: number) =>
    Int32Array.from(randomFloats(length, seed), (value) => Math.floor(((value + 1) / 2) * vocab));
  const beginning = words(SHARED, 1);
  return Array.from({ length: count }, (_, index) => {
    const tokens = words(LENGTHS[index % LENGTHS.length] ?? 64, 2 + index);
    if (index % 2 === 1) tokens.set(beginning);
    return { tokens, loss: new Uint8Array(tokens.length).fill(1, Math.ceil((tokens.length * 2) / 3)) };
  });
}
