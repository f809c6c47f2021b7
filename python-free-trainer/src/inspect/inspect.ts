import { join } from 'node:path';
import { readGguf } from '../io/gguf-read.ts';
import { isFolder, isThere } from '../io/is-there.ts';
import { readAdapter } from '../io/read-adapter.ts';
import { openWeights } from '../io/weights.ts';
import type { Description } from './description.ts';
import { describeGgufLora, describePeft } from './inspect-adapter.ts';
import { checkWeights, describeFolder, describeGguf } from './inspect-model.ts';

interface InspectOptions {
  /** The model that an adapter is compared with. */
  base?: string | undefined;
  /** Read all weights of a model, too. */
  check?: boolean | undefined;
  signal: AbortSignal;
}

/**
 * Describes a model or an adapter: a GGUF file, a folder in Hugging Face's layout or a PEFT folder.
 * @throws AppError of reading it, and `adapter_mismatch` where an adapter does not fit the base that was named
 */
export async function inspectModel(path: string, options: InspectOptions): Promise<Description> {
  const description = await describe(path);
  if (description.kind === 'adapter')
    return options.base === undefined ? description : { ...description, fits: await fitsBase(path, options.base) };
  return options.check ? { ...description, check: await checkWeights(path, options.signal) } : description;
}

async function describe(path: string): Promise<Description> {
  if (await isFolder(path)) {
    const isAdapter = await isThere(join(path, 'adapter_config.json'));
    // A folder may hold both: a model, and an adapter for it. The model is what is asked for.
    const isModel = await isThere(join(path, 'config.json'));
    return isAdapter && !isModel ? describePeft(path) : describeFolder(path);
  }
  const gguf = await readGguf(path);
  try {
    return gguf.metadata.get('general.type') === 'adapter' ? describeGgufLora(gguf) : await describeGguf(gguf);
  } finally {
    await gguf.close();
  }
}

/** Reads an adapter whole for a base. @throws AppError where it does not fit */
async function fitsBase(path: string, base: string): Promise<true> {
  const source = await openWeights(base);
  try {
    await readAdapter(path, source.config);
    return true;
  } finally {
    await source.close();
  }
}
