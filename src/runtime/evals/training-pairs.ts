import { open, rename, rm } from 'node:fs/promises';
import type { CancelSignal } from '../../core/ports.ts';
import type { LinkMode } from '../../protocol/catalog.ts';
import type { Item } from '../../protocol/dataset.ts';
import { AppError } from '../../protocol/errors.ts';
import { type PromptFor, prepareAsk } from '../ask-prepare.ts';
import type { Engine } from '../engine.ts';
import { pairsTaken, pairsUnwritable } from './dataset-errors.ts';

/** Rows of a gold that are fetched to see whether it runs. */
const ROWS = 1;
/** What a prompt holds shall not depend on how fast a machine searches cell values. */
const SCAN_BUDGET_MS = 60_000;
/** What the prompts are made for: a local model that answers with a query. */
const ANSWERER: PromptFor = { protocol: 'one_shot', model: { provider: 'local', name: 'any', accuracy: null } };

/** One line of training data, as `sql-agent train` reads it; where it comes from stands beside it. */
interface TrainingPair {
  system: string;
  user: string;
  sql: string;
  id: string;
  db_id: string;
}

/** An item that gave no pair. */
export interface SkippedItem {
  id: string;
  /** Line of the dataset, from 1. */
  line: number;
  reason: string;
}

export interface PairsRequest {
  items: readonly Item[];
  /** Path of an item's database; undefined where it is missing. */
  databaseOf: (item: Item) => string | undefined;
  link: LinkMode;
  /** Limit of one gold query in milliseconds. */
  timeoutMs: number;
  /** The file to write: JSON lines. */
  out: string;
  onProgress: (done: number, total: number) => void;
}

export interface MadePairs {
  written: number;
  skipped: SkippedItem[];
}

/** Why a gold does not run; null where it does. */
async function faultOf(engine: Engine, { timeoutMs }: PairsRequest, { gold }: Item, db: string, signal: CancelSignal) {
  const { status, code, message } = await engine.sandbox.query({ db, sql: gold, timeoutMs, maxRows: ROWS }, signal);
  if (status === 'cancelled') throw new AppError('cancelled', 'Cancelled.');
  return status === 'ok' ? null : `the query does not run: ${message ?? code ?? status}`;
}

/** The pair of an item, or why there is none. */
async function pairOf(engine: Engine, request: PairsRequest, item: Item, signal: CancelSignal) {
  const db = request.databaseOf(item);
  if (db === undefined) return 'its database is missing';
  try {
    const fault = await faultOf(engine, request, item, db, signal);
    if (fault !== null) return fault;
    const { id, db_id, question, evidence, gold } = item;
    const { link, timeoutMs } = request;
    const oracle = link === 'oracle' ? gold : null;
    const asked = { db, question, evidence, previous: null, samples: 1, turns: 1, timeoutMs, maxRows: ROWS };
    const options = { link, gold: oracle, scanBudgetMs: SCAN_BUDGET_MS };
    const { setup } = await prepareAsk(engine, ANSWERER, { ...asked, ...options }, () => undefined, signal);
    const { system, user } = setup.prompt;
    return { system, user, sql: gold.replace(/[;\s]+$/, '').trimStart(), id, db_id } satisfies TrainingPair;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'cancelled') return error.message;
    throw error;
  }
}

/** Beside its place, then renamed: a call that is cancelled leaves nothing. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const beside = `${path}.part`;
  const file = await open(beside, 'w').catch((error: Error) => {
    throw pairsUnwritable(path, error.message);
  });
  try {
    for await (const line of lines) await file.write(line);
    await file.sync();
    await file.close();
    await rename(beside, path);
  } catch (error) {
    await file.close();
    await rm(beside, { force: true });
    throw error;
  }
}

/**
 * Writes the questions of a dataset as training data: the prompt is the one that `sql-agent ask` gives a local model, the
 * answer the gold query. Items whose gold does not run are left out.
 * @throws AppError `training_pairs_taken`, `training_pairs_unwritable`, `cancelled`
 */
export async function makePairs(engine: Engine, request: PairsRequest, signal: CancelSignal): Promise<MadePairs> {
  const { items, out, onProgress } = request;
  const taken = await open(out).catch(() => null);
  await taken?.close();
  if (taken !== null) throw pairsTaken(out);
  const skipped: SkippedItem[] = [];
  let done = 0;
  async function* lines() {
    for (const item of items) {
      const pair = await pairOf(engine, request, item, signal);
      onProgress(++done, items.length);
      if (typeof pair === 'string') skipped.push({ id: item.id, line: item.line, reason: pair });
      else yield `${JSON.stringify(pair)}\n`;
    }
  }
  await writeLines(out, lines());
  return { written: items.length - skipped.length, skipped };
}
