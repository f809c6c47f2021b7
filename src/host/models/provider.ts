import { readFile, stat } from 'node:fs/promises';
import type { Provider } from '../../core/ports.ts';
import type { Config } from '../config.ts';
import { badServerAddress, noServerAddress, noServerModel, unreadableScript } from '../errors.ts';
import { isServerAddress, tidyAddress } from './address.ts';
import type { LocalChoice, ModelChoice } from './choice.ts';

/**
 * The choice that the settings make. A script named by `SQL_AGENT_SCRIPT` comes before them: that is how tests answer.
 * @throws AppError where a server is chosen and its address or model is missing or makes no sense, or an adapter that
 * cannot answer
 */
export async function currentChoice(config: Config, storage: string, env = process.env): Promise<ModelChoice> {
  const path = env['SQL_AGENT_SCRIPT'];
  if (path) return { provider: 'scripted', path };
  if (config.get('model.provider') === 'openai') {
    const address = tidyAddress(config.get('model.server.address'));
    const name = config.get('model.server.name').trim();
    if (address === '') throw noServerAddress();
    if (!isServerAddress(address)) throw badServerAddress(address);
    if (name === '') throw noServerModel(address);
    return { provider: 'openai', address, name };
  }
  const local = config.get('model.local');
  const adapter = config.get('model.adapter').trim();
  if (adapter !== '') return await (await import('./adapter-choice.ts')).choiceWithAdapter(adapter, local);
  if (local !== 'auto') return { provider: 'local', name: local, adapter: null };
  const { defaultLocalModel } = await import('../../runtime/model/models.ts');
  return { provider: 'local', name: await defaultLocalModel(storage), adapter: null };
}

/** A way to make the provider of a choice, and a key that is equal where two choices make the same one. */
export interface ProviderRecipe {
  key: string;
  make: () => Provider;
}

/** How the provider of `choice` is made. @param readKey the API key kept for a server's address. */
export async function recipeOf(
  choice: ModelChoice,
  storage: string,
  readKey: (address: string) => Promise<string | null>,
): Promise<ProviderRecipe> {
  switch (choice.provider) {
    case 'local': {
      const { createLocalProvider } = await import('../../runtime/model/local-provider.ts');
      const { name, adapter } = choice;
      const key = await localKey(choice);
      if (adapter === null) return { key, make: () => createLocalProvider({ name, storage }) };
      const { readAdapterFile } = await import('../../runtime/model/adapter-file.ts');
      const { repairs } = await readAdapterFile(adapter);
      return { key, make: () => createLocalProvider({ name, storage, adapter, repairs }) };
    }
    case 'openai': {
      const { createOpenAiProvider } = await import('../../runtime/model/openai-provider.ts');
      const apiKey = await readKey(choice.address);
      const options = { baseUrl: choice.address, model: choice.name, apiKey };
      return { key: JSON.stringify(options), make: () => createOpenAiProvider(options) };
    }
    case 'scripted':
      return await scriptedRecipe(choice.path);
  }
}

/** An adapter that was trained anew in the same place is another one. */
async function localKey({ name, adapter }: LocalChoice): Promise<string> {
  if (adapter === null) return `local ${name}`;
  const { size, mtimeMs } = await stat(adapter);
  return `local ${name} ${adapter} ${size} ${mtimeMs}`;
}

/** The script is read again for each question, so that a test can change it. */
async function scriptedRecipe(path: string): Promise<ProviderRecipe> {
  const { createScriptedProvider, Script } = await import('../../runtime/model/scripted-provider.ts');
  try {
    const text = await readFile(path, 'utf8');
    const script = Script.parse(JSON.parse(text));
    return { key: `script ${text}`, make: () => createScriptedProvider(script) };
  } catch (error) {
    throw unreadableScript(path, error instanceof Error ? error.message : String(error));
  }
}
