import { isAbsolute } from 'node:path';
import { AppError } from '../../protocol/errors.ts';
import { adapterTitle, localModelOfHash, readAdapterFile } from '../../runtime/model/adapter-file.ts';
import type { LocalModelName } from '../../runtime/model/manifest.ts';
import { adapterGone, adapterOfNoBase, adapterOfOtherBase, adapterPathRelative } from '../errors.ts';
import type { LocalChoice } from './choice.ts';

/**
 * The choice of an adapter, with the model that it was trained for.
 * @param path as the setting has it
 * @param local what the settings say of the local model
 * @throws AppError where the adapter cannot answer: it is gone, damaged, or for another model
 */
export async function choiceWithAdapter(path: string, local: LocalModelName | 'auto'): Promise<LocalChoice> {
  if (!isAbsolute(path)) throw adapterPathRelative(path);
  const { baseHash, baseName } = await readAdapterFile(path).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'adapter_missing' ? adapterGone(path) : error;
  });
  const base = localModelOfHash(baseHash);
  if (baseHash !== null && base === null) throw adapterOfOtherBase(path, baseName ?? 'another model', null);
  if (base !== null && local !== 'auto' && local !== base) throw adapterOfOtherBase(path, base, local);
  // An adapter of another program does not tell its base.
  const name = base ?? local;
  if (name === 'auto') throw adapterOfNoBase(adapterTitle(path));
  return { provider: 'local', name, adapter: path };
}
