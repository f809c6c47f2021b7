import { hintsOn } from '../../../core/agent/perform.ts';
import { repairMessages } from '../../../core/agent/prompts.ts';
import type { CancelSignal } from '../../../core/ports.ts';
import { Random } from '../../../core/score/statistics/random.ts';
import { seedOf } from '../../../core/training/pairs/chance.ts';
import { nameMistakes } from '../../../core/training/pairs/name-mistakes.ts';
import { toJsonResult } from '../../../protocol/query.ts';
import type { Engine } from '../../engine.ts';
import type { RepairPair } from './pair.ts';
import type { PreparedQuestion } from './question.ts';

/** Rows that are fetched of a query that should fail. */
const ROWS = 1;
/** Queries that are tried for one repair. */
const TRIES = 6;

export interface RepairOptions {
  seed: number;
  /** Share of the questions that get a repair of a planted mistake, from 0 to 1. */
  share: number;
  /** Queries that failed in a run, by item: repaired whatever the share. */
  ofRun: ReadonlyMap<string, string>;
  timeoutMs: number;
}

/**
 * Whether a question gets a repair of a planted mistake: by chance, whatever the other questions are.
 */
function isChosen({ seed, share }: RepairOptions, { item }: PreparedQuestion): boolean {
  return new Random(seedOf(seed, 'repair', item.db_id, item.id)).uint32() < share * 2 ** 32;
}

/** A wrong query as the agent would send it back, where SQLite does refuse it. */
async function repairOf(
  engine: Engine,
  { item, db, catalog, prompt, answer }: PreparedQuestion,
  wrong: { sql: string; kind: string },
  timeoutMs: number,
  signal: CancelSignal,
): Promise<RepairPair | null> {
  const result = toJsonResult(await engine.sandbox.query({ db, sql: wrong.sql, timeoutMs, maxRows: ROWS }, signal));
  if (result.status !== 'error') return null;
  const asked = repairMessages({ prompt }, wrong.sql, { result, hints: hintsOn(catalog, wrong.sql, result) });
  const messages = asked.map((message) => (message.role === 'assistant' ? { ...message, train: false } : message));
  return {
    messages: [...messages, { role: 'assistant', content: answer }],
    id: item.id,
    db_id: item.db_id,
    repair: wrong.kind,
  };
}

/** The repairs of a question: of the query that a run had for it, and of a planted mistake where it is chosen. */
export async function repairsOf(
  engine: Engine,
  question: PreparedQuestion,
  options: RepairOptions,
  signal: CancelSignal,
): Promise<RepairPair[]> {
  const { item, answer, catalog } = question;
  const { seed, ofRun, timeoutMs } = options;
  const found: RepairPair[] = [];
  const seen = ofRun.get(item.id);
  if (seen !== undefined) {
    const repair = await repairOf(engine, question, { sql: seen, kind: 'run' }, timeoutMs, signal);
    if (repair !== null) found.push(repair);
  }
  if (!isChosen(options, question)) return found;
  const random = new Random(seedOf(seed, 'mistake', item.db_id, item.id));
  for (const mistake of nameMistakes(answer, catalog, random).slice(0, TRIES)) {
    const repair = await repairOf(engine, question, mistake, timeoutMs, signal);
    if (repair !== null) return [...found, repair];
  }
  return found;
}
