import uPlot from 'uplot';
import { dataOf, type Line } from './lines.ts';

/** What a plot is drawn with and tells. */
export interface PlotOptions {
  /** A colour of the theme by its variable. */
  colour(variable: string): string;
  font: string;
  write(value: number): string;
  /** The pointer is at a step; null: it left. */
  onPoint(step: number | null): void;
  /** Some steps were chosen by dragging. */
  onZoom(from: number, to: number): void;
  /** All steps are wanted again. */
  onWhole(): void;
}

const AXIS_WIDTH = 62;
/** A drag over fewer pixels is a click. */
const DRAG_PX = 6;

/** A colour of the theme, `#rrggbb`, `rgb()` or `rgba()`, made as transparent as this; any other one as it is. */
function faint(colour: string, alpha: number): string {
  const hex = /^\s*#([\da-f]{2})([\da-f]{2})([\da-f]{2})/i.exec(colour)?.slice(1);
  const rgb = /^\s*rgba?\(([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(colour)?.slice(1);
  const parts = hex?.map((part) => Number.parseInt(part, 16)) ?? rgb;
  return parts === undefined ? colour : `rgba(${parts.join(', ')}, ${alpha})`;
}

function seriesOf(lines: readonly Line[], { colour }: PlotOptions): uPlot.Series[] {
  const drawn = lines.map(({ colour: variable, width, dash, alpha, points }): uPlot.Series => {
    const stroke = faint(colour(variable), alpha);
    return { stroke, width, dash, points: { show: points, size: 7, fill: stroke }, spanGaps: false };
  });
  return [{}, ...drawn];
}

function bandsOf(lines: readonly Line[], { colour }: PlotOptions): uPlot.Band[] {
  const [low, high] = [lines.findIndex(({ span }) => span === 'low'), lines.findIndex(({ span }) => span === 'high')];
  const line = lines[low];
  return line === undefined ? [] : [{ series: [high + 1, low + 1], fill: faint(colour(line.colour), 0.18) }];
}

function axesOf({ colour, font, write }: PlotOptions): uPlot.Axis[] {
  const common: uPlot.Axis = {
    stroke: colour('--dim'),
    grid: { stroke: faint(colour('--dim'), 0.2), width: 1 },
    ticks: { stroke: faint(colour('--dim'), 0.2), width: 1, size: 4 },
    font,
  };
  return [
    {
      ...common,
      size: 24,
      values: (_, steps) => steps.map((step) => (Number.isInteger(step) ? step.toLocaleString('en-US') : '')),
    },
    { ...common, size: AXIS_WIDTH, values: (_, values) => values.map((value) => (value === null ? '' : write(value))) },
  ];
}

/** Draws lines into an element. @returns the plot; destroy it when other lines are drawn */
export function drawPlot(target: HTMLElement, lines: readonly Line[], options: PlotOptions): uPlot {
  const { clientWidth: width, clientHeight: height } = target;
  return new uPlot(
    {
      width: Math.max(80, width),
      height: Math.max(60, height),
      scales: { x: { time: false } },
      series: seriesOf(lines, options),
      bands: bandsOf(lines, options),
      axes: axesOf(options),
      legend: { show: false },
      cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: false } },
      hooks: {
        setSelect: [
          (plot) => {
            if (plot.select.width < DRAG_PX) return;
            const [from, to] = [plot.select.left, plot.select.left + plot.select.width].map((at) =>
              plot.posToVal(at, 'x'),
            );
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            options.onZoom(Math.round(from ?? 0), Math.round(to ?? 0));
          },
        ],
        setCursor: [
          (plot) => {
            const { left = -1 } = plot.cursor;
            options.onPoint(left < 0 ? null : plot.posToVal(left, 'x'));
          },
        ],
        ready: [({ over }) => over.addEventListener('dblclick', () => options.onWhole())],
      },
    },
    dataOf(lines),
    target,
  );
}
