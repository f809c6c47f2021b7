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
  /* A sign that turns the direction of writing turns its own piece, not the query around it. */
  .sql span {
    unicode-bidi: isolate;
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
  .sql .marked {
    background: var(--vscode-editor-findMatchHighlightBackground, color-mix(in srgb, var(--warn) 35%, transparent));
    box-shadow: 0 1px 0 var(--warn), 0 -1px 0 var(--warn);
  }
  @media (forced-colors: active) {
    .sql .marked {
      color: HighlightText;
      background: Highlight;
      forced-color-adjust: none;
    }
  }
`;

interface Piece {
  look: string;
  text: string;
}

/** Cuts pieces where a place begins and ends, and gives those in it one more look. */
function cut(pieces: readonly Piece[], place: Position | null, look: string): readonly Piece[] {
  if (place === null) return pieces;
  const [start, end] = [place.offset, place.offset + Math.max(1, place.length)];
  let offset = 0;
  return pieces.flatMap((piece) => {
    const { text } = piece;
    const [from, to] = [Math.max(0, start - offset), Math.max(0, end - offset)];
    offset += text.length;
    const parts = [
      { look: piece.look, text: text.slice(0, from) },
      { look: `${piece.look} ${look}`, text: text.slice(from, to) },
      { look: piece.look, text: text.slice(to) },
    ];
    return parts.filter((part) => part.text !== '');
  });
}

/** SQL in colours, the place of an error underlined, a place that is pointed at marked. */
export function sqlText(sql: string, error: Position | null = null, marked: Position | null = null): TemplateResult[] {
  const tokens = sqlTokens(sql).map(({ kind, text }: SqlToken): Piece => ({ look: kind, text }));
  return cut(cut(tokens, error, 'wrong'), marked, 'marked').map(
    ({ look, text }) => html`<span class=${look}>${text}</span>`,
  );
}
