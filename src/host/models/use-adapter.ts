import * as vscode from 'vscode';
import { adapterTitle, localModelOfHash, readAdapterFile } from '../../runtime/model/adapter-file.ts';
import { LOCAL_MODELS, type LocalModelName, localModelNamed } from '../../runtime/model/manifest.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { Ctx } from '../ctx.ts';
import { adapterOfOtherBase } from '../errors.ts';
import { rememberAdapter } from './adapters.ts';
import type { LocalChoice } from './choice.ts';
import { tellChosen } from './chosen.ts';
import { pullCoder } from './pull-steps.ts';

/** The local model that an adapter is for: as its file says, else as the user does. null where the user left. */
async function baseOf(path: string): Promise<LocalModelName | null> {
  const { baseHash, baseName } = await readAdapterFile(path);
  if (baseHash !== null) {
    const base = localModelOfHash(baseHash);
    if (base === null) throw adapterOfOtherBase(path, baseName ?? 'another model', null);
    return base;
  }
  const title = `Which model ${adapterTitle(path)} was trained for`;
  const picked = await vscode.window.showQuickPick([...LOCAL_MODELS], { title, placeHolder: 'Its file does not say' });
  return localModelNamed(picked) ?? null;
}

/**
 * What asks with an adapter; its base is brought here where it is not.
 * @returns null where the user left
 * @throws AppError `adapter_missing`, `adapter_unusable`, `adapter_other_base`, those of pulling a model
 */
export async function adapterChoice(ctx: Ctx, path: string): Promise<LocalChoice | null> {
  const name = await baseOf(path);
  if (name === null) return null;
  const state = (await listModels(ctx.storage)).find((model) => model.name === name)?.state;
  const isHere = state !== 'absent' && state !== 'partial';
  if (!isHere && !(await pullCoder(ctx))) return null;
  await rememberAdapter(ctx, { path, base: name });
  return { provider: 'local', name, adapter: path };
}

/** Makes a local model answer, with an adapter of the user's or its own. */
export async function useLocal(ctx: Ctx, { name, adapter }: Omit<LocalChoice, 'provider'>): Promise<void> {
  const { config } = ctx;
  // Never an adapter beside a model that is not its own, not for a moment: open panels look at every change.
  if (config.get('model.adapter') !== '' && config.get('model.local') !== name) await config.set('model.adapter', '');
  await config.set('model.local', name);
  await config.set('model.adapter', adapter ?? '');
  await config.set('model.provider', 'local');
  tellChosen(ctx, `${name}${adapter === null ? '' : ` with ${adapterTitle(adapter)}`}, on this machine`);
}

/** Makes an adapter answer with its base. @returns whether it does: the user may have left */
export async function useAdapter(ctx: Ctx, path: string): Promise<boolean> {
  const choice = await adapterChoice(ctx, path);
  if (choice === null) return false;
  await useLocal(ctx, choice);
  return true;
}
