import { css } from 'lit';

export const composerTheme = css`
  :host {
    display: block;
    border: 1px solid var(--vscode-input-border, var(--line));
    border-radius: 8px;
    background: var(--vscode-input-background);
  }
  :host(:focus-within) {
    border-color: var(--vscode-focusBorder);
  }
  textarea {
    display: block;
    width: 100%;
    padding: 10px 12px 4px;
    border: none;
    outline: none !important;
    background: transparent;
    line-height: 1.5;
    resize: none;
    field-sizing: content;
    max-height: 40vh;
  }
  #question {
    min-height: 3.6em;
    font-size: 1.08em;
  }
  .chip {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    max-width: calc(100% - 20px);
    margin: 10px 10px 0;
    padding: 0 0 0 8px;
    border: 1px solid var(--contrast);
    border-radius: 12px;
    color: var(--vscode-badge-foreground);
    background: var(--vscode-badge-background);
  }
  .chip span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .chip .quiet {
    color: inherit;
    border-radius: 12px;
  }
  .evidence {
    display: grid;
    grid-template-columns: 1fr auto;
    align-items: center;
    margin: 0 10px;
    border-top: 1px solid var(--line);
  }
  .evidence label {
    padding: 6px 2px 0;
    font-weight: 600;
  }
  .evidence label .dim {
    font-weight: 400;
    margin-inline-start: 4px;
  }
  .evidence textarea {
    grid-column: 1 / -1;
    padding: 2px 2px 6px;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    padding: 4px 8px 8px;
  }
  .samples {
    display: inline-flex;
    align-items: center;
    gap: 5px;
    color: var(--vscode-icon-foreground, inherit);
  }
  .samples select {
    height: 24px;
    padding: 0 2px;
  }
  .gap {
    flex: 1;
  }
  .hint {
    font-size: 0.9em;
  }
  .stop svg.icon {
    fill: currentcolor;
  }
  #history {
    border-top: 1px solid var(--line);
  }
  @media (max-width: 480px) {
    .hint,
    .evidence label .dim {
      display: none;
    }
  }
`;
