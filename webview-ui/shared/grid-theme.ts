import { css } from 'lit';

/** Heights in pixels; the style sheet below says the same. */
export const ROW_HEIGHT = 24;
export const HEAD_HEIGHT = 42;
export const PLAIN_HEAD_HEIGHT = 26;

export const gridTheme = css`
  :host {
    display: block;
    position: relative;
    min-height: 0;
    font-family: var(--code-font);
    font-size: var(--code-size);
  }
  .scroller {
    height: 100%;
    overflow: auto;
    outline: none;
    background: var(--vscode-editor-background);
    user-select: none;
  }
  .canvas {
    position: relative;
    min-width: 100%;
  }
  .head {
    position: sticky;
    top: 0;
    z-index: 2;
    background: var(--vscode-editor-background);
    border-bottom: 1px solid var(--line);
  }
  .column {
    position: absolute;
    top: 0;
    height: 100%;
    padding: 4px 8px;
    overflow: hidden;
    white-space: nowrap;
    border-right: 1px solid var(--line);
    line-height: 17px;
  }
  .column.current {
    background: var(--faint);
  }
  .column .name {
    font-weight: 600;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .column .type {
    font-size: 0.85em;
    line-height: 15px;
    color: var(--dim);
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .grip {
    position: absolute;
    top: 0;
    right: -3px;
    width: 7px;
    height: 100%;
    cursor: col-resize;
  }
  .grip:hover {
    background: var(--vscode-sash-hoverBorder, var(--vscode-focusBorder));
  }
  .row {
    position: absolute;
    left: 0;
    height: 24px;
    min-width: 100%;
    border-bottom: 1px solid color-mix(in srgb, var(--line) 55%, transparent);
  }
  .row:hover {
    background: var(--faint);
  }
  .number,
  .corner {
    position: sticky;
    left: 0;
    z-index: 1;
    height: 100%;
    padding: 0 8px;
    text-align: right;
    line-height: 23px;
    color: var(--dim);
    background: var(--vscode-editor-background);
    border-right: 1px solid var(--line);
    font-variant-numeric: tabular-nums;
  }
  .number.current {
    color: inherit;
  }
  .number .sign {
    float: left;
    font-weight: 600;
    color: var(--vscode-foreground);
  }
  .row.missing {
    background: var(--removed);
  }
  .row.extra {
    background: var(--added);
  }
  .row.recounted,
  .row.moved {
    background: var(--recounted);
  }
  .cell {
    position: absolute;
    top: 0;
    height: 23px;
    padding: 0 8px;
    line-height: 23px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: pre;
    border-right: 1px solid color-mix(in srgb, var(--line) 55%, transparent);
  }
  .cell.number-look {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .null-look {
    color: var(--dim);
    font-style: italic;
    font-size: 0.85em;
    letter-spacing: 0.04em;
  }
  .empty-look {
    color: var(--dim);
    font-style: italic;
  }
  .blob-look {
    color: var(--dim);
  }
  .flag {
    margin-inline-start: 6px;
    padding: 0 4px;
    border: 1px solid var(--warn);
    border-radius: 3px;
    font-size: 0.8em;
    color: var(--warn);
  }
  .cell.selected {
    background: color-mix(in srgb, var(--vscode-focusBorder) 16%, transparent);
  }
  .cell.cursor {
    outline: 1px solid color-mix(in srgb, var(--vscode-focusBorder) 60%, transparent);
    outline-offset: -1px;
  }
  .scroller:focus .cell.cursor {
    outline: 2px solid var(--vscode-contrastActiveBorder, var(--vscode-focusBorder));
    outline-offset: -2px;
  }
  .copied .cell.selected {
    background: color-mix(in srgb, var(--vscode-focusBorder) 38%, transparent);
  }
  drop-menu {
    position: absolute;
  }
  .probe {
    position: absolute;
    visibility: hidden;
    pointer-events: none;
  }
  .waiting {
    color: var(--dim);
  }
  .nothing {
    position: sticky;
    left: 0;
    padding: 18px 16px;
    font-family: var(--vscode-font-family);
    color: var(--dim);
  }
  @media (forced-colors: active) {
    .cell.selected {
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }
  }
`;
