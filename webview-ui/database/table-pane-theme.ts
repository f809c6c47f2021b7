import { css } from 'lit';

export const tablePaneTheme = css`
  :host {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    background: var(--vscode-editor-background);
  }
  header {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 0 12px;
    flex: none;
    padding: 10px 14px 0;
    border-bottom: 1px solid var(--line);
  }
  .title {
    min-width: 0;
  }
  h1 {
    font-size: 1.2em;
    font-weight: 600;
    line-height: 1.3;
    overflow-wrap: anywhere;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    column-gap: 8px;
    min-height: 20px;
    line-height: 20px;
    color: var(--dim);
  }
  .facts > span + span::before {
    content: '·';
    display: inline-block;
    margin-inline-end: 8px;
  }
  .facts button {
    line-height: 20px;
  }
  .actions {
    display: flex;
    gap: 6px;
    align-items: flex-start;
  }
  [role='tablist'] {
    display: flex;
    gap: 18px;
    margin-top: 6px;
  }
  [role='tab'] {
    min-height: 28px;
    padding: 2px 0;
    border: none;
    border-bottom: 2px solid transparent;
    border-radius: 0;
    color: var(--vscode-panelTitle-inactiveForeground, var(--dim));
    background: none;
  }
  [role='tab']:hover {
    color: var(--vscode-panelTitle-activeForeground, inherit);
  }
  [role='tab'][aria-selected='true'] {
    color: var(--vscode-panelTitle-activeForeground, inherit);
    border-bottom-color: var(--vscode-panelTitle-activeBorder, var(--vscode-focusBorder));
  }
  section {
    display: flex;
    flex-direction: column;
    flex: 1;
    min-height: 0;
  }
  sql-grid {
    flex: 1;
  }
  cell-pane {
    flex: none;
    height: min(40%, 260px);
  }
  .loading {
    padding: 18px 14px;
    color: var(--dim);
  }
  .note {
    display: flex;
    gap: 6px;
    flex: none;
    padding: 6px 14px;
    color: var(--dim);
    border-bottom: 1px solid var(--line);
  }
  .problem {
    display: flex;
    gap: 10px;
    align-items: flex-start;
    margin: 14px;
    padding: 12px 14px;
    border: 1px solid var(--vscode-inputValidation-warningBorder, var(--warn));
    border-radius: 6px;
    background: color-mix(in srgb, var(--warn) 8%, transparent);
  }
  .problem > svg.icon {
    margin-top: 1px;
    color: var(--warn);
  }
  .problem > div {
    flex: 1;
  }
  .problem h2 {
    font-weight: 600;
  }
  .problem p {
    margin-top: 2px;
    overflow-wrap: anywhere;
  }
  .definition {
    flex: 1;
    overflow: auto;
    padding: 14px;
  }
  .definition h2 {
    margin: 18px 0 4px;
    font-weight: 600;
  }
  .definition ul {
    margin: 0;
    padding: 0;
    list-style: none;
    line-height: 1.7;
  }
`;
