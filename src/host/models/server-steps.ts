import * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import type { Ctx } from '../ctx.ts';
import { isLoopback, isServerAddress, tidyAddress } from './address.ts';
import { tellChosen } from './chosen.ts';
import { keepKey } from './secrets.ts';
import { signalOf, tryModel } from './try-model.ts';

const TITLE = 'Choose Model: Server';
const STEPS = 4;
/** A list of names comes quickly or not at all. Milliseconds. */
const LIST_TIME_OUTS = { connect: 5000, first: 8000, total: 15_000 };

interface Server {
  address: string;
  key: string | null;
  name: string;
}

/** Asks for address, key and model of a server, lets the user test it, and makes it the model that answers. */
export async function chooseServer(ctx: Ctx): Promise<void> {
  const address = await askAddress(ctx);
  if (address === undefined) return;
  const kept = await ctx.serverKey(address);
  const key = await askKey(address, kept);
  if (key === undefined) return;
  if (key !== null) ctx.log.hide(key);
  const name = await askName(ctx, address, key);
  if (name === undefined) return;
  const server = { address, key, name };
  if (await confirm(ctx, server)) await use(ctx, server);
}

async function askAddress(ctx: Ctx): Promise<string | undefined> {
  const given = await vscode.window.showInputBox({
    title: `${TITLE} (1/${STEPS})`,
    prompt: 'Address of a server that speaks the OpenAI chat protocol, with its version path',
    placeHolder: 'http://127.0.0.1:11434/v1',
    value: ctx.config.get('model.server.address') || 'http://127.0.0.1:11434/v1',
    ignoreFocusOut: true,
    validateInput: (text) =>
      isServerAddress(text.trim())
        ? null
        : 'An address begins with http:// or https://, e.g. http://127.0.0.1:11434/v1',
  });
  return given === undefined ? undefined : tidyAddress(given);
}

/** @returns null for none, undefined where the user left. */
async function askKey(address: string, kept: string | null): Promise<string | null | undefined> {
  const { origin } = new URL(address);
  const given = await vscode.window.showInputBox({
    title: `${TITLE} (2/${STEPS})`,
    prompt: `API key for ${origin}, kept in the secret storage and sent nowhere else. ${
      isLoopback(address) ? 'Servers on this machine seldom need one: leave it empty.' : 'Leave it empty for none.'
    }`,
    value: kept ?? '',
    password: true,
    ignoreFocusOut: true,
  });
  return given === undefined ? undefined : given.trim() || null;
}

async function askName(ctx: Ctx, address: string, key: string | null): Promise<string | undefined> {
  const names = await listed(ctx, address, key);
  const current = ctx.config.get('model.server.name');
  if (typeof names === 'string' || names.length === 0) return await typeName(current, names);
  const byHand = { label: '$(edit) Another name…', alwaysShow: true };
  const items = names.map((label) => ({ label, description: label === current ? 'current' : '' }));
  const picked = await vscode.window.showQuickPick([...items, byHand], {
    title: `${TITLE} (3/${STEPS})`,
    placeHolder: `Models of ${address}`,
    ignoreFocusOut: true,
  });
  return picked === byHand ? await typeName(current, names) : picked?.label;
}

/** The models of the server, or why it lists none. */
async function listed(ctx: Ctx, address: string, key: string | null): Promise<string[] | string> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Asking ${address} for its models`,
    cancellable: true,
  };
  try {
    const { listModels } = await import('../../runtime/model/openai-provider.ts');
    const server = { baseUrl: address, apiKey: key, timeOuts: LIST_TIME_OUTS };
    return await vscode.window.withProgress(options, (_, token) => listModels(server, signalOf(token)));
  } catch (error) {
    ctx.log.warn(toWireError(error).message);
    return toWireError(error).message;
  }
}

async function typeName(current: string, names: string[] | string): Promise<string | undefined> {
  const reason = typeof names === 'string' ? `${names} ` : '';
  const given = await vscode.window.showInputBox({
    title: `${TITLE} (3/${STEPS})`,
    prompt: `${reason}Name of the model, as the server knows it`,
    placeHolder: 'qwen3:8b',
    value: current,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? 'A name is needed' : null),
  });
  return given?.trim();
}

/** Offers to test the server until the user takes it or leaves. */
async function confirm(ctx: Ctx, server: Server): Promise<boolean> {
  let tested = '';
  for (;;) {
    const use = { label: `$(check) Use ${server.name}`, detail: sentence(server.address) };
    const test = { label: '$(plug) Test Connection', detail: tested || 'Sends a greeting, nothing of your data' };
    const picked = await vscode.window.showQuickPick([use, test], {
      title: `${TITLE} (4/${STEPS})`,
      placeHolder: `${server.name} at ${server.address}`,
      ignoreFocusOut: true,
    });
    if (picked !== test) return picked === use;
    tested = await testServer(ctx, server);
  }
}

function sentence(address: string): string {
  return isLoopback(address)
    ? 'Questions, the schema and some cell values go to this server on your machine'
    : `Questions, the schema and some cell values leave this machine for ${new URL(address).host}`;
}

async function testServer(ctx: Ctx, { address, key, name }: Server): Promise<string> {
  const { createOpenAiProvider } = await import('../../runtime/model/openai-provider.ts');
  const provider = createOpenAiProvider({ baseUrl: address, model: name, apiKey: key });
  try {
    return `It answered in ${((await tryModel(provider)) / 1000).toFixed(1)} s`;
  } catch (error) {
    ctx.log.warn(`the test of ${name} at ${address} failed: ${toWireError(error).message}`);
    return toWireError(error).message;
  } finally {
    await provider.dispose();
  }
}

async function use(ctx: Ctx, { address, key, name }: Server): Promise<void> {
  await keepKey(ctx.extension.secrets, address, key ?? '');
  await ctx.config.set('model.server.address', address);
  await ctx.config.set('model.server.name', name);
  await ctx.config.set('model.provider', 'openai');
  tellChosen(ctx, `${name} at ${address}`);
}
