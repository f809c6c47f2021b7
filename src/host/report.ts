import * as vscode from 'vscode';
import { AppError, toWireError } from '../protocol/errors.ts';
import type { Ctx } from './ctx.ts';
import { isSilent } from './errors.ts';

const CHOOSE_MODEL = { label: 'Choose Model…', command: 'sqlAgent.chooseModel' };
/** What a button of an error message does, by the error's code: shown before "Show Log". */
const REMEDIES: Record<string, { label: string; command: string }> = {
  untrusted_workspace: { label: 'Manage Workspace Trust', command: 'workbench.trust.manage' },
  no_server_address: CHOOSE_MODEL,
  bad_server_address: CHOOSE_MODEL,
  no_server_model: CHOOSE_MODEL,
  adapter_gone: CHOOSE_MODEL,
  adapter_unusable: CHOOSE_MODEL,
  adapter_other_base: CHOOSE_MODEL,
  adapter_no_base: CHOOSE_MODEL,
  adapter_path_relative: CHOOSE_MODEL,
  training_no_adapter: CHOOSE_MODEL,
};
const SHOW_LOG = { label: 'Show Log', command: 'sqlAgent.showLog' };

/** Logs anything thrown and, unless the user stopped it, shows it with what helps. @param what e.g. "Choose Model". */
export function reportError(ctx: Ctx, what: string, error: unknown): void {
  if (isSilent(error)) {
    ctx.log.debug(`${what}: stopped by the user`);
    return;
  }
  ctx.log.error(what, error);
  const { code, message } = toWireError(error);
  const text = error instanceof AppError ? message : `${what} failed, by a mistake of this extension: ${message}`;
  const remedy = REMEDIES[code];
  void offer(ctx, text, remedy ? [remedy, SHOW_LOG] : [SHOW_LOG]);
}

async function offer(ctx: Ctx, text: string, choices: { label: string; command: string }[]): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(text, ...choices.map(({ label }) => label));
  const choice = choices.find(({ label }) => label === chosen);
  if (!choice) return;
  ctx.log.debug(`${choice.label}: chosen below "${text}"`);
  await vscode.commands.executeCommand(choice.command);
}
