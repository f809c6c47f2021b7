import { isAbsolute } from 'node:path';
import * as z from 'zod/mini';
import { defaultTrainingConfig } from '../../../src/core/training/defaults.ts';
import { TrainingConfig } from '../../../src/protocol/training.ts';
import { allowedAt, unknownSettings } from './allowed.ts';
import { type ModelSize, settingsBySize } from './by-size.ts';
import { configInvalid } from './errors.ts';

/** Settings as somebody wrote them: any part of them may be left out but the base and the data. */
export type GivenSettings = Record<string, unknown>;

const Needs = z.object({
  model: z.object({ base: z.string().check(z.minLength(1)) }),
  data: z.object({ train: z.string().check(z.minLength(1)) }),
});

const PATHS = [['model', 'base'], ['model', 'adapter'], ['data', 'train'], ['data', 'eval'], ['results']];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merged(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isObject(below) || !isObject(above)) return above;
  const names = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...names].map((name) => [name, merged(below[name], above[name])]));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) ? inner[String(key)] : undefined;
  }, value);
}

function problemsOf(value: unknown, { issues }: z.core.$ZodError): string[] {
  return issues.map(({ path }) => {
    const found = valueAt(value, path);
    const is = found === undefined ? 'is missing' : `is ${JSON.stringify(found)}`;
    return `"${path.map(String).join('.')}" ${is}; allowed is ${allowedAt(path)}.`;
  });
}

/** Packs that hold the longest example that is allowed. */
function packFor(given: GivenSettings, { batch }: TrainingConfig): unknown {
  const longest = valueAt(given, ['data', 'max_length']);
  return typeof longest === 'number' ? { batch: { pack_tokens: Math.max(batch.pack_tokens, longest) } } : {};
}

/** A path would mean another file wherever the trainer is started from. */
function relativePaths(given: GivenSettings): string[] {
  return PATHS.flatMap((path) => {
    const found = valueAt(given, path);
    if (typeof found !== 'string' || found === '' || isAbsolute(found)) return [];
    return [`"${path.join('.')}" is ${JSON.stringify(found)}; allowed is an absolute path.`];
  });
}

/**
 * The settings of a run: those given, and for the rest what suits a model of this size.
 * @param path the file they are from, for the message
 * @param size of the base model; null before it is known, to check what is given before anything is opened
 * @throws AppError `config_invalid`, which names every setting that does not fit and what is allowed
 */
export function completeConfig(given: GivenSettings, path: string, size: ModelSize | null): TrainingConfig {
  const needs = Needs.safeParse(given);
  const { model, data } = needs.success ? needs.data : { model: { base: '' }, data: { train: '' } };
  const defaults = defaultTrainingConfig({ base: model.base, data: data.train });
  const suited = size === null ? defaults : merged(defaults, settingsBySize(size, defaults.data.max_length));
  const whole = merged(merged(suited, packFor(given, defaults)), given);
  const problems = [...unknownSettings(given), ...relativePaths(given)];
  if (!needs.success) problems.push(...problemsOf(given, needs.error));
  const parsed = TrainingConfig.safeParse(whole);
  if (!parsed.success) problems.push(...problemsOf(whole, parsed.error));
  if (!parsed.success || problems.length > 0) throw configInvalid(path, problems);
  return parsed.data;
}
