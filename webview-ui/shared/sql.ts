import { css, html, type TemplateResult } from 'lit';
import type { Position } from '../../src/protocol/query.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

/** Colours of SQL: the theme has none for webviews but those of the debugger's values. */
export const sqlTheme = css`
  .sql {
    margin: 0;
    font-family: var(--code-font);
    font-size: var(--code-size);
    line-height: 1.5;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    tab-size: 2;
  }
  .sql .keyword {
    color: var(--vscode-debugTokenExpression-name, var(--vscode-symbolIcon-keywordForeground));
    font-weight: 600;
  }
  .sql .text {
    color: var(--vscode-debugTokenExpression-string);
  }
  .sql .number {
    color: var(--vscode-debugTokenExpression-number);
  }
  .sql .function {
    color: var(--vscode-symbolIcon-functionForeground);
  }
  .sql .comment {
    color: var(--dim);
    font-style: italic;
  }
  .sql .wrong {
    text-decoration: underline wavy var(--bad);
    text-underline-offset: 3px;
    background: color-mix(in srgb, var(--bad) 14%, transparent);
  }
`;

interface Piece extends SqlToken {
  wrong: boolean;
}

/** Cuts tokens where the place of an error begins and ends. */
function pieces(tokens: readonly SqlToken[], error: Position | null): Piece[] {
  if (error === null) return tokens.map((token) => ({ ...token, wrong: false }));
  const [start, end] = [error.offset, error.offset + Math.max(1, error.length)];
  let offset = 0;
  return tokens.flatMap(({ kind, text }) => {
    const [from, to] = [Math.max(0, start - offset), Math.max(0, end - offset)];
    offset += text.length;
    const parts = [
      { kind, text: text.slice(0, from), wrong: false },
      { kind, text: text.slice(from, to), wrong: true },
      { kind, text: text.slice(to), wrong: false },
    ];
    return parts.filter((part) => part.text !== '');
  });
}

/** SQL in colours, the place of an error underlined. */
export function sqlText(sql: string, error: Position | null = null): TemplateResult[] {
  return pieces(sqlTokens(sql), error).map(
    ({ kind, text, wrong }) => html`<span class=${wrong ? `${kind} wrong` : kind}>${text}</span>`,
  );
}
