import * as vscode from 'vscode';
import { hoverRange } from '../../core/debug/hover-range.ts';

/** What a hover means: a name with the alias before it, or a call of a function; undefined for keywords and all else. */
export function expressionAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): vscode.EvaluatableExpression | undefined {
  const found = hoverRange(document.getText(), document.offsetAt(position));
  if (found === null) return undefined;
  return new vscode.EvaluatableExpression(
    new vscode.Range(document.positionAt(found.offset), document.positionAt(found.end)),
  );
}
