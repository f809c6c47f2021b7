import type * as vscode from 'vscode';
import { toHtml } from '../../core/evals/report/html.ts';
import { runDocument } from '../../core/evals/report/run-document.ts';
import { reportOf } from '../../core/evals/report/run-report.ts';
import { reportPage } from './report-html.ts';
import type { RunStore } from './store.ts';

/** Items that are not right and shown with their SQL; the Runs view has them all. */
const FAILING = 100;
const TITLE = 'Report ';

/** The run that a report's panel is of, by its title: a page without a script keeps nothing else. */
export function runOfTitle(title: string): string | null {
  return title.startsWith(TITLE) ? title.slice(TITLE.length) : null;
}

/** Shows the report of a run in a panel, without scripts. @throws AppError of `loadRun` */
export async function showReport(store: RunStore, panel: vscode.WebviewPanel, id: string): Promise<void> {
  const { line, records, notes } = await store.load(id);
  panel.title = `${TITLE}${id}`;
  panel.webview.options = {
    enableScripts: false,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [],
  };
  const document = runDocument(reportOf(line, records, notes), { failing: FAILING });
  panel.webview.html = reportPage(toHtml(document));
}
