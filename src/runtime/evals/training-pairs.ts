import type { CancelSignal } from '../../core/ports.ts';
import { type PairBounds, tooHard } from '../../core/training/pairs/too-hard.ts';
import type { Item } from '../../protocol/dataset.ts';
import { AppError } from '../../protocol/errors.ts';
import type { Engine } from '../engine.ts';
import type { PlainPair, TrainingPair } from './pairs/pair.ts';
import { type PreparedQuestion, type PromptOptions, prepareQuestion } from './pairs/question.ts';
import { repairsOf } from './pairs/repairs.ts';
import { Rephraser } from './pairs/rephrase.ts';
import { needFreePath, writeLines } from './pairs/write-lines.ts';

/** An item that gave no pair. */
export interface SkippedItem {
  id: string;
  /** Line of the dataset, from 1. */
  line: number;
  reason: string;
}

export interface PairsRequest extends PromptOptions {
  items: readonly Item[];
  /** Path of an item's database; undefined where it is missing. */
  databaseOf: (item: Item) => string | undefined;
  /** The file to write: JSON lines. */
  out: string;
  /** Further pairs of a question, each with the schema said otherwise. */
  phrasings: number;
  /** Share of the questions that get a repair of a planted mistake, from 0 to 1. */
  repairs: number;
  /** Failed queries of a run to be repaired, by item. */
  wrongOfRun: ReadonlyMap<string, string>;
  /** Items beyond these are left out. */
  bounds: PairBounds;
  onProgress: (done: number, total: number) => void;
}

export interface MadePairs {
  /** Lines in all. */
  written: number;
  /** Of these with the schema said otherwise, and repairs. */
  phrased: number;
  repairs: number;
  /** Phrasings that were left out, for the query could not be said in them. */
  unphrased: number;
  skipped: SkippedItem[];
}

/** Why a gold does not run; null where it does. */
async function faultOf(engine: Engine, { timeoutMs }: PairsRequest, { gold }: Item, db: string, signal: CancelSignal) {
  const { status, code, message } = await engine.sandbox.query({ db, sql: gold, timeoutMs, maxRows: 1 }, signal);
  if (status === 'cancelled') throw new AppError('cancelled', 'Cancelled.');
  return status === 'ok' ? null : `the query does not run: ${message ?? code ?? status}`;
}

/** An item with its prompt, or why it gives no pair. */
async function questionOf(engine: Engine, request: PairsRequest, item: Item, signal: CancelSignal) {
  const db = request.databaseOf(item);
  if (db === undefined) return 'its database is missing';
  try {
    const fault = await faultOf(engine, request, item, db, signal);
    if (fault !== null) return fault;
    const question = await prepareQuestion(engine, item, db, request, signal);
    return tooHard(question.prompt.user, question.answer, request.bounds) ?? question;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'cancelled') return error.message;
    throw error;
  }
}

function plainPair({ item, prompt, answer }: PreparedQuestion): PlainPair {
  return { system: prompt.system, user: prompt.user, sql: answer, id: item.id, db_id: item.db_id };
}

/** Makes the pairs of one question after the other, and counts them. */
class PairMaker {
  readonly made: MadePairs = { written: 0, phrased: 0, repairs: 0, unphrased: 0, skipped: [] };
  readonly #engine: Engine;
  readonly #request: PairsRequest;
  readonly #rephraser: Rephraser;

  constructor(engine: Engine, request: PairsRequest) {
    this.#engine = engine;
    this.#request = request;
    this.#rephraser = new Rephraser(engine, request.seed, request.timeoutMs);
  }

  async *pairs(signal: CancelSignal): AsyncIterable<TrainingPair> {
    const { items, onProgress } = this.#request;
    for (const [index, item] of items.entries()) {
      const question = await questionOf(this.#engine, this.#request, item, signal);
      if (typeof question === 'string') this.made.skipped.push({ id: item.id, line: item.line, reason: question });
      else yield* this.#of(question, signal);
      onProgress(index + 1, items.length);
    }
  }

  async *#of(question: PreparedQuestion, signal: CancelSignal): AsyncIterable<TrainingPair> {
    const { phrasings, repairs: share, wrongOfRun: ofRun, seed, timeoutMs } = this.#request;
    this.made.written += 1;
    yield plainPair(question);
    for (let number = 1; number <= phrasings; number += 1) {
      const pair = await this.#rephraser.rephrase(question, number, signal);
      if (pair === null) this.made.unphrased += 1;
      else {
        this.made.written += 1;
        this.made.phrased += 1;
        yield pair;
      }
    }
    const repairs = await repairsOf(this.#engine, question, { seed, share, ofRun, timeoutMs }, signal);
    this.made.written += repairs.length;
    this.made.repairs += repairs.length;
    yield* repairs;
  }
}

/**
 * Writes the questions of a dataset as training data: the prompt is the one that `sql-agent ask` gives a local model, the
 * answer the gold query. Items whose gold does not run are left out. On demand each question comes again with its schema
 * said otherwise, and some come with a query that fails and is to be put right. Without a single pair no file is written.
 * @throws AppError `training_pairs_taken`, `training_pairs_unwritable`, `cancelled`
 */
export async function makePairs(engine: Engine, request: PairsRequest, signal: CancelSignal): Promise<MadePairs> {
  const { out } = request;
  await needFreePath(out);
  const maker = new PairMaker(engine, request);
  async function* lines() {
    for await (const pair of maker.pairs(signal)) yield `${JSON.stringify(pair)}\n`;
  }
  await writeLines(out, lines());
  return maker.made;
}
