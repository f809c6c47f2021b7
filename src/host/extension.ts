import * as vscode from 'vscode';
import { registerAskPanel } from './ask/register.ts';
import { Ctx } from './ctx.ts';
import { registerDatabaseEditor } from './database/provider.ts';
import { registerDatabasesView } from './databases/register.ts';
import { registerDebugger } from './debug/register.ts';
import { registerDiagnosisPanel } from './diagnosis/register.ts';
import { registerCommands } from './register-commands.ts';
import { registerRuns } from './runs/register.ts';
import { registerTests } from './tests/register.ts';
import { registerTraining } from './train/register.ts';

/** What is registered, in order. Nothing here waits, reads a file or loads a native module: that is for the first use. */
const REGISTRATIONS: readonly [string, (ctx: Ctx) => void][] = [
  ['commands', registerCommands],
  ['databases view', registerDatabasesView],
  ['database editor', registerDatabaseEditor],
  ['ask panel', registerAskPanel],
  ['diagnosis panel', registerDiagnosisPanel],
  ['tests', registerTests],
  ['runs', registerRuns],
  ['debugger', registerDebugger],
  ['training', registerTraining],
];

/** What tests see of a running extension. */
export interface TestApi {
  ctx: Ctx;
  /** Wall-clock time of `activate` in milliseconds. */
  activateMs: number;
}

/** Called by VS Code on first use. @returns an interface for tests when tests run, else nothing. */
export function activate(extension: vscode.ExtensionContext): TestApi | undefined {
  const started = performance.now();
  const ctx = new Ctx(extension);
  extension.subscriptions.push(ctx);
  const times = REGISTRATIONS.map(([name, register]) => {
    const before = performance.now();
    register(ctx);
    return `${name} ${(performance.now() - before).toFixed(1)}`;
  });
  const activateMs = performance.now() - started;
  ctx.log.debug(`activated at ${new Date().toISOString()} in ${activateMs.toFixed(1)} ms (${times.join(', ')})`);
  return extension.extensionMode === vscode.ExtensionMode.Test ? { ctx, activateMs } : undefined;
}
