import * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { Ctx } from '../ctx.ts';
import { knownAdapters } from './adapters.ts';
import type { ModelChoice } from './choice.ts';
import { type ModelLine, modelLines } from './choices.ts';
import { pullCoder } from './pull-steps.ts';
import { chooseServer } from './server-steps.ts';
import { tryModel } from './try-model.ts';
import { useAdapter, useLocal } from './use-adapter.ts';

/** "Choose Model…": which model answers, with what is measured of each; pulls it, sets it up and tests it. */
export async function chooseModel(ctx: Ctx): Promise<void> {
  ctx.requireTrust('Choosing a model');
  const first = await lookUp(ctx);
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = 'Choose Model';
  pick.matchOnDescription = true;
  const show = ({ lines, problem }: Models) => {
    const active = keyOf(pick.activeItems[0]);
    pick.placeholder = problem ?? 'Which model answers questions';
    const items = lines.map(itemOf);
    pick.items = items;
    pick.activeItems = items.filter((item) => keyOf(item) === active);
  };
  show(first);
  // The settings of a folder may come after the command: when it has just been trusted, or from another window.
  const following = ctx.config.onDidChange(async () => show(await lookUp(ctx)));
  const picked = await pickedOf(pick);
  following.dispose();
  if (picked) await choose(ctx, picked);
}

type ModelItem = ModelLine & vscode.QuickPickItem;

function itemOf(line: ModelLine): ModelItem {
  return line.what === 'heading' ? { ...line, kind: vscode.QuickPickItemKind.Separator } : line;
}

const keyOf = (line: ModelLine | undefined) => `${line?.what} ${line?.adapter}`;

/** The line that is picked; undefined where the user leaves. */
function pickedOf(pick: vscode.QuickPick<ModelItem>): Promise<ModelLine | undefined> {
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
  const [local, adapters] = await Promise.all([listModels(ctx.storage), knownAdapters(ctx)]);
  return { lines: modelLines({ current, local, adapters, server }), problem };
}

async function currentOrProblem(ctx: Ctx): Promise<{ current: ModelChoice | null; problem: string | null }> {
  try {
    return { current: await ctx.modelChoice(), problem: null };
  } catch (error) {
    return { current: null, problem: toWireError(error).message };
  }
}

async function choose(ctx: Ctx, { what, adapter }: ModelLine): Promise<void> {
  switch (what) {
    case 'heading':
      return;
    case 'server':
      return await chooseServer(ctx);
    case 'test':
      return await testCurrent(ctx);
    case 'adapter':
    case 'adapterFile': {
      const path = adapter ?? (await browseAdapter());
      if (path !== null) await useAdapter(ctx, path);
      return;
    }
    case 'small':
    case 'coder':
      return await chooseLocal(ctx, what);
  }
}

async function chooseLocal(ctx: Ctx, name: 'small' | 'coder'): Promise<void> {
  const state = (await listModels(ctx.storage)).find((model) => model.name === name)?.state;
  const isHere = state === 'bundled' || state === 'ready' || state === 'unchecked';
  if (isHere || (await pullCoder(ctx))) await useLocal(ctx, { name, adapter: null });
}

async function browseAdapter(): Promise<string | null> {
  const filters = { Adapters: ['gguf'] };
  const chosen = await vscode.window.showOpenDialog({ title: 'Adapter', openLabel: 'Use Adapter', filters });
  return chosen?.[0]?.fsPath ?? null;
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
