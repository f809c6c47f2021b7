import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { DEBUG_TYPE } from '../ids.ts';
import { reportError } from '../report.ts';
import { SqlConfigurations } from './configurations.ts';
import { SqlInlineValues } from './inline-values.ts';

/** Registers the debugger of queries. Nothing of it is loaded before a session begins. */
export function registerDebugger(ctx: Ctx): void {
  const configurations = new SqlConfigurations(ctx);
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  ctx.own(vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations));
  ctx.own(vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations, Dynamic));
  const createDebugAdapterDescriptor = async ({ workspaceFolder }: vscode.DebugSession) => {
    try {
      const { openAdapter } = await import('./adapter.ts');
      return new vscode.DebugAdapterInlineImplementation(await openAdapter(ctx, workspaceFolder));
    } catch (error) {
      reportError(ctx, 'Debug', error);
      return undefined;
    }
  };
  ctx.own(vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, { createDebugAdapterDescriptor }));
  const provideEvaluatableExpression = async (document: vscode.TextDocument, position: vscode.Position) =>
    (await import('./hover.ts')).expressionAt(document, position);
  const sql: vscode.DocumentSelector = { language: 'sql' };
  ctx.own(vscode.languages.registerEvaluatableExpressionProvider(sql, { provideEvaluatableExpression }));
  ctx.own(vscode.languages.registerInlineValuesProvider(sql, new SqlInlineValues(ctx)));
}
