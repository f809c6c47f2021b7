import { css } from 'lit';

/** Looks of a problem that stands in a page: a sign, what it is, and what can be done. */
export const problemTheme = css`
  .problem {
    display: grid;
    grid-template-columns: 16px 1fr auto;
    align-items: start;
    gap: 8px;
    padding: 10px 12px;
    border: 1px solid var(--vscode-inputValidation-warningBorder, var(--warn));
    border-radius: 6px;
    background: color-mix(in srgb, var(--warn) 8%, transparent);
    line-height: 1.5;
  }
  .problem svg.icon {
    margin-top: 2px;
    color: var(--warn);
  }
`;
