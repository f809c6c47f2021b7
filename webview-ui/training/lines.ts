import uPlot from 'uplot';
import type { SeriesName, TrainingMarks } from '../../src/protocol/training-view.ts';
import { type Curves, smoothed } from './curves.ts';

/** One line of a chart. */
export interface Line {
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number | null>;
  /** Variable of the theme with its colour. */
  colour: string;
  width: number;
  /** Lengths of dashes; [] for a whole line. */
  dash: number[];
  /** 0 to 1. */
  alpha: number;
  points: boolean;
  /** Belongs to the span from smallest to largest value: it is drawn as an area. */
  span: 'low' | 'high' | null;
}

/** A run of a chart: its curves, its evaluations, and how the others are told from it. */
export interface ChartRun {
  /** Names of its curves of the training and of the evaluations. */
  label: string;
  evaluations: string;
  curves: Curves;
  marks: TrainingMarks | null;
  look: 'first' | 'second';
}

const COLOURS = {
  first: { train: '--vscode-charts-blue', evals: '--vscode-charts-green' },
  second: { train: '--vscode-charts-yellow', evals: '--vscode-charts-purple' },
};

const withoutNaN = (values: Float64Array): (number | null)[] =>
  Array.from(values, (value) => (Number.isNaN(value) ? null : value));

/** The lines of a run in a chart. @param halfLife of the smoothing in steps; 0: none */
export function linesOf(run: ChartRun, name: SeriesName, halfLife: number): Line[] {
  const { curves, marks, look, label, evaluations } = run;
  const { steps, values } = curves.buckets;
  const { min, max, mean } = values[name];
  const dash = look === 'second' ? [6, 4] : [];
  const base = { x: steps, colour: COLOURS[look].train, dash, points: false, span: null, alpha: 1, width: 1.5 };
  const hidden = { ...base, width: 0, label: '' };
  const lines: Line[] = [];
  if (look === 'first' && curves.width > 1)
    lines.push({ ...hidden, y: withoutNaN(min), span: 'low' }, { ...hidden, y: withoutNaN(max), span: 'high' });
  const isSmooth = halfLife > 0 && name !== 'lr';
  lines.push({ ...base, label, y: withoutNaN(mean), alpha: isSmooth ? 0.35 : 1, width: isSmooth ? 1 : 1.5 });
  if (isSmooth) lines.push({ ...base, label: '', y: withoutNaN(smoothed(steps, mean, halfLife)), width: 2 });
  if (name === 'loss' && marks !== null && marks.evals.length > 0)
    lines.push({
      ...base,
      label: evaluations,
      x: marks.evals.map(({ step }) => step),
      y: marks.evals.map(({ loss }) => loss),
      colour: COLOURS[look].evals,
      points: true,
    });
  return lines;
}

/** The lines over one axis of steps, as uPlot takes them. */
export function dataOf(lines: readonly Line[]): uPlot.AlignedData {
  if (lines.length === 0) return [[]];
  return uPlot.join(lines.map(({ x, y }): uPlot.AlignedData => [Array.from(x), Array.from(y)]));
}
