import { stat } from 'node:fs/promises';
import type { Adapter } from '../model/adapter.ts';
import type { ModelConfig } from '../model/config.ts';
import { adapterMissing } from './adapter-errors.ts';
import { readGgufLora } from './gguf-lora.ts';
import { type ReadAdapter, readPeft } from './peft.ts';

/**
 * Reads a PEFT folder or a GGUF adapter, and what it says about its origin.
 * @throws AppError `adapter_missing`, `adapter_unsupported`, `adapter_damaged`, `adapter_mismatch`, `adapter_not_finite`
 */
export async function readAdapterWithOrigin(path: string, config: ModelConfig): Promise<ReadAdapter> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) throw adapterMissing(path);
  return stats.isDirectory() ? readPeft(path, config) : readGgufLora(path, config);
}

/** As `readAdapterWithOrigin`, the adapter alone. */
export async function readAdapter(path: string, config: ModelConfig): Promise<Adapter> {
  return (await readAdapterWithOrigin(path, config)).adapter;
}
