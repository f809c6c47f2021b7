import type { RunConfig } from '../../protocol/ledger.ts';
import { isErrorShown } from './error-shown.ts';

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function walk(before: unknown, now: unknown, path: string): string[] {
  if (isObject(before) && isObject(now)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return keys.flatMap((key) => walk(before[key], now[key], path === '' ? key : `${path}.${key}`));
  }
  return shown(before) === shown(now) ? [] : [`${path} was ${shown(before)} and is ${shown(now)}`];
}

/** What numbers depend on. Not what an adapter is called: its hash says which it is, and files are renamed. */
function comparable(config: RunConfig): unknown {
  const { adapterName: _, ...model } = config.model;
  return { ...config, model, decoding: { ...config.decoding, repair: isErrorShown(config) } };
}

/** The fields in which two configurations differ, a clause each such as `decoding.samples was 1 and is 3`. */
export function configDifferences(before: RunConfig, now: RunConfig): string[] {
  return walk(comparable(before), comparable(now), '');
}
