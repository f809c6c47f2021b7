import { css } from 'lit';

export const answerTheme = css`
  :host {
    display: grid;
    gap: 14px;
    min-width: 0;
  }
  :host > * {
    min-width: 0;
  }
  section header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 8px;
    min-height: 28px;
  }
  h3 {
    font-weight: 600;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    margin-inline-start: auto;
  }
  .sql-box {
    padding: 2px 6px 10px 12px;
    border: 1px solid var(--contrast);
    border-radius: 6px;
    background: var(--vscode-textCodeBlock-background, var(--faint));
  }
  .editing {
    display: grid;
    gap: 8px;
    padding: 2px 12px 12px;
    border: 1px solid var(--line);
    border-radius: 6px;
  }
  .editing > * {
    min-width: 0;
  }
  .run {
    display: flex;
    align-items: center;
    gap: 10px;
  }
  .note {
    display: flex;
    gap: 8px;
    line-height: 1.5;
    color: var(--dim);
  }
  .note svg.icon {
    margin-top: 2px;
  }
  .note.bad {
    color: var(--bad);
  }
  .vote ul {
    display: grid;
    gap: 10px;
    margin: 8px 0 0;
    padding: 0 0 0 24px;
    list-style: none;
  }
  .vote li {
    display: grid;
    grid-template-columns: 64px 1fr;
  }
  .votes {
    font-variant-numeric: tabular-nums;
    color: var(--dim);
  }
  .next {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
`;
