import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/cli.ts';

/** What scipy, statsmodels and numpy say; made by the script beside the file. */
export interface KnownValues {
  wilson: { right: number; of: number; low: number; high: number }[];
  mcnemar: { gained: number; lost: number; mcnemar: number; binomtest: number }[];
  bootstrap: {
    differences: number[];
    items: number[];
    numpy: [number, number];
    /** Standard deviation of each end when 10,000 resamples are drawn. */
    wander: [number, number];
    scipy: [number, number];
  }[];
  closed_forms: { clusters: number; gained: number; low: number; high: number }[];
  random: { seed: number; numbers: number[] }[];
}

export function knownValues(): KnownValues {
  return JSON.parse(readFileSync(join(projectRoot, 'test/fixtures/statistics/known_values.json'), 'utf8'));
}
