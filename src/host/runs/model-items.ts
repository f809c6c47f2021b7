import type * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { Ctx } from '../ctx.ts';
import { knownAdapters } from '../models/adapters.ts';
import type { ModelChoice } from '../models/choice.ts';
import { choiceInWords } from '../models/choice-words.ts';
import { adapterDetail, whereabouts } from '../models/choices.ts';

/** A model as a line of a list; `model` is null where another is to be chosen first. */
export interface ModelItem extends vscode.QuickPickItem {
  model: ModelChoice | null;
}

function nameOf(model: ModelChoice): string {
  return model.provider === 'openai' ? `${model.name} at ${model.address}` : choiceInWords(model);
}

/** The user's adapters, but for the one that the settings choose. */
async function adapterItems(ctx: Ctx, current: ModelChoice | null): Promise<ModelItem[]> {
  const chosen = current?.provider === 'local' ? current.adapter : null;
  return (await knownAdapters(ctx)).flatMap((adapter): ModelItem[] => {
    const { path, base } = adapter;
    if (base === null || path === chosen) return [];
    const model: ModelChoice = { provider: 'local', name: base, adapter: path };
    const detail = adapterDetail(adapter);
    return [{ label: `$(layers) ${choiceInWords(model)}`, description: 'an adapter of yours', detail, model }];
  });
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
  const current = items[0]?.model ?? null;
  for (const status of await listModels(ctx.storage)) {
    const isHere = ['bundled', 'ready', 'unchecked'].includes(status.state);
    const isCurrent = current?.provider === 'local' && current.name === status.name && current.adapter === null;
    if (!isHere || isCurrent) continue;
    const model = { provider: 'local' as const, name: status.name, adapter: null };
    items.push({
      label: `$(chip) ${status.name}`,
      description: whereabouts(status),
      detail: firstClause(status.accuracy),
      model,
    });
  }
  items.push(...(await adapterItems(ctx, current)));
  items.push({ label: '$(settings-gear) Choose Model…', detail, model: null });
  return items;
}
