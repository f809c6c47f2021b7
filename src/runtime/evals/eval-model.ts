import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RunConfig } from '../../protocol/ledger.ts';
import { adapterTitle } from '../model/adapter-file.ts';
import { type LocalModelName, readModelEntry } from '../model/manifest.ts';
import { interfaceRoot } from '../model/openai-address.ts';
import { sha256OfFile } from '../model/verified.ts';

type Model = RunConfig['model'];

/**
 * A local model, by the hashes of its files; another adapter than its own also by its name.
 *
 * @param adapter path of another adapter than the model's own
 * @throws AppError `model_file_unreadable` where there is no such adapter
 */
export async function localModel(name: LocalModelName, storage: string, adapter?: string): Promise<Model> {
  const entry = readModelEntry(name);
  return {
    provider: 'local',
    name,
    base: entry.base.sha256,
    ...(adapter === undefined
      ? { adapter: entry.adapter.sha256 }
      : { adapter: await sha256OfFile(storage, adapter), adapterName: adapterTitle(adapter) }),
    server: null,
  };
}

/** A model of a server. @throws AppError `provider_address` */
export function serverModel(name: string, address: string): Model {
  return { provider: 'openai', name, base: null, adapter: null, server: interfaceRoot(address) };
}

/** A script of replies, by the hash of its file. */
export async function scriptedModel(name: string, path: string): Promise<Model> {
  const base = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  return { provider: 'scripted', name, base, adapter: null, server: null };
}
