import { css } from 'lit';

export const appTheme = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100vh;
    container-type: size;
  }
  main {
    display: grid;
    grid-template-columns: var(--tree-width) auto 1fr;
    flex: 1;
    min-height: 0;
  }
  schema-tree {
    background: var(--vscode-sideBar-background);
    color: var(--vscode-sideBar-foreground, inherit);
  }
  .sash {
    position: relative;
    z-index: 3;
    width: 1px;
    background: var(--line);
    cursor: col-resize;
  }
  .sash::after {
    content: '';
    position: absolute;
    inset: 0 -2px;
    transition: background 0.1s 0.15s;
  }
  .sash:hover::after,
  .sash:focus-visible::after {
    background: var(--vscode-sash-hoverBorder, var(--vscode-focusBorder));
  }
  .sash:focus-visible {
    outline: none;
  }
  footer {
    display: flex;
    flex: none;
    gap: 16px;
    padding: 3px 14px;
    font-size: 0.9em;
    color: var(--dim);
    border-top: 1px solid var(--line);
    white-space: nowrap;
    overflow: hidden;
  }
  footer span:first-child {
    overflow: hidden;
    text-overflow: ellipsis;
    direction: rtl;
    unicode-bidi: plaintext;
  }
  footer span:last-child {
    margin-inline-start: auto;
  }
  .changed {
    display: flex;
    align-items: center;
    gap: 8px;
    flex: none;
    padding: 4px 14px;
    background: color-mix(in srgb, var(--vscode-editorInfo-foreground, #3794ff) 12%, transparent);
    border-bottom: 1px solid var(--line);
  }
  .changed .icon.info {
    color: var(--vscode-editorInfo-foreground, #3794ff);
  }
  .changed span {
    flex: 1;
  }
  .loading {
    padding: 24px;
    color: var(--dim);
  }
  main.problem,
  .empty {
    display: flex;
    flex-direction: column;
    align-items: center;
    justify-content: center;
    gap: 8px;
    flex: 1;
    padding: 24px;
    text-align: center;
  }
  main.problem > svg.icon,
  .empty > svg.icon {
    width: 36px;
    height: 36px;
    stroke-width: 0.9;
  }
  main.problem > svg.icon {
    color: var(--warn);
  }
  .empty > svg.icon {
    color: var(--dim);
  }
  main.problem h1,
  .empty h1 {
    font-size: 1.25em;
    font-weight: 600;
  }
  main.problem p,
  .empty p {
    max-width: 60ch;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 8px;
    margin-top: 10px;
  }
  @container (max-width: 560px) {
    main:not(.problem) {
      grid-template-columns: 1fr;
      grid-template-rows: minmax(90px, 34%) 1px 1fr;
    }
    .sash {
      width: auto;
      pointer-events: none;
    }
  }
`;
