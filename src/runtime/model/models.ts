import { bundledModels, type LocalModelName, readModelEntry } from './manifest.ts';
import { basePath, findAdapter } from './model-files.ts';
import { isVerified } from './verified.ts';

/** The larger model once it is pulled and checked, else the bundled one. */
export async function defaultLocalModel(storage: string, folder: string = bundledModels): Promise<LocalModelName> {
  const entry = readModelEntry('coder', folder);
  const adapter = await findAdapter(entry, storage, folder);
  const ready = adapter !== null && (await isVerified(storage, basePath(entry, storage), entry.base));
  return ready ? 'coder' : 'small';
}
