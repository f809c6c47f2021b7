import * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { Ctx } from '../ctx.ts';
import { type ModelLine, modelLines } from './choices.ts';
import { tellChosen } from './chosen.ts';
import type { ModelChoice } from './provider.ts';
import { pullCoder } from './pull-steps.ts';
import { chooseServer } from './server-steps.ts';
import { tryModel } from './try-model.ts';

/** "Choose Model…": which model answers, with what is measured of each; pulls it, sets it up and tests it. */
export async function chooseModel(ctx: Ctx): Promise<void> {
  ctx.requireTrust('Choosing a model');
  const first = await lookUp(ctx);
  const pick = vscode.window.createQuickPick<ModelLine>();
  pick.title = 'Choose Model';
  pick.matchOnDescription = true;
  const show = ({ lines, problem }: Models) => {
    const active = pick.activeItems[0]?.what;
    pick.placeholder = problem ?? 'Which model answers questions';
    pick.items = lines;
    pick.activeItems = lines.filter(({ what }) => what === active);
  };
  show(first);
  // The settings of a folder may come after the command: when it has just been trusted, or from another window.
  const following = ctx.config.onDidChange(async () => show(await lookUp(ctx)));
  const picked = await pickedOf(pick);
  following.dispose();
  if (picked) await choose(ctx, picked.what);
}

/** The line that is picked; undefined where the user leaves. */
function pickedOf(pick: vscode.QuickPick<ModelLine>): Promise<ModelLine | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

interface Models {
  lines: ModelLine[];
  /** What the settings leave open; null: nothing. */
  problem: string | null;
}

async function lookUp(ctx: Ctx): Promise<Models> {
  const { current, problem } = await currentOrProblem(ctx);
  const server = { address: ctx.config.get('model.server.address'), name: ctx.config.get('model.server.name') };
  return { lines: modelLines({ current, local: await listModels(ctx.storage), server }), problem };
}

async function currentOrProblem(ctx: Ctx): Promise<{ current: ModelChoice | null; problem: string | null }> {
  try {
    return { current: await ctx.modelChoice(), problem: null };
  } catch (error) {
    return { current: null, problem: toWireError(error).message };
  }
}

async function choose(ctx: Ctx, what: ModelLine['what']): Promise<void> {
  if (what === 'server') return await chooseServer(ctx);
  if (what === 'test') return await testCurrent(ctx);
  const state = (await listModels(ctx.storage)).find(({ name }) => name === what)?.state;
  const isHere = state === 'bundled' || state === 'ready' || state === 'unchecked';
  if (isHere || (await pullCoder(ctx))) await useLocal(ctx, what);
}

async function useLocal(ctx: Ctx, name: 'small' | 'coder'): Promise<void> {
  await ctx.config.set('model.local', name);
  await ctx.config.set('model.provider', 'local');
  tellChosen(ctx, `${name}, on this machine`);
}

async function testCurrent(ctx: Ctx): Promise<void> {
  const provider = await ctx.provider();
  try {
    const ms = await tryModel(provider);
    void vscode.window.showInformationMessage(`${provider.model.name} answered in ${(ms / 1000).toFixed(1)} s.`);
  } finally {
    await provider.dispose();
  }
}
