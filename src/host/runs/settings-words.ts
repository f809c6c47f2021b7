import { isErrorShown } from '../../core/evals/error-shown.ts';
import type { RunConfig } from '../../protocol/ledger.ts';

/** The words of the settings that a run's numbers depend on. */
export function settingsWords(config: RunConfig): string[] {
  const { prompt, decoding, timeoutMs, metric, score } = config;
  const { samples, retries, turns } = decoding;
  return [
    ...['--link', prompt.link, '--samples', String(samples), '--retries', String(retries), '--turns', String(turns)],
    isErrorShown(config) ? '--repair' : '--no-repair',
    ...['--timeout-ms', String(timeoutMs), '--metric', metric, '--order-policy', score.orderPolicy],
    ...(score.keepDistinct ? ['--keep-distinct'] : []),
    ...(score.suite ? ['--suite'] : []),
    ...(score.fragile ? ['--fragile'] : []),
    ...(score.metrics.includes('r_ves') ? ['--r-ves'] : []),
  ];
}
