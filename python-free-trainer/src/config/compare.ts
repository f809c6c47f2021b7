import { createHash } from 'node:crypto';
import { trainingDifferences } from '../../../src/core/training/differences.ts';
import type { TrainingConfig } from '../../../src/protocol/training.ts';

/** A value with the fields of every object in it in the order of the alphabet. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, child]) => [name, ordered(child)]));
}

/** SHA-256 of all settings, whatever order a file has them in. */
export function configHash(config: TrainingConfig): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(config)))
    .digest('hex');
}

/** They change how fast a run is and where it is told, and not a bit of what is learned. */
const HARMLESS: readonly string[] = ['threads', 'results'];

/** What keeps a run with the first settings from going on with the second, a sentence a setting. */
export function configChanges(was: TrainingConfig, is: TrainingConfig): string[] {
  const changed = trainingDifferences(was, is).filter(({ name }) => !HARMLESS.includes(name));
  return changed.map(({ name, a, b }) => `"${name}" was ${a} and is ${b}.`);
}
