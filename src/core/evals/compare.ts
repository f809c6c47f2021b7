import type { ComparedRun, Comparison } from '../../protocol/compare.ts';
import type { BinaryMetric } from '../../protocol/score.ts';
import { clusteredBootstrap, RESAMPLING, type Resampling } from '../score/statistics/bootstrap.ts';
import { exactMcNemar } from '../score/statistics/mcnemar.ts';
import { wilson } from '../score/statistics/wilson.ts';
import { datasetsDiffer, nothingToCompare } from './compare-errors.ts';
import { comparedByDatabase, comparedByDifficulty, tally } from './compare-groups.ts';
import { type ComparedItem, type FinishedRun, flipOf, type MatchedItems, matchItems } from './compare-items.ts';
import { notesOf } from './compare-notes.ts';
import { sentenceOf } from './compare-sentence.ts';
import { modelTitle } from './model-title.ts';
import { groupBy } from './report/group.ts';
import { differingSettings } from './report/settings.ts';

export interface CompareOptions {
  /** Default: the headline metric of the first run. */
  metric?: BinaryMetric;
  /** Compare runs of different datasets on the items that are the same in both. */
  matching?: boolean;
  resampling?: Resampling;
}

/**
 * Compares two runs on the items that both have finished and whose gold runs in both.
 * @param a the run before; what it has right and `b` has not is lost
 * @param b the run after; what it has right and `a` has not is gained
 * @throws AppError `compare_datasets` for runs of different items, `compare_nothing`, `metric_not_scored`
 */
export function compareRuns(a: FinishedRun, b: FinishedRun, options: CompareOptions = {}): Comparison {
  const metric = options.metric ?? a.line.config.metric;
  const matched = matchItems(a, b, metric);
  const { compared, left } = matched;
  const runs = [a.line.run_id, b.line.run_id] as const;
  requireSameItems(a, b, matched, options.matching ?? false);
  if (compared.length === 0) throw nothingToCompare(runs, left.gold_failed.length);

  const { gained, lost, ...right } = tally(compared);
  const p = exactMcNemar(gained, lost);
  const difference = differenceOf(compared, options.resampling ?? RESAMPLING);
  const settings = differingSettings(a.line, b.line);
  return {
    metric,
    a: runOf(a, right.a, compared.length),
    b: runOf(b, right.b, compared.length),
    sentence: sentenceOf({ difference, p, compared: compared.length, gained, lost }),
    items: { compared: compared.length, ...left },
    both_right: right.a - lost,
    both_wrong: compared.length - right.a - gained,
    gained: compared.filter((item) => item.rightInB && !item.rightInA).map(flipOf),
    lost: compared.filter((item) => item.rightInA && !item.rightInB).map(flipOf),
    p,
    difference,
    by_database: comparedByDatabase(compared),
    by_difficulty: comparedByDifficulty(compared),
    settings,
    notes: notesOf(a.line, b.line, matched, difference.clusters),
  };
}

/** Runs of one dataset have the same items; else those with the same id must be the same, unless asked for less. */
function requireSameItems(a: FinishedRun, b: FinishedRun, { compared, left }: MatchedItems, matching: boolean): void {
  if (a.line.config.dataset.hash === b.line.config.dataset.hash) return;
  const same = compared.length + left.gold_failed.length;
  const common = same + left.other_gold.length;
  if (same === 0 || (left.other_gold.length > 0 && !matching))
    throw datasetsDiffer([a.line.run_id, b.line.run_id], common, same);
}

function differenceOf(compared: readonly ComparedItem[], resampling: Resampling): Comparison['difference'] {
  const clusters = [...groupBy(compared, ({ a }) => a.db_id).values()].map((members) => {
    const { gained, lost } = tally(members);
    return { difference: gained - lost, items: members.length };
  });
  const ends = clusteredBootstrap(clusters, resampling);
  const { gained, lost } = tally(compared);
  return {
    value: (gained - lost) / compared.length,
    low: ends?.low ?? null,
    high: ends?.high ?? null,
    clusters: clusters.length,
    ...resampling,
  };
}

function runOf({ line }: FinishedRun, right: number, compared: number): ComparedRun {
  const { run_id, started, state, config, summary } = line;
  return {
    run_id,
    started,
    state,
    model: modelTitle(config.model),
    dataset: config.dataset.name,
    split: config.split?.name ?? null,
    done: summary.done,
    share: wilson(right, compared),
  };
}
