import { rm } from 'node:fs/promises';
import { AppError } from '../../../src/protocol/errors.ts';
import type { HashedFile } from '../../../src/protocol/training.ts';
import type { AdapterAbout } from '../io/adapter-about.ts';
import { writeGgufLora } from '../io/gguf-lora.ts';
import { halfBits } from '../io/half.ts';
import { hashPath } from '../io/hashed-files.ts';
import { writePeft } from '../io/peft.ts';
import { readAdapter } from '../io/read-adapter.ts';
import type { Adapter } from '../model/adapter.ts';
import type { ModelConfig } from '../model/config.ts';
import { runUnwritable } from '../run/errors.ts';
import type { RunPaths } from '../run/paths.ts';
import { adapterNotAsTrained } from './errors.ts';

/** Whether a number that was read is the one that was written. */
type IsSame = (written: number, read: number) => boolean;

const inFloat32: IsSame = (written, read) => written === read;
/** The numbers were rounded when they were written. */
const inFloat16: IsSame = (written, read) => halfBits(written) === halfBits(read);

/** @throws AppError `adapter_not_as_trained` where a file does not hold every number of the adapter */
async function checkFile(path: string, adapter: Adapter, model: ModelConfig, isSame: IsSame): Promise<void> {
  const found = await readAdapter(path, model).catch((error: unknown) => {
    throw adapterNotAsTrained(path, error instanceof Error ? error.message : String(error));
  });
  if (found.pairs.length !== adapter.pairs.length)
    throw adapterNotAsTrained(path, `it has ${found.pairs.length} matrices instead of ${adapter.pairs.length}`);
  for (const [index, pair] of adapter.pairs.entries()) {
    const other = found.pairs[index];
    const holds = (one: Float32Array, two: Float32Array | undefined) =>
      two?.length === one.length && one.every((value, place) => isSame(value, two[place] ?? Number.NaN));
    if (!holds(pair.a, other?.a) || !holds(pair.b, other?.b))
      throw adapterNotAsTrained(path, `layer ${pair.layer + 1}, ${pair.target} differs`);
  }
}

/**
 * Writes the adapter of a finished run as a PEFT folder in float32 and as a GGUF file in float16, and reads both back: each number is finite and
 * is the one that was trained.
 *
 * @returns the GGUF file
 * @throws AppError `adapter_not_finite`, `adapter_out_of_range`, `adapter_not_as_trained`, `disk_full`, `run_unwritable`
 */
export async function writeAdapter(
  paths: RunPaths,
  adapter: Adapter,
  model: ModelConfig,
  about: AdapterAbout,
): Promise<HashedFile> {
  try {
    await rm(paths.adapter, { recursive: true, force: true });
    await writePeft(paths.adapter, adapter, about);
    await writeGgufLora(paths.adapterGguf, adapter, model, about);
  } catch (error) {
    // Of these, the message already says what to do.
    if (error instanceof AppError && error.code !== 'file_not_written') throw error;
    throw runUnwritable(paths.adapter, error, 'The last checkpoint holds the same adapter.');
  }
  await checkFile(paths.adapter, adapter, model, inFloat32);
  await checkFile(paths.adapterGguf, adapter, model, inFloat16);
  return { path: paths.adapterGguf, ...(await hashPath(paths.adapterGguf)) };
}
