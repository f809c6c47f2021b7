import { css } from 'lit';

/** Looks of a chart: its head, and the layers that uPlot puts over each other. */
export const chartTheme = css`
  :host {
    display: block;
    min-width: 0;
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 2px 12px;
    min-height: 20px;
    padding: 0 2px 4px;
  }
  h2 {
    font-weight: 600;
  }
  .values {
    display: flex;
    flex-wrap: wrap;
    gap: 0 12px;
    color: var(--dim);
    font-variant-numeric: tabular-nums;
  }
  .key {
    display: inline-block;
    width: 16px;
    margin-inline-end: 4px;
    border-top: 2px solid;
    vertical-align: 0.25em;
  }
  .key.blue {
    border-color: var(--vscode-charts-blue);
  }
  .key.green {
    border-color: var(--vscode-charts-green);
  }
  .key.yellow {
    border-color: var(--vscode-charts-yellow);
  }
  .key.purple {
    border-color: var(--vscode-charts-purple);
  }
  .key.dashed {
    border-top-style: dashed;
  }
  .key.points {
    border-top-style: dotted;
    border-top-width: 4px;
  }
  .plot {
    height: var(--chart-height, 150px);
    touch-action: none;
  }
  .uplot {
    position: relative;
    width: 100%;
  }
  .u-wrap {
    position: relative;
    user-select: none;
  }
  .u-over,
  .u-under,
  .u-axis,
  .u-select {
    position: absolute;
  }
  .u-under {
    overflow: hidden;
  }
  .u-over {
    cursor: crosshair;
  }
  canvas {
    display: block;
    position: relative;
    width: 100%;
    height: 100%;
  }
  .u-select {
    background: color-mix(in srgb, var(--vscode-focusBorder, #888) 25%, transparent);
    pointer-events: none;
  }
  .u-cursor-x,
  .u-cursor-y {
    position: absolute;
    left: 0;
    top: 0;
    pointer-events: none;
  }
  .u-cursor-x {
    height: 100%;
    border-right: 1px solid var(--vscode-focusBorder, currentcolor);
  }
  .u-cursor-y,
  .u-cursor-pt,
  .u-off {
    display: none;
  }
`;
