import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { DEBUG_TYPE } from '../ids.ts';
import { reportError } from '../report.ts';

/** What is debugged without launch.json. */
const NAME = 'Trace the clauses of this query';
/** VS Code puts the path of the open file in its place. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of launch.json
const OPEN_FILE = '${file}';

/** Completes what the user asks to debug: the open file where nothing is named, its database where it has none. */
export class SqlConfigurations implements vscode.DebugConfigurationProvider {
  readonly #ctx: Ctx;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /** What "Run and Debug" offers without launch.json. */
  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return [{ type: DEBUG_TYPE, request: 'launch', name: NAME, program: OPEN_FILE, stopOnEntry: true }];
  }

  /** F5 without launch.json: the query in which the cursor stands. */
  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    config: vscode.DebugConfiguration,
  ): vscode.ProviderResult<vscode.DebugConfiguration> {
    const isNamed = Boolean(config.type || config.request || config.name);
    const named = isNamed ? config : { ...config, type: DEBUG_TYPE, request: 'launch', name: NAME };
    const document = vscode.window.activeTextEditor?.document;
    if (isNamed && hasSubject(named)) return named;
    if (document?.languageId !== 'sql') {
      void vscode.window.showErrorMessage('Open a .sql file with a query, then start debugging again.');
      return undefined;
    }
    // A file that was never saved has a text and no path.
    if (document.uri.scheme !== 'file') return { ...named, sql: document.getText() };
    return { ...named, program: document.uri.fsPath };
  }

  /** Finds item, gold and database of what is debugged. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    config: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    try {
      const completed = await this.#complete(folder, withCursor(config));
      return completed === null ? undefined : { ...completed, timeoutMs: this.#ctx.config.ask(folder?.uri).timeoutMs };
    } catch (error) {
      reportError(this.#ctx, 'Debug', error);
      return undefined;
    }
  }

  async #complete(folder: vscode.WorkspaceFolder | undefined, config: vscode.DebugConfiguration) {
    if (typeof config['run'] === 'string' && typeof config['item'] === 'string') {
      const { launchOfRunItem } = await import('./run-item.ts');
      return { ...config, ...(await launchOfRunItem(this.#ctx, config['run'], config['item'])) };
    }
    const { databaseFor } = await import('./subject.ts');
    const { goldBeside } = await import('../../runtime/dap/beside.ts');
    const { program } = config;
    const path = typeof program === 'string' ? absolute(folder, program) : null;
    const database = config['database'];
    const db =
      typeof database === 'string' && database !== '' ? absolute(folder, database) : await databaseFor(this.#ctx, path);
    if (db === null) return null;
    const gold = config['gold'] ?? (path === null ? undefined : await goldBeside(path));
    return {
      ...config,
      database: db,
      ...(path === null ? {} : { program: path }),
      ...(gold === undefined ? {} : { gold }),
    };
  }
}

/** Whether a configuration says what is to be debugged. */
function hasSubject(config: vscode.DebugConfiguration): boolean {
  return ['program', 'sql', 'run'].some((key) => typeof config[key] === 'string' && config[key] !== '');
}

function absolute(folder: vscode.WorkspaceFolder | undefined, path: string): string {
  return isAbsolute(path) || folder === undefined ? path : resolve(folder.uri.fsPath, path);
}

/** Of a file with several queries the one with the cursor is meant, where nothing else is said. */
function withCursor(config: vscode.DebugConfiguration): vscode.DebugConfiguration {
  const editor = vscode.window.activeTextEditor;
  const isShown = editor !== undefined && editor.document.uri.fsPath === config['program'];
  return config['line'] !== undefined || !isShown ? config : { ...config, line: editor.selection.active.line + 1 };
}
