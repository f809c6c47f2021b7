import * as vscode from 'vscode';
import type { RowCounts } from '../../protocol/dap.ts';
import type { Ctx } from '../ctx.ts';
import { DEBUG_TYPE } from '../ids.ts';

/** Writes the number of rows at the end of each clause that has worked. */
export class SqlInlineValues implements vscode.InlineValuesProvider {
  readonly #ctx: Ctx;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  async provideInlineValues(
    _document: vscode.TextDocument,
    viewPort: vscode.Range,
    { frameId }: vscode.InlineValueContext,
  ): Promise<vscode.InlineValue[]> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== DEBUG_TYPE) return [];
    try {
      const { counts }: RowCounts = await session.customRequest('sqlTrace/rowCounts', { frameId });
      return counts.flatMap(({ line, column, text }) => {
        const end = new vscode.Position(line - 1, column - 1);
        return viewPort.contains(end) ? [new vscode.InlineValueText(new vscode.Range(end, end), text)] : [];
      });
    } catch (error) {
      // The clause was left meanwhile.
      this.#ctx.log.debug(`row counts: ${String(error)}`);
      return [];
    }
  }
}
