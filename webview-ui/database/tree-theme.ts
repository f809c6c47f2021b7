import { css } from 'lit';

export const treeTheme = css`
  :host {
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  .filter {
    position: relative;
    flex: none;
    padding: 8px 10px;
  }
  .filter .icon {
    position: absolute;
    left: 16px;
    top: 14px;
    color: var(--vscode-input-placeholderForeground);
    pointer-events: none;
  }
  .filter input {
    width: 100%;
    height: 26px;
    padding: 2px 6px 2px 26px;
  }
  .scroller {
    flex: 1;
    min-height: 0;
    overflow: auto;
    outline: none;
    user-select: none;
  }
  .node {
    position: absolute;
    left: 0;
    right: 0;
    display: flex;
    align-items: center;
    gap: 5px;
    height: 22px;
    padding-inline-end: 10px;
    white-space: nowrap;
    cursor: pointer;
  }
  .node:hover {
    background: var(--vscode-list-hoverBackground);
  }
  .node.shown {
    color: var(--vscode-list-inactiveSelectionForeground, inherit);
    background: var(--vscode-list-inactiveSelectionBackground);
    outline: 1px dotted var(--vscode-contrastActiveBorder, transparent);
    outline-offset: -1px;
  }
  .scroller:focus .node.active {
    outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder));
    outline-offset: -1px;
  }
  .scroller:focus .node.active.shown {
    color: var(--vscode-list-activeSelectionForeground);
    background: var(--vscode-list-activeSelectionBackground);
  }
  .twist {
    display: inline-flex;
    width: 16px;
    flex: none;
  }
  .twist.open svg {
    transform: rotate(90deg);
  }
  .node > svg.icon {
    color: var(--vscode-icon-foreground);
    opacity: 0.85;
  }
  .node.group {
    font-weight: 600;
  }
  .node.group .detail {
    font-weight: 400;
  }
  .node.column > svg.icon {
    width: 12px;
    height: 12px;
    opacity: 0.45;
  }
  .node.problem,
  .node.problem > svg.icon {
    color: var(--warn);
  }
  .label {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .column .label {
    flex-shrink: 0;
    max-width: 70%;
  }
  .detail {
    flex: 0 10 auto;
    min-width: 1.5em;
    overflow: hidden;
    text-overflow: ellipsis;
    font-size: 0.9em;
    color: var(--dim);
  }
  .shown .detail,
  .shown .badge {
    color: inherit;
    opacity: 0.8;
  }
  .badges {
    display: inline-flex;
    flex: 0 1 auto;
    gap: 6px;
    min-width: 0;
    margin-inline-start: auto;
    overflow: hidden;
  }
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 2px;
    min-width: 14px;
    font-size: 0.85em;
    color: var(--dim);
    overflow: hidden;
  }
  .badge .word {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .badge svg.icon {
    width: 13px;
    height: 13px;
  }
  .badge.key {
    flex: none;
    color: var(--vscode-charts-yellow, var(--warn));
  }
  .badge.problem {
    color: var(--warn);
  }
  .nothing {
    padding: 8px 14px;
    color: var(--dim);
  }
`;
