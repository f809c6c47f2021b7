import { availableParallelism } from 'node:os';
import type { WeightSource } from '../io/weight-source.ts';
import type { Adapter } from '../model/adapter.ts';
import { freshAdapter, type LoraSettings, trainAdapter } from '../model/lora.ts';
import { loadWeights } from '../model/weights.ts';
import { BackendEngine } from './backend-engine.ts';
import { openCpu } from './cpu-engine.ts';
import type { EngineInfo, RecomputeMode } from './engine.ts';

export interface OpenOptions {
  device: EngineInfo['device'];
  /** Read whole and left open. */
  source: WeightSource;
  /** What a fresh adapter is to be like. */
  lora: LoraSettings;
  /** The adapter to go on from, with its own rank, scale and targets; null: a fresh one. */
  adapter: Adapter | null;
  /** Of the fresh adapter. */
  seed: number;
  /** null: one a core. */
  threads: number | null;
  /** Compute in double precision, for checks; default false. */
  float64?: boolean;
  /** What is computed again on the way back; left out: as memory allows. */
  recompute?: RecomputeMode;
}

/**
 * Loads a model on the calling thread and makes it ready to learn.
 *
 * @throws AppError `cuda_no_driver`, `cuda_no_gpu` …, `adapter_mismatch`, and what the source throws
 */
export async function openEngine(options: OpenOptions): Promise<BackendEngine> {
  const { source, recompute } = options;
  const { backend, peakFlops, specialise } = await openDevice(options);
  try {
    const weights = await loadWeights(backend, source);
    const adapter = options.adapter ?? freshAdapter(source.config, options.lora, options.seed);
    const trained = trainAdapter(backend, source.config, adapter);
    const { name, note } = await specialise();
    const about = { name, peakFlops, ...(note === null ? {} : { note }) };
    return new BackendEngine(backend, weights, trained, about, recompute);
  } catch (error) {
    await backend.close();
    throw error;
  }
}

async function openDevice({ device, threads, float64, adapter, lora, source }: OpenOptions) {
  if (device === 'cuda') {
    const { openCuda } = await import('./cuda-engine.ts');
    return openCuda(adapter?.r ?? lora.r, source.config);
  }
  const cpu = openCpu(threads ?? availableParallelism(), float64 ?? false);
  return { ...cpu, specialise: () => Promise.resolve({ name: cpu.name, note: null }) };
}
