import { createHash } from 'node:crypto';

/** The report's colours by those of the theme, which VS Code sets as variables of the page. */
const THEME = `
:root, body.vscode-light, body.vscode-dark, body.vscode-high-contrast, body.vscode-high-contrast-light {
  --page: var(--vscode-editor-background); --card: var(--vscode-editor-background); --text: var(--vscode-foreground);
  --quiet: var(--vscode-descriptionForeground);
  --line: var(--vscode-contrastBorder, var(--vscode-widget-border, rgb(128 128 128 / 30%)));
  --track: color-mix(in srgb, var(--vscode-foreground) 10%, transparent);
  --one: var(--vscode-charts-blue); --a: var(--vscode-descriptionForeground); --b: var(--vscode-charts-blue);
  --good: var(--vscode-testing-iconPassed, var(--vscode-charts-green));
  --bad: var(--vscode-editorError-foreground, var(--vscode-charts-red));
  --neutral: var(--vscode-descriptionForeground);
  --code: var(--vscode-textCodeBlock-background);
}
body { font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
code, pre { font-family: var(--vscode-editor-font-family); }
:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
`;

const POLICY = /(<meta http-equiv="Content-Security-Policy" content=")[^"]*(")/;

/**
 * A report as a page of the editor: in the colours of its theme, and under a policy that lets through the style sheets of
 * this very page and nothing else.
 * @param html as `toHtml` of `src/core/evals/report` makes it
 */
export function reportPage(html: string): string {
  const page = html.replace('</head>', `<style>${THEME}</style>\n</head>`);
  const sheets = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text);
  const hashes = sheets.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return page.replace(POLICY, `$1default-src 'none'; style-src ${hashes.join(' ')}$2`);
}
