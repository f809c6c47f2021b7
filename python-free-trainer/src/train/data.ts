import { join } from 'node:path';
import type { HashedFile, TrainingConfig } from '../../../src/protocol/training.ts';
import { storageFolder } from '../../../src/runtime/paths.ts';
import type { Example } from '../data/conversation.ts';
import { exampleExceedsPack, tokenizerMismatch } from '../data/errors.ts';
import { type Examples, loadExamples } from '../data/examples.ts';
import { holdOut, joined } from '../data/order.ts';
import { rowsOf, samePrompts } from '../data/prefixes.ts';
import { openTokenizer } from '../data/tokenizer.ts';
import { nothingToTrain } from './errors.ts';

/** The examples of a run. */
export interface RunData {
  train: Example[];
  /** Measured and never trained on; none: there is no evaluation. */
  evaluation: Example[];
  /** Place of each training example among those of its file that are short enough. */
  places: Int32Array;
  /** SHA-256 of the tokenizer with its chat template, which all are written with. */
  tokenizer: string;
  trainFile: HashedFile;
  evalFile: HashedFile | null;
  /** Examples of the training file that are set apart, and that are too long. */
  heldOut: number;
  leftOut: number;
  /** Of the training examples. */
  tokens: number;
  lossTokens: number;
  /** Tokens of the longest example. */
  longest: number;
  /** Whether the training file holds repairs. */
  repairs: boolean;
  /** What a user should know, sentences. */
  notes: string[];
}

/** Folder in which the tokens of data files are kept, so that a second run on the same data starts at once. */
function cacheFolder(): string {
  return join(storageFolder(), 'tokens');
}

/** A model whose data is loaded: its path, and how many tokens it knows. */
export interface DataModel {
  path: string;
  vocab: number;
}

/**
 * Loads a data file for a model.
 * @throws AppError `tokenizer_mismatch`, those of `openTokenizer` and `loadExamples`
 */
export async function loadFor(
  { path: model, vocab }: DataModel,
  path: string,
  maxLength: number,
): Promise<Examples & { tokenizer: string }> {
  const tokenizer = await openTokenizer(model);
  const found = await loadExamples(path, tokenizer, { maxLength, cache: cacheFolder() });
  const highest = found.examples.reduce(
    (most, { tokens }) => tokens.reduce((higher, token) => Math.max(higher, token), most),
    0,
  );
  if (highest >= vocab) throw tokenizerMismatch(model, highest, vocab);
  return { ...found, tokenizer: tokenizer.definition.hash };
}

/** Examples that belong together are set apart together, or not at all. */
function nothingApart(share: number, heldOut: Int32Array): string[] {
  if (share === 0 || heldOut.length > 0) return [];
  return [
    'Nothing is set apart for evaluation: the examples of one prompt or one "id" are more than the share that is asked for ("data.held_out").',
  ];
}

/** Evaluation on what is trained on tells nothing of new questions. */
function sameData(train: HashedFile, evaluation: HashedFile | undefined): string[] {
  if (train.sha256 !== evaluation?.sha256) return [];
  return ['The evaluation data is the training data, so that its loss says nothing of new questions ("data.eval").'];
}

function lossTokensOf(examples: readonly Example[]): number {
  return examples.reduce((sum, { loss }) => sum + loss.reduce((count, learned) => count + learned, 0), 0);
}

function checkPacks(examples: readonly Example[], packTokens: number): number {
  const rows = examples.reduce((most, example) => Math.max(most, rowsOf(example)), 0);
  if (rows > packTokens) throw exampleExceedsPack(rows, packTokens);
  return examples.reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
}

/**
 * The examples that a run trains on and those that it is measured by.
 * @param vocab how many tokens the base knows
 * @throws AppError `nothing_to_train`, `example_exceeds_pack`, those of `loadFor`
 */
export async function loadRunData({ model, data, batch, seed }: TrainingConfig, vocab: number): Promise<RunData> {
  const base = { path: model.base, vocab };
  const all = await loadFor(base, data.train, data.max_length);
  const apart = data.eval === null ? null : await loadFor(base, data.eval, data.max_length);
  const share = apart === null && all.examples.length > 1 ? data.held_out : 0;
  const chosen = holdOut(all.examples.length, share, seed, joined(samePrompts(all.examples), all.items));
  const pick = (indices: Int32Array) => [...indices].flatMap((index) => all.examples[index] ?? []);
  const train = pick(chosen.train);
  const evaluation = apart?.examples ?? pick(chosen.heldOut);
  if (train.length === 0) throw nothingToTrain(data.train);
  return {
    train,
    evaluation,
    places: chosen.train,
    tokenizer: all.tokenizer,
    trainFile: all.file,
    evalFile: apart?.file ?? null,
    heldOut: apart === null ? evaluation.length : 0,
    leftOut: all.counts.tooLong,
    tokens: train.reduce((sum, { tokens }) => sum + tokens.length, 0),
    lossTokens: lossTokensOf(train),
    repairs: all.counts.repairs > 0,
    longest: checkPacks([...train, ...evaluation], batch.pack_tokens),
    notes: [
      ...all.notes,
      ...(apart?.notes ?? []),
      ...nothingApart(share, chosen.heldOut),
      ...sameData(all.file, apart?.file),
    ],
  };
}
