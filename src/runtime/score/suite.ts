import { basename } from 'node:path';
import type { Metric } from '../../protocol/score.ts';
import type { Judgement } from './judge.ts';

/** A verdict on one database of a suite. */
export interface OnDatabase {
  db: string;
  judgement: Judgement;
}

const BINARY = ['official_ex', 'strict_ex', 'spider_ex'] as const satisfies Metric[];

/**
 * One verdict from those on all databases of a folder: a metric that says right or wrong passes where it passes on each
 * of them, `soft_f1` is the mean, both are null where the gold failed on any; reason and statuses are those of the first
 * database that decides against, and `database` names it. null: there is no database.
 */
export function combine(found: readonly OnDatabase[]): Judgement | null {
  const [main] = found;
  if (!main) return null;
  if (found.length === 1) return main.judgement;
  const deciding =
    found.find(({ judgement }) => judgement.reason === 'gold_failed') ??
    found.find(({ judgement }) => judgement.reason !== null) ??
    found.find(({ judgement }) => BINARY.some((metric) => judgement[metric] === false));
  const all = found.map(({ judgement }) => judgement);
  const combined: Judgement = { ...(deciding ?? main).judgement, ms: total(all.map(({ ms }) => ms)) };
  for (const metric of BINARY) if (metric in main.judgement) combined[metric] = every(all.map((one) => one[metric]));
  if ('soft_f1' in main.judgement) combined.soft_f1 = mean(all.map((one) => one.soft_f1));
  return { ...combined, ...(deciding ? { database: basename(deciding.db) } : {}) };
}

function every(values: readonly (boolean | null | undefined)[]): boolean | null {
  if (values.some((value) => value === null || value === undefined)) return null;
  return values.every((value) => value === true);
}

function mean(values: readonly (number | null | undefined)[]): number | null {
  const numbers = values.filter((value) => typeof value === 'number');
  return numbers.length < values.length ? null : total(numbers) / numbers.length;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
