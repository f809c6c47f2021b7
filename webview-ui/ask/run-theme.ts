import { css } from 'lit';

export const runTheme = css`
  :host {
    display: grid;
    gap: 14px;
    min-width: 0;
  }
  :host > * {
    min-width: 0;
  }
  h2 {
    font-size: 1.25em;
    font-weight: 600;
    line-height: 1.4;
    overflow-wrap: anywhere;
  }
  h3 {
    font-weight: 600;
  }
  .previous {
    display: flex;
    align-items: center;
    gap: 6px;
    margin-bottom: 2px;
    color: var(--dim);
  }
  .progress p {
    display: flex;
    flex-wrap: wrap;
    gap: 0 10px;
    margin-top: 6px;
  }
  .progress strong {
    font-weight: 600;
  }
  .progress elapsed-time {
    font-variant-numeric: tabular-nums;
  }
  .progress .total {
    margin-inline-start: auto;
  }
  .track {
    height: 2px;
    overflow: hidden;
    border-radius: 1px;
    background: color-mix(in srgb, var(--vscode-progressBar-background) 22%, transparent);
  }
  .runner {
    width: 30%;
    height: 100%;
    border-radius: 1px;
    background: var(--vscode-progressBar-background);
    animation: run 1.6s ease-in-out infinite;
  }
  @keyframes run {
    from {
      transform: translateX(-100%);
    }
    to {
      transform: translateX(340%);
    }
  }
  .failed {
    display: grid;
    grid-template-columns: 16px 1fr auto;
    gap: 8px;
    align-items: start;
    padding: 10px 12px;
    border: 1px solid var(--line);
    border-radius: 6px;
    line-height: 1.5;
  }
  .failed.bad {
    border-color: var(--vscode-inputValidation-errorBorder, var(--bad));
    background: color-mix(in srgb, var(--bad) 8%, transparent);
  }
  .failed > svg.icon {
    margin-top: 2px;
  }
  .failed.bad > svg.icon {
    color: var(--bad);
  }
  .failed p {
    overflow-wrap: anywhere;
  }
  .failed .buttons {
    display: flex;
    gap: 4px;
  }
  .work {
    border-top: 1px solid var(--line);
    padding-top: 10px;
  }
  .work > summary {
    display: flex;
    align-items: center;
    gap: 6px;
  }
  .work > summary .dim {
    margin-inline-start: 4px;
  }
  .work[open] > summary svg.icon {
    transform: rotate(90deg);
  }
  .turns {
    display: grid;
    gap: 12px;
    margin-top: 12px;
  }
  .turns > * {
    min-width: 0;
  }
  .tables p {
    margin-top: 6px;
    line-height: 1.9;
  }
  .tables code {
    padding: 1px 6px;
    border: 1px solid var(--line);
    border-radius: 10px;
    color: var(--dim);
  }
  .tables code.kept {
    color: inherit;
    background: var(--faint);
  }
  .live {
    margin: 0;
    padding: 8px 12px;
    border-radius: 6px;
    background: var(--vscode-textCodeBlock-background, var(--faint));
    font-family: var(--code-font);
    font-size: var(--code-size);
    line-height: 1.5;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .caret {
    display: inline-block;
    width: 7px;
    height: 1em;
    margin-inline-start: 2px;
    vertical-align: -2px;
    background: var(--vscode-editorCursor-foreground, currentcolor);
    animation: blink 1s step-end infinite;
  }
  @keyframes blink {
    50% {
      opacity: 0;
    }
  }
  .notes {
    display: grid;
    gap: 4px;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .notes li,
  .model {
    display: flex;
    gap: 8px;
    line-height: 1.5;
    color: var(--dim);
  }
  .notes svg.icon,
  .model svg.icon {
    margin-top: 2px;
  }
  .model strong {
    font-weight: 600;
    color: var(--vscode-foreground);
  }
  @media (max-width: 480px) {
    .failed {
      grid-template-columns: 16px 1fr;
    }
    .failed .buttons,
    .failed > button {
      grid-column: 2;
      justify-self: start;
    }
  }
`;
