/** The page that a webview begins with. */
export interface WebviewPage {
  title: string;
  /** Language of the page, e.g. `en`. */
  language: string;
  /** Where the webview's own files come from, as VS Code says (`webview.cspSource`). */
  source: string;
  /** Random and used once. */
  nonce: string;
  /** Address of the script, made by `webview.asWebviewUri`. */
  script: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it may stand in HTML, in attributes too. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

/**
 * The whole page of a webview: one script and nothing else. Its policy refuses all that is not named: other scripts,
 * inline ones, `eval`, styles, frames, and every connection. Style sheets are made by the script, which no policy hinders.
 */
export function webviewHtml(page: WebviewPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${page.nonce}'`,
    `img-src ${page.source} data:`,
    `font-src ${page.source}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(page.language)}">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(page.title)}</title>
  </head>
  <body>
    <script nonce="${escapeHtml(page.nonce)}" src="${escapeHtml(page.script)}"></script>
  </body>
</html>
`;
}
