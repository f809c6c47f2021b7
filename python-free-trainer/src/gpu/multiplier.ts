import { join } from 'node:path';
import { storageFolder } from '../../../src/runtime/paths.ts';
import { loadCublasLt } from '../ffi/cublaslt.ts';
import { findLibrary } from '../ffi/libraries.ts';
import { AlgorithmCache } from './algorithm-cache.ts';
import { CublasLtMultiplier } from './cublaslt-multiplier.ts';
import type { Device } from './device.ts';
import { OwnMultiplier } from './own-multiplier.ts';
import type { Multiplier } from './product.ts';

/** Matrix products by cuBLASLt where it is found and loads, else by our own kernels; `own`: by ours in any case. */
export function openMultiplier(device: Device, wanted: 'any' | 'own'): Multiplier {
  const { path } = wanted === 'own' ? { path: null } : findLibrary('cublasLt');
  if (path === null) return new OwnMultiplier(device);
  try {
    const lt = loadCublasLt(path);
    const gpu = device.name.replaceAll(/\W+/g, '-').toLowerCase();
    const cache = new AlgorithmCache(join(storageFolder(), 'gemm', `${gpu}-${lt.version}.jsonl`));
    return new CublasLtMultiplier(lt, device, cache);
  } catch {
    // A file of that name that is none, or that lacks what it needs beside it.
    return new OwnMultiplier(device);
  }
}
