import type { TrainingConfig } from '../../protocol/training.ts';
import type { ConfigDifference } from '../../protocol/training-view.ts';

/** A configuration as named values, in its own order: `optimiser.lr` and the like. */
function flatten(value: unknown, path: string): [string, string | null][] {
  if (Array.isArray(value)) return [[path, value.join(', ')]];
  if (typeof value !== 'object' || value === null) return [[path, value === null ? null : String(value)]];
  return Object.entries(value).flatMap(([name, part]) => flatten(part, path === '' ? name : `${path}.${name}`));
}

/** The settings in which two runs differ. */
export function trainingDifferences(a: TrainingConfig, b: TrainingConfig): ConfigDifference[] {
  const [ofA, ofB] = [new Map(flatten(a, '')), new Map(flatten(b, ''))];
  const names = [...new Set([...ofA.keys(), ...ofB.keys()])];
  return names
    .map((name) => ({ name, a: ofA.get(name) ?? null, b: ofB.get(name) ?? null }))
    .filter((setting) => setting.a !== setting.b);
}
