import * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { Ctx } from '../ctx.ts';
import { type ModelLine, type ModelSituation, modelLines } from './choices.ts';
import { tellChosen } from './chosen.ts';
import type { ModelChoice } from './provider.ts';
import { pullCoder } from './pull-steps.ts';
import { chooseServer } from './server-steps.ts';
import { tryModel } from './try-model.ts';

/** "Choose Model…": which model answers, with what is measured of each; pulls it, sets it up and tests it. */
export async function chooseModel(ctx: Ctx): Promise<void> {
  ctx.requireTrust('Choosing a model');
  const { current, problem } = await currentOrProblem(ctx);
  const server = { address: ctx.config.get('model.server.address'), name: ctx.config.get('model.server.name') };
  const situation = { current, local: await listModels(ctx.storage), server };
  const picked = await vscode.window.showQuickPick(modelLines(situation), {
    title: 'Choose Model',
    placeHolder: problem ?? 'Which model answers questions',
    matchOnDescription: true,
  });
  if (picked) await choose(ctx, picked.what, situation);
}

async function currentOrProblem(ctx: Ctx): Promise<{ current: ModelChoice | null; problem: string | null }> {
  try {
    return { current: await ctx.modelChoice(), problem: null };
  } catch (error) {
    return { current: null, problem: toWireError(error).message };
  }
}

async function choose(ctx: Ctx, what: ModelLine['what'], { local }: ModelSituation): Promise<void> {
  if (what === 'server') return await chooseServer(ctx);
  if (what === 'test') return await testCurrent(ctx);
  const state = local.find(({ name }) => name === what)?.state;
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
