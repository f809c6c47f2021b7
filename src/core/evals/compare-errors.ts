import { AppError } from '../../protocol/errors.ts';
import type { BinaryMetric } from '../../protocol/score.ts';

// One function per error that a user is told about a comparison of two runs.

/** The runs are of different datasets, and their items are not the same. @param common ids that both have */
export function datasetsDiffer(runs: readonly [string, string], common: number, matching: number): AppError {
  const [a, b] = runs;
  const message =
    matching === 0
      ? `${a} and ${b} are of different datasets and have no item in common (same id, database and gold). Compare runs of the same dataset.`
      : `${a} and ${b} are of different datasets: of ${common} ids that both have, ${matching} have the same database and gold. Compare runs of the same dataset, or only those ${matching} with --matching.`;
  return new AppError('compare_datasets', message, { runs, common, matching });
}

export function nothingToCompare(runs: readonly [string, string], goldFailed: number): AppError {
  const [a, b] = runs;
  const why =
    goldFailed === 0
      ? 'have finished no item in common'
      : `have ${goldFailed} finished items in common, and the gold query fails in all of them`;
  const message = `${a} and ${b} ${why}. Choose runs of the same dataset and split, or resume a stopped one.`;
  return new AppError('compare_nothing', message, { runs, goldFailed });
}

export function metricNotScored(run: string, metric: BinaryMetric, scored: readonly string[]): AppError {
  const message = `${run} was not scored by ${metric}. It has ${scored.join(', ') || 'no metric'}: name one of them with --metric, or evaluate again with ${metric} among --metrics.`;
  return new AppError('metric_not_scored', message, { run, metric, scored });
}
