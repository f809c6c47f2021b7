import { css } from 'lit';

/** Looks that every element of the webviews shares. Colours are the theme's; borders show in high contrast themes too. */
export const theme = css`
  :host {
    box-sizing: border-box;
    font-family: var(--vscode-font-family);
    font-size: var(--vscode-font-size, 13px);
    color: var(--vscode-foreground);
    --dim: var(--vscode-descriptionForeground);
    --line: var(--vscode-widget-border, var(--vscode-editorWidget-border, rgb(128 128 128 / 25%)));
    --faint: color-mix(in srgb, var(--vscode-foreground) 5%, transparent);
    --code-font: var(--vscode-editor-font-family, ui-monospace, monospace);
    --code-size: calc(var(--vscode-font-size, 13px) * 0.96);
    --contrast: var(--vscode-contrastBorder, transparent);
    --good: var(--vscode-testing-iconPassed, var(--vscode-charts-green, #388a34));
    --warn: var(--vscode-editorWarning-foreground, #bf8803);
    --bad: var(--vscode-editorError-foreground, #e51400);
    --removed: color-mix(in srgb, var(--bad) 12%, transparent);
    --added: color-mix(in srgb, var(--good) 12%, transparent);
    --recounted: color-mix(in srgb, var(--warn) 12%, transparent);
  }
  *,
  *::before,
  *::after {
    box-sizing: inherit;
  }
  [hidden] {
    display: none !important;
  }
  h1,
  h2,
  h3,
  p {
    margin: 0;
    font-size: inherit;
    font-weight: inherit;
  }
  .dim {
    color: var(--dim);
  }
  code,
  .code {
    font-family: var(--code-font);
    font-size: var(--code-size);
  }
  svg.icon {
    width: 16px;
    height: 16px;
    flex: none;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.2;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 5px;
    min-height: 26px;
    padding: 2px 11px;
    border: 1px solid var(--vscode-button-secondaryBorder, var(--contrast));
    border-radius: 4px;
    font: inherit;
    line-height: 18px;
    color: var(--vscode-button-secondaryForeground);
    background: var(--vscode-button-secondaryBackground);
    cursor: pointer;
    white-space: nowrap;
  }
  button:hover {
    background: var(--vscode-button-secondaryHoverBackground);
  }
  button.primary {
    border-color: var(--vscode-button-border, var(--contrast));
    color: var(--vscode-button-foreground);
    background: var(--vscode-button-background);
  }
  button.primary:hover {
    background: var(--vscode-button-hoverBackground);
  }
  button.quiet {
    min-height: 24px;
    padding: 2px 6px;
    color: var(--vscode-icon-foreground, inherit);
    background: transparent;
    border-color: transparent;
  }
  button.quiet:hover {
    background: var(--vscode-toolbar-hoverBackground);
    outline: 1px dashed var(--vscode-contrastActiveBorder, transparent);
    outline-offset: -1px;
  }
  button.link {
    min-height: 0;
    padding: 0;
    border: none;
    border-radius: 2px;
    color: var(--vscode-textLink-foreground);
    background: none;
    white-space: normal;
    text-align: start;
  }
  button.link:hover {
    color: var(--vscode-textLink-activeForeground);
    text-decoration: underline;
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  :focus-visible {
    outline: 1px solid var(--vscode-focusBorder);
    outline-offset: 1px;
  }
  textarea,
  input,
  select {
    font: inherit;
    color: var(--vscode-input-foreground);
    background: var(--vscode-input-background);
    border: 1px solid var(--vscode-input-border, var(--contrast));
    border-radius: 4px;
  }
  select {
    color: var(--vscode-dropdown-foreground);
    background: var(--vscode-dropdown-background);
    border-color: var(--vscode-dropdown-border, var(--contrast));
  }
  textarea:focus-visible,
  input:focus-visible,
  select:focus-visible {
    outline-offset: -1px;
  }
  ::placeholder {
    color: var(--vscode-input-placeholderForeground);
    opacity: 1;
  }
  summary {
    list-style: none;
    cursor: pointer;
  }
  summary.twisted::before {
    content: '';
    display: inline-block;
    width: 5px;
    height: 5px;
    margin: 0 9px 2px 3px;
    border: solid currentcolor;
    border-width: 1px 1px 0 0;
    transform: rotate(45deg);
  }
  details[open] > summary.twisted::before {
    transform: rotate(135deg);
  }
  kbd {
    font-family: inherit;
    font-size: 0.85em;
    padding: 0 4px;
    border: 1px solid color-mix(in srgb, currentcolor 35%, transparent);
    border-radius: 3px;
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    button,
    kbd {
      border-color: ButtonBorder;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
    }
  }
`;
