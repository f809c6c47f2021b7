import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { CUSTOM_EDITORS } from '../ids.ts';

/** A database file that is open in at least one editor. It is never read as a whole, so there is nothing to hold. */
class DatabaseDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri;

  constructor(uri: vscode.Uri) {
    this.uri = uri;
  }

  dispose(): void {
    // Editors end with their panels.
  }
}

class DatabaseProvider implements vscode.CustomReadonlyEditorProvider<DatabaseDocument> {
  readonly #ctx: Ctx;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  openCustomDocument(uri: vscode.Uri): DatabaseDocument {
    return new DatabaseDocument(uri);
  }

  async resolveCustomEditor({ uri }: DatabaseDocument, panel: vscode.WebviewPanel): Promise<void> {
    // Loaded with the first editor, so that activation costs nothing.
    const { DatabaseEditor } = await import('./editor.ts');
    const editor = new DatabaseEditor(this.#ctx, uri, panel);
    panel.onDidDispose(() => editor.dispose());
  }
}

/** Registers the read-only database editor: by default for `*.sqlite` and `*.sqlite3`, by "Reopen With" for any file. */
export function registerDatabaseEditor(ctx: Ctx): void {
  const provider = new DatabaseProvider(ctx);
  for (const viewType of Object.values(CUSTOM_EDITORS))
    ctx.own(
      vscode.window.registerCustomEditorProvider(viewType, provider, { supportsMultipleEditorsPerDocument: true }),
    );
}
