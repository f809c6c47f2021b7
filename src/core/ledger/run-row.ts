import * as z from 'zod/mini';
import { Protocol } from '../../protocol/ask.ts';
import { LinkMode } from '../../protocol/catalog.ts';
import type { EvalLine } from '../../protocol/ledger.ts';
import { BinaryMetric } from '../../protocol/score.ts';
import { modelTitle } from '../evals/model-title.ts';

/** What a list of runs shows of one run. */
export const RunRow = z.object({
  run_id: z.string(),
  /** When the line was written, and when the run began; ISO 8601 in UTC. */
  time: z.string(),
  started: z.string(),
  state: z.enum(['done', 'stopped']),
  dataset: z.string(),
  /** null: the whole dataset. */
  split: z.nullable(z.string()),
  /** Items of the run, and those that it finished. */
  items: z.number(),
  done: z.number(),
  provider: z.string(),
  model: z.string(),
  protocol: Protocol,
  link: LinkMode,
  samples: z.number(),
  /** The headline metric, and its numbers; null where it was not measured. `low` and `high` are shares from 0 to 1. */
  metric: BinaryMetric,
  right: z.nullable(z.number()),
  of: z.nullable(z.number()),
  low: z.nullable(z.number()),
  high: z.nullable(z.number()),
});
export type RunRow = z.infer<typeof RunRow>;

/** The row of a run in a list. */
export function toRunRow(line: EvalLine): RunRow {
  const { config, summary } = line;
  const share = summary.shares[config.metric];
  return {
    run_id: line.run_id,
    time: line.time,
    started: line.started,
    state: line.state,
    dataset: config.dataset.name,
    split: config.split?.name ?? null,
    items: summary.items,
    done: summary.done,
    provider: config.model.provider,
    model: modelTitle(config.model),
    protocol: config.protocol,
    link: config.prompt.link,
    samples: config.decoding.samples,
    metric: config.metric,
    right: share?.right ?? null,
    of: share?.of ?? null,
    low: share?.low ?? null,
    high: share?.high ?? null,
  };
}

/** The last line of each run, newest first: a run that was stopped and went on has several. */
export function lastLines<T>(lines: readonly T[], idOf: (line: T) => string): T[] {
  const seen = new Set<string>();
  return lines.toReversed().filter((line) => {
    const id = idOf(line);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
