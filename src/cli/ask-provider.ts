import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Provider } from '../core/ports.ts';
import { AppError } from '../protocol/errors.ts';
import { localModelOfHash, readAdapterFile } from '../runtime/model/adapter-file.ts';
import { adapterOfOtherModel } from '../runtime/model/errors.ts';
import { LOCAL_MODELS, type LocalModelName } from '../runtime/model/manifest.ts';
import { choiceOption, fileOption, stringOption, UsageError, type VerbArgs, type VerbContext } from './verb.ts';

const PROVIDERS = ['local', 'openai', 'scripted'] as const;

function unreadableScript(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
  return new AppError(
    'script_unreadable',
    `The script ${path} cannot be used (${reason}). It is JSON: {"protocol": "one_shot", "replies": ["SELECT 1"]}.`,
    { path },
  );
}

async function scriptedProvider(path: string): Promise<Provider> {
  const { createScriptedProvider, Script } = await import('../runtime/model/scripted-provider.ts');
  try {
    return createScriptedProvider(Script.parse(JSON.parse(await readFile(path, 'utf8'))));
  } catch (error) {
    throw unreadableScript(path, error);
  }
}

async function openAiProvider({ env }: VerbContext, args: VerbArgs): Promise<Provider> {
  const baseUrl = stringOption(args, 'base-url') ?? env['OPENAI_BASE_URL'];
  const model = stringOption(args, 'model');
  if (!baseUrl)
    throw new UsageError('--provider openai needs the address of the server: --base-url http://localhost:8000/v1.');
  if (model === undefined)
    throw new UsageError('--provider openai needs the name of a model of the server: --model NAME.');
  const { createOpenAiProvider } = await import('../runtime/model/openai-provider.ts');
  return createOpenAiProvider({ baseUrl, model, apiKey: env['SQL_AGENT_API_KEY'] ?? env['OPENAI_API_KEY'] ?? null });
}

/** An adapter that a model can answer with, as far as its file says what it was trained for. */
async function fittingAdapter(path: string, name: LocalModelName): Promise<{ adapter: string; repairs: boolean }> {
  const { baseHash, baseName, repairs } = await readAdapterFile(path);
  const fitting = localModelOfHash(baseHash);
  if (baseHash !== null && fitting !== name)
    throw adapterOfOtherModel(path, fitting ?? baseName ?? 'another model', name, fitting);
  return { adapter: path, repairs };
}

/**
 * Name of the local model that a call means, and the adapter it gives in place of the model's own, with whether that one was
 * trained on repairs.
 * @throws UsageError; AppError `adapter_missing`, `adapter_unusable`, `adapter_other_base`
 */
export async function localModelOf(
  { cwd }: VerbContext,
  args: VerbArgs,
  storage: string,
): Promise<{ name: LocalModelName; adapter?: string; repairs?: boolean }> {
  const name = stringOption(args, 'model') === undefined ? undefined : choiceOption(args, 'model', LOCAL_MODELS);
  const adapter = fileOption(args, 'adapter');
  if (adapter !== undefined && name === undefined)
    throw new UsageError('--adapter fits one model only. Name it: --model small or --model coder.');
  if (name !== undefined && adapter !== undefined)
    return { name, ...(await fittingAdapter(resolve(cwd, adapter), name)) };
  const { defaultLocalModel } = await import('../runtime/model/models.ts');
  return { name: name ?? (await defaultLocalModel(storage)) };
}

async function localProvider(context: VerbContext, args: VerbArgs, storage: string): Promise<Provider> {
  const { createLocalProvider } = await import('../runtime/model/local-provider.ts');
  return createLocalProvider({ ...(await localModelOf(context, args, storage)), storage });
}

/**
 * The provider that a call of `ask` names. An address or a script alone choose theirs; without any of them it is local.
 *
 * @throws UsageError for options that do not fit together; AppError `script_unreadable`, or the provider's own
 */
export async function providerOf(context: VerbContext, args: VerbArgs, storage: string): Promise<Provider> {
  const script = fileOption(args, 'script');
  const implied = script !== undefined ? 'scripted' : stringOption(args, 'base-url') === undefined ? 'local' : 'openai';
  const chosen = choiceOption(args, 'provider', PROVIDERS) ?? implied;
  if (chosen === 'local') return await localProvider(context, args, storage);
  if (stringOption(args, 'adapter') !== undefined)
    throw new UsageError('--adapter is for local models: leave it out, or name one with --model small.');
  if (chosen === 'openai') return await openAiProvider(context, args);
  if (script === undefined) throw new UsageError('--provider scripted needs a file of replies: --script FILE.');
  return await scriptedProvider(resolve(context.cwd, script));
}
