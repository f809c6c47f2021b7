import { css } from 'lit';

/** Looks of the training view. Wide: charts beside the facts; narrow: all in one column. */
export const appTheme = css`
  :host {
    /* The green of tests is too pale for words on white. */
    --good: var(--vscode-charts-green, #388a34);
  }
  main {
    display: grid;
    gap: 16px;
    max-width: 1500px;
    padding: 16px 20px 32px;
  }
  header {
    display: grid;
    gap: 8px;
  }
  .title {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
    min-width: 0;
  }
  h1 {
    font-size: 1.4em;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  h2 {
    font-weight: 600;
  }
  .state {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    padding: 1px 8px 1px 5px;
    border: 1px solid currentcolor;
    border-radius: 10px;
    white-space: nowrap;
  }
  .state.busy {
    color: var(--vscode-charts-blue);
  }
  .state.good {
    color: var(--good);
  }
  .state.bad {
    color: var(--bad);
  }
  .state.still {
    color: var(--dim);
  }
  .progress {
    display: grid;
    gap: 4px;
    max-width: 560px;
    font-variant-numeric: tabular-nums;
  }
  progress {
    width: 100%;
    height: 4px;
    border: none;
    border-radius: 2px;
    appearance: none;
    background: var(--faint);
    outline: 1px solid var(--contrast);
  }
  progress::-webkit-progress-bar {
    border-radius: 2px;
    background: color-mix(in srgb, var(--vscode-foreground) 12%, transparent);
  }
  progress::-webkit-progress-value {
    border-radius: 2px;
    background: var(--vscode-progressBar-background);
  }
  .tools,
  .settings {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .settings {
    gap: 8px 16px;
  }
  .settings label {
    display: inline-flex;
    align-items: center;
    gap: 6px;
  }
  select {
    min-height: 24px;
    padding: 0 4px;
  }
  input[type='range'] {
    width: 180px;
    accent-color: var(--vscode-progressBar-background);
    background: transparent;
    border: none;
  }
  .body {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 300px;
    gap: 16px 24px;
    align-items: start;
  }
  .body > div,
  .charts-part {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 16px;
  }
  .charts {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 16px 20px;
  }
  .charts .loss {
    grid-column: 1 / -1;
    --chart-height: 260px;
  }
  aside {
    display: grid;
    gap: 16px;
    min-width: 0;
  }
  aside section {
    display: grid;
    gap: 6px;
    min-width: 0;
  }
  .uses {
    display: grid;
    gap: 4px;
    min-width: 0;
  }
  .uses div {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 10px;
  }
  .uses code {
    user-select: all;
    overflow-wrap: anywhere;
    font-family: var(--vscode-editor-font-family, monospace);
  }
  .facts {
    display: grid;
    gap: 3px;
    margin: 0;
  }
  .facts > div {
    display: grid;
    grid-template-columns: 104px minmax(0, 1fr);
    gap: 8px;
  }
  dt {
    color: var(--dim);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .wide {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding: 3px 14px 3px 0;
    border-bottom: 1px solid var(--line);
    font-weight: normal;
    text-align: end;
    white-space: nowrap;
  }
  thead th {
    color: var(--dim);
  }
  th[scope='row'],
  th:first-child {
    text-align: start;
  }
  .texts td {
    text-align: start;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  .best {
    display: inline-flex;
    align-items: center;
    gap: 2px;
    color: var(--good);
  }
  .problem p {
    white-space: pre-line;
    overflow-wrap: anywhere;
  }
  pre {
    max-height: 240px;
    margin: 8px 0 0;
    padding: 8px;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    font-family: var(--code-font);
    font-size: var(--code-size);
    background: var(--vscode-textCodeBlock-background);
  }
  .problem > div {
    min-width: 0;
  }
  .empty {
    padding: 32px 0;
    line-height: 1.6;
  }
  summary h2 {
    display: inline;
  }
  details > *:not(summary) {
    margin-top: 8px;
  }
  @container (max-width: 900px) {
    .body {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  @container (max-width: 620px) {
    main {
      padding: 12px 12px 24px;
    }
    .charts {
      grid-template-columns: minmax(0, 1fr);
    }
    .charts .loss {
      --chart-height: 200px;
    }
    .problem {
      grid-template-columns: 16px 1fr;
    }
    .problem button {
      grid-column: 2;
      justify-self: start;
    }
  }
`;
