import { css } from 'lit';

export const appTheme = css`
  main {
    display: grid;
    gap: 18px;
    max-width: 1800px;
    margin: 0 auto;
    padding: 12px 20px 48px;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 4px 12px;
  }
  h1 {
    flex: 1 1 300px;
    font-size: 1.25em;
    font-weight: 600;
    line-height: 1.4;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(3, minmax(0, 1fr));
    gap: 12px;
  }
  .card {
    display: grid;
    align-content: start;
    gap: 4px;
    padding: 10px 14px 12px;
    border: 1px solid var(--line);
    border-radius: 6px;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  h2 {
    font-weight: 600;
  }
  .card h2 {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .letter {
    display: inline-grid;
    place-items: center;
    width: 20px;
    height: 20px;
    border: 1px solid currentcolor;
    border-radius: 50%;
    font-size: 0.9em;
  }
  .big {
    font-size: 1.5em;
    font-variant-numeric: tabular-nums;
  }
  .big .dim {
    font-size: 0.65em;
  }
  svg.share {
    width: 100%;
    height: 14px;
  }
  .share .axis {
    stroke: var(--dim);
    stroke-width: 1;
    opacity: 0.5;
  }
  .share .interval {
    fill: var(--vscode-charts-blue, #3794ff);
    opacity: 0.55;
  }
  .share .point {
    fill: var(--vscode-foreground);
  }
  .flips > h2 {
    margin-bottom: 6px;
  }
  .master {
    display: grid;
    grid-template-columns: minmax(240px, 26%) minmax(0, 1fr);
    align-items: start;
    gap: 16px;
  }
  flip-list {
    height: 560px;
  }
  .empty {
    padding: 24px;
    text-align: center;
  }
  .groups h2 {
    display: inline;
  }
  .wide {
    overflow: auto;
    margin-top: 6px;
  }
  table {
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
    line-height: 1.5;
  }
  th,
  td {
    padding: 3px 12px;
    border-bottom: 1px solid var(--line);
    text-align: right;
    white-space: nowrap;
  }
  th {
    font-weight: 600;
  }
  th:first-child {
    padding-inline-start: 0;
    text-align: left;
  }
  tbody th {
    font-weight: 400;
  }
  .texts th,
  .texts td {
    text-align: left;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  @container (max-width: 820px) {
    .cards {
      grid-template-columns: minmax(0, 1fr);
    }
    .master {
      grid-template-columns: minmax(0, 1fr);
    }
    flip-list {
      height: 260px;
    }
  }
  @container (max-width: 480px) {
    main {
      padding: 6px 10px 32px;
    }
  }
`;
