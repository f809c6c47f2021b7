import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { PANELS } from '../ids.ts';
import { reportError } from '../report.ts';
import type { DiagnosisPanels } from './panels.ts';

/** Registers the diagnosis panel: what opens it, and how it comes back after a reload. It is loaded when it is used. */
export function registerDiagnosisPanel(ctx: Ctx): void {
  let loading: Promise<DiagnosisPanels> | null = null;
  const load = () => {
    loading ??= import('./panels.ts').then(({ DiagnosisPanels }) => ctx.own(new DiagnosisPanels(ctx)));
    return loading;
  };
  const open = async (db: string, sql: string) => {
    try {
      await (await load()).open(db, sql);
    } catch (error) {
      reportError(ctx, 'Why Are These Rows Wrong?', error);
    }
  };
  ctx.own(ctx.openDiagnosis.event(({ db, sql }) => void open(db, sql)));
  const serializer: vscode.WebviewPanelSerializer = {
    deserializeWebviewPanel: async (panel, memory) => (await load()).deserializeWebviewPanel(panel, memory),
  };
  ctx.own(vscode.window.registerWebviewPanelSerializer(PANELS.diagnosis, serializer));
}
