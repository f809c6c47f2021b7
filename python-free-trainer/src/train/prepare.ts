import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';
import { runId } from '../../../src/core/evals/run-id.ts';
import type { HashedFile, TrainingConfig, TrainingRun } from '../../../src/protocol/training.ts';
import type { ModelSize } from '../config/by-size.ts';
import { configChanges, configHash } from '../config/compare.ts';
import { completeConfig, type GivenSettings } from '../config/complete.ts';
import { leastMemory } from '../config/memory.ts';
import { firstThatFits, namesPacks, packSizes, withPacks } from '../config/packs.ts';
import { configWarnings } from '../config/warnings.ts';
import { createOrder, type DataOrder } from '../data/order.ts';
import { prefixFamilies } from '../data/prefixes.ts';
import { createEngine } from '../engine/create.ts';
import type { Engine } from '../engine/engine.ts';
import { otherBaseWarning } from '../io/adapter-about.ts';
import { readAdapterWithOrigin } from '../io/read-adapter.ts';
import type { WeightSource } from '../io/weight-source.ts';
import { openWeights } from '../io/weights.ts';
import type { ModelConfig } from '../model/config.ts';
import { runChanged } from '../run/errors.ts';
import { readRecord } from '../run/record.ts';
import type { Session } from '../run/session.ts';
import { loadRunData, type RunData } from './data.ts';
import { machineOf } from './machine.ts';

/** A run that is ready to begin or to go on. */
export interface Prepared {
  config: TrainingConfig;
  model: ModelConfig;
  data: RunData;
  order: DataOrder;
  /** Optimiser steps of the whole run. */
  steps: number;
  engine: Engine;
  record: TrainingRun;
  /** Nothing of this run was trained before. */
  isFresh: boolean;
  /** The data holds repairs, or what the adapter that it goes on from was trained on did. */
  repairs: boolean;
  /** What is allowed and probably not meant, and what a user should know, a sentence each. */
  notes: string[];
}

function sizeOf({ shapes, config }: WeightSource): ModelSize {
  let parameters = 0;
  for (const shape of shapes.values()) parameters += shape.reduce((product, size) => product * size, 1);
  return { parameters, maxPositions: config.maxPositions };
}

function fileChange(what: string, was: HashedFile | null, is: HashedFile | null): string[] {
  if (was?.sha256 === is?.sha256) return [];
  return [`${what} ${is?.path ?? was?.path ?? ''} has other contents than when the run began.`];
}

/** The tokenizer of a folder may change while its weights do not: examples would be cut into other tokens from there on. */
function tokenizerChange({ base }: TrainingRun, now: { base: HashedFile; data: RunData }): string[] {
  if (base.tokenizer === undefined || base.tokenizer === now.data.tokenizer) return [];
  return [`The tokenizer or chat template of ${now.base.path} is another one than when the run began.`];
}

/** @throws AppError `run_changed` where a run with checkpoints would go on with something else */
async function checkUnchanged(
  { paths, checkpoints }: Session,
  before: TrainingRun,
  now: { config: TrainingConfig; base: HashedFile; data: RunData },
): Promise<boolean> {
  const { base, data } = before;
  const changes = [
    ...configChanges(before.config, now.config),
    ...fileChange('The base', base.file, now.base),
    ...tokenizerChange(before, now),
    ...fileChange('The training data', data.train, now.data.trainFile),
    ...fileChange('The evaluation data', data.eval, now.data.evalFile),
  ];
  if (changes.length === 0) return true;
  if ((await checkpoints.steps()).length > 0) throw runChanged(paths.folder, changes);
  return false;
}

/**
 * @param packsOf sizes of a pack, of which the first is taken that there is memory for
 * @param longest tokens of the longest example, which may be more than a pack's
 * @returns also the size of packs, whether the adapter knows repairs, and what a user should know of the adapter, the device and
 *   its memory, a paragraph each
 */
