import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { DEFAULT_RETRIES } from '../core/agent/one-shot.ts';
import type { Provider } from '../core/ports.ts';
import { LinkMode } from '../protocol/catalog.ts';
import type { DatasetFormat } from '../protocol/dataset.ts';
import { AppError } from '../protocol/errors.ts';
import type { RunConfig } from '../protocol/ledger.ts';
import { BinaryMetric, DEFAULT_METRICS, OrderPolicy } from '../protocol/score.ts';
import type { Choice } from '../runtime/evals/choose-items.ts';
import { localModel, scriptedModel, serverModel } from '../runtime/evals/eval-model.ts';
import type { EvalRequest } from '../runtime/evals/eval-request.ts';
import { localModelOf } from './ask-provider.ts';
import { repairOption } from './repair-option.ts';
import {
  choiceOption,
  fileOption,
  integerOption,
  stringOption,
  UsageError,
  type VerbArgs,
  type VerbContext,
} from './verb.ts';

const DAY_MS = 86_400_000;
/** Questions at the same time, where nobody says: a local model answers one after the other. */
const CONCURRENCY = { local: 1, scripted: 1, openai: 4 } as const;

/** Ids, one a line. @throws AppError `ids_unreadable` */
async function idsOf(path: string): Promise<string[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
    return lines.filter((line) => line !== '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('ids_unreadable', `The ids in ${path} cannot be read (${reason}). The file has one id a line.`, {
      path,
    });
  }
}

/** Which items a call wants. @throws UsageError; AppError `ids_unreadable` */
export async function choiceOf({ cwd }: VerbContext, args: VerbArgs): Promise<Choice> {
  const ids = fileOption(args, 'ids');
  return {
    split: stringOption(args, 'split') ?? null,
    openSealed: stringOption(args, 'open-sealed') ?? null,
    limit: integerOption(args, 'limit', 1, 100_000_000) ?? null,
    every: integerOption(args, 'every', 1, 100_000_000) ?? null,
    ids: ids === undefined ? null : await idsOf(resolve(cwd, ids)),
  };
}

/** The model that a provider of this call stands for, by hashes or address. */
export async function modelOf(
  context: VerbContext,
  args: VerbArgs,
  { model }: Provider,
  storage: string,
): Promise<RunConfig['model']> {
  if (model.provider === 'scripted') {
    const script = fileOption(args, 'script') ?? '';
    return await scriptedModel(model.name, resolve(context.cwd, script));
  }
  if (model.provider === 'openai')
    return serverModel(model.name, stringOption(args, 'base-url') ?? context.env['OPENAI_BASE_URL'] ?? '');
  const { name, adapter } = await localModelOf(context, args, storage);
  return await localModel(name, storage, adapter);
}

type Settings = Pick<
  EvalRequest,
  'decoding' | 'link' | 'timeoutMs' | 'metric' | 'score' | 'concurrency' | 'out' | 'resume' | 'keepErrors'
>;

/** How a call wants its items asked and scored. */
export function settingsOf(
  { cwd }: VerbContext,
  args: VerbArgs,
  format: DatasetFormat,
  { model: { provider }, repairs = false }: Provider,
): Settings {
  const timeoutMs = integerOption(args, 'timeout-ms', 1, DAY_MS) ?? 30_000;
  const out = fileOption(args, 'out');
  const isOn = (name: string) => args.values[name] === true;
  if (isOn('keep-errors') && !isOn('resume'))
    throw new UsageError('--keep-errors is for runs that go on: add --resume.');
  return {
    decoding: {
      samples: integerOption(args, 'samples', 1, 64) ?? 1,
      retries: integerOption(args, 'retries', 0, 16) ?? DEFAULT_RETRIES,
      turns: integerOption(args, 'turns', 1, 20) ?? 4,
      ...((repairOption(args) ?? repairs) ? { repair: true } : {}),
    },
    link: choiceOption(args, 'link', LinkMode.options) ?? 'auto',
    timeoutMs,
    metric: choiceOption(args, 'metric', BinaryMetric.options) ?? (format === 'spider' ? 'spider_ex' : 'official_ex'),
    score: {
      metrics: [...DEFAULT_METRICS, ...(isOn('r-ves') ? (['r_ves'] as const) : [])],
      timeoutMs,
      orderPolicy: choiceOption(args, 'order-policy', OrderPolicy.options) ?? 'gold_order_by',
      keepDistinct: isOn('keep-distinct'),
      suite: isOn('suite'),
      fragile: isOn('fragile'),
    },
    concurrency: integerOption(args, 'concurrency', 1, 64) ?? CONCURRENCY[provider],
    out: out === undefined ? null : resolve(cwd, out),
    resume: isOn('resume'),
    keepErrors: isOn('keep-errors'),
  };
}

/** Queries that a run may have in the sandbox at the same time. */
export function childrenFor(concurrency: number): number {
  return Math.max(2, Math.min(concurrency, availableParallelism()));
}
