import { AppError } from '../../../src/protocol/errors.ts';
import type { Device } from './device.ts';
import type { Specialisation } from './specialise.ts';

/**
 * Lets a GPU take the kernels that were compiled for a model, where there are any and its driver takes them.
 * @returns for people: what kernels are used, and what is worth a line in a run's log
 * @throws AppError `gpu_lost`
 */
export function specialiseDevice(device: Device, found: Specialisation): { name: string; note: string | null } {
  const generic = 'kernels for any model';
  if (found.kernels === null) return { name: generic, note: found.problem };
  const { by, seconds } = found.kernels;
  try {
    device.specialise(found.kernels);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'gpu_lost') throw error;
    const note = `Kernels are not compiled for this model, which costs only speed: the driver does not take what ${by} makes (${error.message.split(/[.;]/)[0]}). A newer driver does, or name an older NVRTC in SQL_AGENT_NVRTC; "none" does without.`;
    return { name: generic, note };
  }
  const note =
    seconds === null ? null : `${by} compiled kernels for this model in ${seconds.toFixed(1)} s; they are kept.`;
  return { name: `kernels for this model by ${by}`, note };
}
