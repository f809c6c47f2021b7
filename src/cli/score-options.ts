import { availableParallelism } from 'node:os';
import { DEFAULT_METRICS, Metric, OrderPolicy, type ScoreSettings } from '../protocol/score.ts';
import { choiceOption, integerOption, stringOption, UsageError, type VerbArgs } from './verb.ts';

const DAY_MS = 86_400_000;
const MOST_CHILDREN = 64;

/** Metrics from `--metrics a,b`, each once, in the order of their definition. @throws UsageError */
function metricsOf(args: VerbArgs): Metric[] {
  const text = stringOption(args, 'metrics');
  if (text === undefined) return [...DEFAULT_METRICS];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Metric.options.some((metric) => metric === name));
  if (unknown !== undefined)
    throw new UsageError(`--metrics takes some of ${Metric.options.join(',')}, not "${unknown}".`);
  return Metric.options.filter((metric) => names.includes(metric));
}

/** How pairs are to be scored. @throws UsageError */
export function scoreSettings(args: VerbArgs): ScoreSettings {
  return {
    metrics: metricsOf(args),
    timeoutMs: integerOption(args, 'timeout-ms', 1, DAY_MS) ?? 30_000,
    orderPolicy: choiceOption(args, 'order-policy', OrderPolicy.options) ?? 'gold_order_by',
    keepDistinct: args.values['keep-distinct'] === true,
    suite: args.values['suite'] === true,
    fragile: args.values['fragile'] === true,
  };
}

/** Queries that run at the same time; one where they are timed. @throws UsageError */
export function childrenOf(args: VerbArgs, { metrics }: ScoreSettings): number {
  const asked = integerOption(args, 'children', 1, MOST_CHILDREN);
  const isTimed = metrics.includes('r_ves');
  if (isTimed && asked !== undefined && asked > 1)
    throw new UsageError('r_ves measures time, for which queries run one after the other: leave --children out.');
  return isTimed ? 1 : (asked ?? Math.max(2, Math.min(8, availableParallelism())));
}
