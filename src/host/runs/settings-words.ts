import type { RunConfig } from '../../protocol/ledger.ts';

/** The words of the settings that a run's numbers depend on. */
export function settingsWords({ prompt, decoding, timeoutMs, metric, score }: RunConfig): string[] {
  const { samples, retries, repair, turns } = decoding;
  return [
    ...['--link', prompt.link, '--samples', String(samples), '--retries', String(retries), '--turns', String(turns)],
    repair === true ? '--repair' : '--no-repair',
    ...['--timeout-ms', String(timeoutMs), '--metric', metric, '--order-policy', score.orderPolicy],
    ...(score.keepDistinct ? ['--keep-distinct'] : []),
    ...(score.suite ? ['--suite'] : []),
    ...(score.fragile ? ['--fragile'] : []),
    ...(score.metrics.includes('r_ves') ? ['--r-ves'] : []),
  ];
}
