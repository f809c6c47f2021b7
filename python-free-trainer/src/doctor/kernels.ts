import { specialise } from '../gpu/specialise.ts';
import type { ModelConfig } from '../model/config.ts';
import type { Gpu } from './gpus.ts';

/** The shape of SmolLM2-135M, which kernels are compiled for on trial. */
const TRIED: ModelConfig = {
  architecture: 'llama',
  hidden: 576,
  layers: 30,
  heads: 9,
  kvHeads: 3,
  headDim: 64,
  ffn: 1536,
  vocab: 49_152,
  tied: true,
  ropeTheta: 10_000,
  ropeScaling: null,
  rmsEps: 1e-5,
  qkvBias: false,
  qkNorm: false,
  maxPositions: 2048,
};

/** Tries to compile kernels for a model and this GPU, as a run does before its first step. Never rejects. */
export async function trySpecialising(
  { capability }: Gpu,
  env: NodeJS.ProcessEnv,
): Promise<{ isSpecialised: boolean; detail: string }> {
  const found = await specialise(TRIED, Math.round(Number(capability) * 10), env);
  if (found.kernels === null)
    return { isSpecialised: false, detail: found.problem ?? 'those for any model are used: NVRTC was not found' };
  const { by, seconds } = found.kernels;
  const time = seconds === null ? 'as kept from an earlier time' : `in ${seconds.toFixed(1)} s, once for each model`;
  return { isSpecialised: true, detail: `compiled for the model by ${by} ${time}` };
}
