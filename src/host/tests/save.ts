import { basename, dirname, extname, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import {
  appendix,
  freeId,
  type SuiteEntry,
  sameQuestion,
  suiteEntries,
  suiteLineText,
} from '../../core/evals/suite-text.ts';
import { SUITE_ENDING, type SuiteLine } from '../../protocol/dataset.ts';
import type { Ctx } from '../ctx.ts';
import { noFolderForTests, suiteNotSaved } from './errors.ts';
import { SUITE_GLOB } from './find.ts';

/** An answer that is to be kept as a test. */
export interface TestToSave {
  /** Absolute path. */
  db: string;
  question: string;
  evidence: string;
  sql: string;
  /** The question was asked after another one, which a test does not know. */
  isFollowUp: boolean;
}

/** Name of the suite file that is made where there is none. */
const FIRST_SUITE = `tests${SUITE_ENDING}`;

/**
 * "Save as Test": writes an answer into a suite file of the workspace, after what has to be asked.
 * @returns a sentence on what was done; null where the user stopped it
 * @throws AppError where no folder is open, or the file cannot be written
 */
export async function saveAsTest(ctx: Ctx, test: TestToSave): Promise<string | null> {
  const question = test.isFollowUp ? await askForQuestion(test.question) : test.question;
  if (question === undefined) return null;
  const uri = await chooseSuite(test.db);
  if (uri === undefined) return null;
  const document = await openSuite(uri);
  const entries = suiteEntries(document.getText());
  const stem = basename(test.db, extname(test.db));
  const line: SuiteLine = {
    id: freeId(entries, stem),
    database: relative(dirname(uri.fsPath), test.db).split(sep).join('/'),
    question,
    ...(test.evidence === '' ? {} : { evidence: test.evidence }),
    sql: test.sql,
  };
  const same = sameQuestion(entries, line);
  const name = vscode.workspace.asRelativePath(uri);
  if (same && isEqual(same.line, line))
    return told(document, same.index, `It is in ${name} already, as ${same.line.id}.`);
  const answer = same ? await askWhichStays(same.line, name) : 'add';
  if (answer === undefined) return null;
  const replaced = answer === 'replace' ? same : undefined;
  const index = await write(document, line, replaced);
  ctx.suiteWritten.fire(uri);
  const id = replaced?.line.id ?? line.id;
  return told(document, index, `${replaced ? 'Replaced' : 'Saved as'} test ${id} in ${name}.`);
}

/** A follow-up does not stand alone: it is worded anew. */
async function askForQuestion(question: string): Promise<string | undefined> {
  const asked = await vscode.window.showInputBox({
    title: 'Save as Test',
    prompt: 'This was a follow-up. A test is asked alone: word the question so that it says everything.',
    value: question,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? 'A test needs a question.' : undefined),
  });
  return asked?.trim();
}

/** The suite file to write to; one that is not there yet where there is none. */
async function chooseSuite(db: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(db)) ?? vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw noFolderForTests();
  const suites = (await vscode.workspace.findFiles(SUITE_GLOB)).filter(({ scheme }) => scheme === 'file');
  if (suites.length === 0) return vscode.Uri.joinPath(folder.uri, FIRST_SUITE);
  if (suites.length === 1) return suites[0];
  const items = suites
    .sort((a, b) => a.path.localeCompare(b.path))
    .map((uri) => {
      const folder = dirname(vscode.workspace.asRelativePath(uri));
      return { label: `$(beaker) ${basename(uri.fsPath)}`, description: folder === '.' ? '' : folder, uri };
    });
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Save as Test',
    placeHolder: 'The suite file that the question is added to',
    matchOnDescription: true,
  });
  return picked?.uri;
}

/** The document of a suite file, made empty where there is no file. */
async function openSuite(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    await vscode.workspace.fs.writeFile(uri, new Uint8Array());
  }
  return await vscode.workspace.openTextDocument(uri);
}

function isEqual(a: SuiteLine, b: SuiteLine): boolean {
  return a.sql === b.sql && (a.evidence ?? '') === (b.evidence ?? '');
}

async function askWhichStays(known: SuiteLine, name: string): Promise<'replace' | 'add' | undefined> {
  const text = `${name} has this question already, as ${known.id}, with another query or evidence.`;
  const chosen = await vscode.window.showWarningMessage(
    text,
    { modal: true, detail: known.sql },
    'Replace',
    'Keep Both',
  );
  if (chosen === undefined) return undefined;
  return chosen === 'Replace' ? 'replace' : 'add';
}

/** Writes the line and saves the file, by way of its document: an editor that is open on it follows. @returns its index */
async function write(
  document: vscode.TextDocument,
  line: SuiteLine,
  replaced: SuiteEntry | undefined,
): Promise<number> {
  const edit = new vscode.WorkspaceEdit();
  const text = document.getText();
  if (replaced) {
    const { id, difficulty } = replaced.line;
    const kept = { ...line, id, ...(difficulty === undefined ? {} : { difficulty }) };
    edit.replace(document.uri, document.lineAt(replaced.index).range, suiteLineText(kept));
  } else edit.insert(document.uri, document.positionAt(text.length), appendix(text, line));
  const index = replaced?.index ?? (text === '' || text.endsWith('\n') ? document.lineCount - 1 : document.lineCount);
  if (!(await vscode.workspace.applyEdit(edit)) || !(await document.save())) throw suiteNotSaved(document.uri.fsPath);
  return index;
}

/** Says what was done and offers to show it. */
function told(document: vscode.TextDocument, index: number, text: string): string {
  void offer(document, index, text);
  return text;
}

async function offer(document: vscode.TextDocument, index: number, text: string): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(text, 'Open', 'Show Tests');
  if (chosen === 'Show Tests') await vscode.commands.executeCommand('workbench.view.testing.focus');
  if (chosen !== 'Open') return;
  const selection = document.lineAt(Math.min(index, document.lineCount - 1)).range;
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(selection.start, selection.start) });
}