async function openEngine(
  config: TrainingConfig,
  source: WeightSource,
  packsOf: (engine: Engine) => number[],
  longest: number,
): Promise<{ engine: Engine; packTokens: number; repairs: boolean; notes: string[] }> {
  const { device, lora, model, seed, threads } = config;
  const read = model.adapter === null ? null : await readAdapterWithOrigin(model.adapter, source.config);
  const warning = read === null ? null : otherBaseWarning(read.origin, source.file);
  const engine = await createEngine({ device, source, lora, adapter: read?.adapter ?? null, seed, threads });
  try {
    const plan = async (tokens: number) => await engine.plan?.(Math.max(tokens, longest));
    const { tokens, planned } = await firstThatFits(packsOf(engine), plan);
    const notes = [warning, engine.info.note, planned].filter((note) => typeof note === 'string');
    return { engine, packTokens: tokens, repairs: read?.origin.repairs ?? false, notes };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function newRunId(config: TrainingConfig, source: WeightSource, started: Date): string {
  const file = config.data.train.split(/[\\/]/).at(-1) ?? '';
  return runId(started, source.name, file.replace(/(\.jsonl?)?(\.gz)?$/, ''), randomBytes(2).toString('hex'));
}

async function recordOf(
  parts: { config: TrainingConfig; source: WeightSource; data: RunData; engine: Engine; steps: number },
  before: TrainingRun | null,
  session: Session,
  command: readonly string[],
): Promise<TrainingRun> {
  const { config, source, data, engine, steps } = parts;
  const now = new Date();
  return {
    v: 1,
    run_id: before?.run_id ?? newRunId(config, source, now),
    started: before?.started ?? now.toISOString(),
    config,
    config_hash: configHash(config),
    // What a run began with makes it again; a resume alone does not.
    command: before?.command ?? [...command],
    process: session.heartbeat.status.process,
    machine: await machineOf(engine.info),
    base: {
      name: source.name,
      architecture: source.config.architecture,
      parameters: engine.info.parameters,
      trained_parameters: engine.info.trainedParameters,
      file: source.file,
      tokenizer: data.tokenizer,
    },
    data: {
      train: data.trainFile,
      eval: data.evalFile,
      examples: data.train.length,
      held_out: data.heldOut,
      left_out: data.leftOut,
      tokens: data.tokens,
      loss_tokens: data.lossTokens,
    },
    steps,
  };
}

function warningsOf(config: TrainingConfig, model: ModelConfig, data: RunData, engine: Engine, steps: number) {
  const { parameters, trainedParameters: trained, device } = engine.info;
  const needed = leastMemory(model, { parameters, trained, packTokens: config.batch.pack_tokens });
  return configWarnings(config, {
    parameters,
    maxPositions: model.maxPositions,
    examples: data.train.length,
    longest: data.longest,
    steps,
    memory: device === 'cpu' ? { needed, there: totalmem() } : null,
  });
}

/** Settings with packs as a run began with, where nobody names a size: what suited the device then stays. */
function withPacksOf(before: TrainingConfig, config: TrainingConfig, given: GivenSettings): TrainingConfig {
  return namesPacks(given) ? config : withPacks(config, Math.max(before.batch.pack_tokens, config.batch.pack_tokens));
}

/**
 * Reads all that a run needs. What costs little is checked first.
 * @param given the settings as somebody wrote them
 * @throws AppError `config_invalid`, `run_changed`, `run_damaged`, and those of model, tokenizer, data, adapter and engine
 */
export async function prepareRun(
  session: Session,
  given: GivenSettings,
  command: readonly string[],
): Promise<Prepared> {
  const { paths, heartbeat } = session;
  const { model } = completeConfig(given, paths.config, null);
  heartbeat.set({ message: 'Opening the model.' });
  const source = await openWeights(model.base);
  try {
    const least = completeConfig(given, paths.config, sizeOf(source));
    heartbeat.set({ message: 'Reading the data.' });
    const data = await loadRunData(least, source.config.vocab);
    const before = await readRecord(paths.run);
    const begun = before === null ? least : withPacksOf(before.config, least, given);
    const same = before !== null && (await checkUnchanged(session, before, { config: begun, base: source.file, data }));
    const order = createOrder({
      examples: data.train.length,
      seed: least.seed,
      batch: least.batch.examples,
      epochs: least.length.epochs,
      families: least.data.share_prefixes ? prefixFamilies(data.train) : null,
    });
    const steps = Math.min(order.steps, least.length.steps ?? order.steps);
    heartbeat.set({ message: 'Loading the weights.' });
    const packsOf = ({ info }: Engine) => {
      if (same || namesPacks(given)) return [begun.batch.pack_tokens];
      return packSizes(info.device, info.parameters, least.batch.pack_tokens);
    };
    const { engine, packTokens, repairs, notes } = await openEngine(least, source, packsOf, data.longest);
    const config = withPacks(least, packTokens);
    const parts = { config, source, data, engine, steps };
    return {
      config,
      model: source.config,
      data,
      order,
      steps,
      engine,
      record: await recordOf(parts, same ? before : null, session, command),
      isFresh: !same,
      repairs: repairs || data.repairs,
      notes: [...warningsOf(config, source.config, data, engine, steps), ...data.notes, ...notes],
    };
  } finally {
    await source.close();
  }
}
