import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Channel } from '../../protocol/channel.ts';
import type { Ctx } from '../ctx.ts';
import { type ChannelHandlers, WebviewChannel } from './channel.ts';
import { webviewHtml } from './html.ts';

/** Which files a webview may load. */
export function webviewOptions(ctx: Ctx): vscode.WebviewOptions & vscode.WebviewPanelOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [ctx.asset('dist', 'webview'), ctx.asset('media')],
  };
}

/**
 * Loads a webview's page into its panel and opens the channel to it. The channel ends with the panel.
 * @param name folder of `webview-ui`, name of its script
 */
export function openWebview<Up extends { type: string }, Down>(
  ctx: Ctx,
  panel: vscode.WebviewPanel,
  name: string,
  channel: Channel<Up, Down>,
  handlers: Omit<ChannelHandlers<Up>, 'onRefused'>,
): WebviewChannel<Up, Down> {
  const { webview } = panel;
  webview.options = webviewOptions(ctx);
  const opened = new WebviewChannel(webview, channel, {
    onReady: () => handlers.onReady(),
    onMessage: (message) => handlers.onMessage(message),
    onRefused: (problem) => ctx.log.warn(`a message was refused: ${problem}`),
  });
  panel.onDidChangeViewState(() => {
    // A hidden webview is unloaded; when it is seen again it says so.
    if (!panel.visible) opened.suspend();
  });
  panel.onDidDispose(() => opened.dispose());
  webview.html = webviewHtml({
    title: panel.title,
    language: vscode.env.language,
    source: webview.cspSource,
    nonce: randomBytes(18).toString('base64'),
    script: webview.asWebviewUri(ctx.asset('dist', 'webview', `${name}.js`)).toString(),
  });
  return opened;
}
