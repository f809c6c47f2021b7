import { css } from 'lit';

/** A page of results: it scrolls as a whole, and looks at its own width. */
export const pageTheme = css`
  :host {
    display: block;
    height: 100vh;
    overflow: auto;
    container-type: inline-size;
    background: var(--vscode-editor-background);
  }
  main > * {
    min-width: 0;
  }
  .notes {
    display: grid;
    gap: 4px;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .notes li {
    display: flex;
    gap: 8px;
    line-height: 1.5;
    color: var(--dim);
    overflow-wrap: anywhere;
  }
  .notes svg.icon {
    margin-top: 2px;
  }
`;
