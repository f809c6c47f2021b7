import * as vscode from 'vscode';
import type { TestApi } from '../../../src/host/extension.ts';

/** The extension under test, running in this VS Code. */
export function runningExtension(): vscode.Extension<TestApi> {
  const extension = vscode.extensions.getExtension<TestApi>('sql-agent-workbench.sql-agent-workbench');
  if (!extension) throw new Error('VS Code does not know the extension under test');
  return extension;
}

/** Its parts, after activation. */
export async function testApi(): Promise<TestApi> {
  return await runningExtension().activate();
}
