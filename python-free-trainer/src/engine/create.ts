import type { TrainingConfig } from '../../../src/protocol/training.ts';
import { probeDriver } from '../doctor/gpus.ts';
import type { Engine, EngineInfo } from './engine.ts';
import { type OpenOptions, openEngine } from './open.ts';
import { openThreadEngine } from './thread/thread-engine.ts';

/** Least compute capability that our kernels are made for. */
const LEAST_CAPABILITY = 8;

export interface EngineOptions extends Omit<OpenOptions, 'device'> {
  /** `auto`: the GPU where there is one that can, else the CPU. */
  device: TrainingConfig['device'];
  /** Whether it works on a thread of its own; left out: a GPU does, since queueing its work blocks. */
  thread?: boolean;
}

/**
 * Loads a model and makes it ready to learn.
 *
 * @throws AppError `cuda_no_driver`, `cuda_no_gpu` …, `adapter_mismatch`, and what the source throws
 */
export async function createEngine({ device: wanted, thread, ...options }: EngineOptions): Promise<Engine> {
  const { device, note } = wanted === 'auto' ? await chooseDevice() : { device: wanted, note: null };
  const open = (thread ?? device === 'cuda') ? openThreadEngine : openEngine;
  const engine = await open({ ...options, device });
  if (note !== null) engine.info.note = note;
  return engine;
}

/** @param env as `process.env`, where the driver is named */
export async function chooseDevice(
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ device: EngineInfo['device']; note: string | null }> {
  const { gpus, problem } = await probeDriver(env);
  if (problem !== null) return { device: 'cpu', note: `The CPU computes: the NVIDIA driver ${problem}.` };
  const [first] = gpus;
  if (first !== undefined && Number(first.capability) >= LEAST_CAPABILITY) return { device: 'cuda', note: null };
  const capability = first?.capability ?? 'none';
  const note = `The CPU computes: ${first?.name ?? 'the GPU'} has compute capability ${capability}, and 8.0 is the least that can train here.`;
  return { device: 'cpu', note };
}
