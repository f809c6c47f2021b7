import type { WireError } from '../../../../src/protocol/errors.ts';
import type { PackedBatch } from '../../data/batch.ts';
import type { WeightSource } from '../../io/weight-source.ts';
import type { Adapter } from '../../model/adapter.ts';
import type { BatchResult, EngineInfo, ObjectiveValue, OptimiserState, UpdateSettings } from '../engine.ts';
import type { OpenOptions } from '../open.ts';

/** What an engine on a thread is made from; its weights it asks for one after the other. */
export interface EngineStart {
  options: Omit<OpenOptions, 'source'>;
  source: Pick<WeightSource, 'config' | 'name' | 'file' | 'container' | 'types' | 'shapes'>;
}

/** Calls that the thread answers. */
export interface EngineCalls {
  open(): EngineInfo;
  /** `constant`: the gradient, where it is known before the log-probabilities. */
  accumulate(
    batch: PackedBatch,
    constant: Float64Array | null,
    options: { temperature?: number },
  ): BatchResult & { loss: number };
  evaluate(batch: PackedBatch, options: { adapter?: boolean; temperature?: number }): BatchResult;
  update(settings: UpdateSettings): { gradNorm: number };
  plan(packTokens: number): string | null;
  adapter(): Adapter;
  optimiser(): OptimiserState;
  restore(adapter: Adapter, optimiser: OptimiserState): void;
  close(): void;
}
export type CallName = keyof EngineCalls;

/** What the thread asks for while a call runs. */
export interface EngineAsks {
  /** `length` where it is known, else null. */
  weights(name: string, length: number | null): Float32Array;
  /** The objective of the running `accumulate`. */
  objective(logProbs: Float64Array): ObjectiveValue;
}
export type AskName = keyof EngineAsks;

type Answer = { value: unknown } | { error: WireError };

/** To the thread. */
export type ToThread = { call: CallName; id: number; args: unknown[] } | ({ answerTo: number } & Answer);
/** From the thread; `memory` as `Engine.memory` says. */
export type FromThread =
  | { ask: AskName; id: number; args: unknown[] }
  | ({ resultOf: number; memory: number } & Answer);
