import { createHash } from 'node:crypto';
import type { TrainingConfig } from '../../../src/protocol/training.ts';

type Leaf = [path: string, value: string];

/** Every setting with its path, in the order of the alphabet, values as JSON; a list is one value. */
function leaves(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, JSON.stringify(value)]];
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, child]) => leaves(child, path === '' ? name : `${path}.${name}`));
}

/** SHA-256 of all settings, whatever order a file has them in. */
export function configHash(config: TrainingConfig): string {
  return createHash('sha256')
    .update(JSON.stringify(leaves(config)))
    .digest('hex');
}

/** What differs between two configurations, a sentence a setting. */
export function differences(was: TrainingConfig, is: TrainingConfig): string[] {
  const now = new Map(leaves(is));
  return leaves(was).flatMap(([path, value]) =>
    now.get(path) === value ? [] : [`"${path}" was ${value} and is ${now.get(path) ?? 'missing'}.`],
  );
}
