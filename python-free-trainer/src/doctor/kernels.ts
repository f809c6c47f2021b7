import { specialise } from '../gpu/specialise.ts';
import type { Gpu } from './gpus.ts';

/** The sizes of SmolLM2-135M, which kernels are compiled for on trial. */
const TRIED = { hidden: 576, ffn: 1536, heads: 9, kvHeads: 3, headDim: 64 };

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
