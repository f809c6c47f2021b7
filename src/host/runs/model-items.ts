import type * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { Ctx } from '../ctx.ts';
import { whereabouts } from '../models/choices.ts';
import type { ModelChoice } from '../models/provider.ts';

/** A model as a line of a list; `model` is null where another is to be chosen first. */
export interface ModelItem extends vscode.QuickPickItem {
  model: ModelChoice | null;
}

function nameOf(model: ModelChoice): string {
  if (model.provider === 'scripted') return 'the script';
  return model.provider === 'openai' ? `${model.name} at ${model.address}` : model.name;
}

/** As much of a sentence as a line has room for. */
const firstClause = (text: string) => text.split(/[;,(]/)[0]?.trim() ?? '';

/** The models that could answer now, the one of the settings first. */
export async function modelItems(ctx: Ctx): Promise<ModelItem[]> {
  const items: ModelItem[] = [];
  let detail = 'Pull the larger one, or set up a server';
  try {
    const model = await ctx.modelChoice();
    items.push({ label: `$(check) ${nameOf(model)}`, description: 'as the settings say', model });
  } catch (error) {
    detail = toWireError(error).message;
  }
  const current = items[0]?.model;
  for (const status of await listModels(ctx.storage)) {
    const isHere = ['bundled', 'ready', 'unchecked'].includes(status.state);
    if (!isHere || (current?.provider === 'local' && current.name === status.name)) continue;
    const model = { provider: 'local' as const, name: status.name };
    items.push({
      label: `$(chip) ${status.name}`,
      description: whereabouts(status),
      detail: firstClause(status.accuracy),
      model,
    });
  }
  items.push({ label: '$(settings-gear) Choose Model…', detail, model: null });
  return items;
}
