import * as vscode from 'vscode';
import { COMMANDS, type Command } from './commands.ts';
import type { Ctx } from './ctx.ts';
import { reportError } from './report.ts';

/** Registers the command table. What a command throws is logged and shown. */
export function registerCommands(ctx: Ctx): void {
  for (const [id, command] of Object.entries<Command>(COMMANDS))
    ctx.own(vscode.commands.registerCommand(id, (...args: unknown[]) => runCommand(ctx, id, command, args)));
}

async function runCommand(ctx: Ctx, id: string, command: Command, args: unknown[]): Promise<unknown> {
  ctx.log.debug(`command ${id}`);
  try {
    return await command(ctx, ...args);
  } catch (error) {
    reportError(ctx, id, error);
    return undefined;
  }
}
