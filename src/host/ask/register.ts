import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { PANELS } from '../ids.ts';
import { reportError } from '../report.ts';
import type { AskPanels } from './provider.ts';

/** Registers the ask panel: what opens it, and how it comes back after a reload of the window. It is loaded when it is used. */
export function registerAskPanel(ctx: Ctx): void {
  let loading: Promise<AskPanels> | null = null;
  const load = () => {
    loading ??= import('./provider.ts').then(({ AskPanels }) => ctx.own(new AskPanels(ctx)));
    return loading;
  };
  const open = async (db: string, question: string | null, evidence: string) => {
    try {
      (await load()).open(db, question, evidence);
    } catch (error) {
      reportError(ctx, 'Ask', error);
    }
  };
  ctx.own(ctx.openAsk.event(({ db, question, evidence = '' }) => void open(db, question, evidence)));
  const serializer: vscode.WebviewPanelSerializer = {
    deserializeWebviewPanel: async (panel, memory) => (await load()).deserializeWebviewPanel(panel, memory),
  };
  ctx.own(vscode.window.registerWebviewPanelSerializer(PANELS.ask, serializer));
}
