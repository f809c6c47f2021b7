import { AppError } from '../../../src/protocol/errors.ts';

// One function per error that a user is told about a GPU.

/** @param reason why the driver's library cannot be used, without its subject */
export function noDriver(reason: string): AppError {
  return new AppError(
    'cuda_no_driver',
    `There is no CUDA driver on this machine (${reason}). Train with --device cpu, or install NVIDIA's driver; nothing else is needed.`,
  );
}

/** The driver is there, and no GPU that it would let this process use. */
export function noGpu(): AppError {
  return new AppError(
    'cuda_no_gpu',
    'The CUDA driver finds no GPU. Train with --device cpu, or check that the GPU is visible to this process.',
  );
}

/** @param capability compute capability, e.g. "7.5" */
export function oldGpu(name: string, capability: string): AppError {
  return new AppError(
    'cuda_old_gpu',
    `${name} has compute capability ${capability}; training needs 8.0 (Ampere) or newer. Train with --device cpu.`,
  );
}

/**
 * A call of the driver or of a library failed.
 * @param what was called for, to stand behind "failed at" @param code number and `name` of the failure, as the library says
 */
export function cudaFailed(what: string, code: number, name: string): AppError {
  return new AppError(
    'cuda_failed',
    `The GPU failed at ${what}: ${name} (${code}). Start again; where it happens again, --device cpu works without the GPU.`,
    {
      code,
    },
  );
}

/**
 * A kernel went wrong on the GPU, or the GPU itself did: no call of this process will succeed any more.
 * @param what was called when it was noticed, which need not be what went wrong
 */
export function gpuLost(what: string, code: number, name: string): AppError {
  const message = `The GPU stopped working for this process (${name}, ${code}, noticed at ${what}), so the process ends. Start the run again: it goes on from its last checkpoint. Where it happens again, --device cpu works without the GPU; please report it with the model and the settings.`;
  return new AppError('gpu_lost', message, { code });
}

/** @param wanted and `free`: bytes */
export function gpuMemory(wanted: number, free: number): AppError {
  const gigabytes = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  return new AppError(
    'gpu_memory',
    `The run needs ${gigabytes(wanted)} GB on the GPU, where ${gigabytes(free)} GB are free. Take fewer tokens at once (--pack), a smaller rank or a smaller model, or end what else uses the GPU.`,
  );
}
