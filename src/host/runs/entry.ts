import { dirname, resolve } from 'node:path';
import { wilson } from '../../core/score/statistics/wilson.ts';
import type { EvalEvent, ItemRecord, RunFile } from '../../protocol/eval.ts';
import type { EvalLine, Outcome, RunConfig, RunSummary } from '../../protocol/ledger.ts';
import type { Share } from '../../protocol/score.ts';

/**
 * What is known of a run: `done` and `stopped` are in the ledger, `unfinished` has a folder alone, `running` is at work in
 * this window, `elsewhere` in another process.
 */
export type RunState = 'done' | 'stopped' | 'unfinished' | 'running' | 'elsewhere';

/** Items by what came of them. */
export type Outcomes = Partial<Record<Outcome, number>>;

/** One run of a results folder. */
export interface RunEntry {
  id: string;
  /** Absolute paths of the results folder and of the run's own. */
  results: string;
  folder: string;
  state: RunState;
  /** When it began, ISO 8601 in UTC. */
  started: string;
  config: RunConfig;
  /** Items finished, of those chosen. */
  done: number;
  total: number;
  /** The headline metric; null where it is not known without reading every item. */
  share: Share | null;
  /** null where they are not known without reading every item. */
  outcomes: Outcomes | null;
  /** Milliseconds until the end, estimated; null where nothing is known or the run does not go on. */
  etaMs: number | null;
  /** Numbers of a run in the ledger; null for the others. */
  summary: RunSummary | null;
}

/** The run of a line of the ledger. @param results absolute path of the ledger's folder */
export function entryOfLine(line: EvalLine, results: string): RunEntry {
  const { run_id, state, started, config, summary, output } = line;
  return {
    id: run_id,
    results,
    folder: dirname(resolve(results, output.path)),
    state,
    started,
    config,
    done: summary.done,
    total: summary.items,
    share: summary.shares[config.metric] ?? null,
    outcomes: summary.outcomes,
    etaMs: null,
    summary,
  };
}

/** A run that has a folder and no line in the ledger. @param isAtWork whether some process works on it */
export function entryOfFile(
  { run_id, started, config, ids }: RunFile,
  place: { results: string; folder: string },
  { done, isAtWork }: { done: number; isAtWork: boolean },
): RunEntry {
  return {
    id: run_id,
    ...place,
    state: isAtWork ? 'elsewhere' : 'unfinished',
    started,
    config,
    done,
    total: ids.length,
    share: null,
    outcomes: null,
    etaMs: null,
    summary: null,
  };
}

/** The outcomes of records, counted. */
export function countOutcomes(records: readonly Pick<ItemRecord, 'outcome'>[]): Outcomes {
  const counts: Outcomes = {};
  for (const { outcome } of records) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/**
 * A run of this window after one of its events; null before it has begun.
 * @param now when the event came, ISO 8601 in UTC
 */
export function afterEvent(entry: RunEntry | null, event: EvalEvent, results: string, now: string): RunEntry | null {
  if (event.type === 'started') {
    const { run_id, folder, config, total, resumed, outcomes = {} } = event;
    const began = { id: run_id, results, folder, started: now, config, total, done: resumed };
    return { ...began, state: 'running', share: shareOfOutcomes(outcomes), outcomes, etaMs: null, summary: null };
  }
  if (entry === null) return null;
  if (event.type === 'item') {
    const { record, done, etaMs, share } = event;
    const outcomes = { ...entry.outcomes, [record.outcome]: (entry.outcomes?.[record.outcome] ?? 0) + 1 };
    return { ...entry, done, etaMs, share, outcomes };
  }
  if (event.type !== 'ended') return entry;
  const { state, summary } = event;
  const share = summary.shares[entry.config.metric] ?? null;
  return { ...entry, state, summary, share, outcomes: summary.outcomes, done: summary.done, etaMs: null };
}

/** The headline share of items counted by outcome; null where none was judged. */
function shareOfOutcomes(outcomes: Outcomes): Share | null {
  const judged = Object.entries(outcomes).reduce((sum, [name, count]) => sum + (name === 'gold_failed' ? 0 : count), 0);
  return judged === 0 ? null : wilson(outcomes.right ?? 0, judged);
}
