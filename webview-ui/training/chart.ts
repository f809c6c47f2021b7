import { html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import type uPlot from 'uplot';
import type { SeriesName } from '../../src/protocol/training-view.ts';
import { theme } from '../shared/theme.ts';
import { chartTheme } from './chart-theme.ts';
import { nearest } from './curves.ts';
import { type ChartRun, dataOf, type Line, linesOf } from './lines.ts';
import { drawPlot } from './plot.ts';

/** What stays the same while data comes: a plot with the same shape takes the data in place. */
function shapeOf(lines: readonly Line[]): string {
  return JSON.stringify(
    lines.map(({ label, colour, width, dash, points, span }) => [label, colour, width, dash, points, span]),
  );
}

/** One chart over the steps of a run, with the values at the step that is pointed at in its head. */
export class TrainingChart extends LitElement {
  static override properties = {
    heading: { attribute: false },
    name: { attribute: false },
    runs: { attribute: false },
    halfLife: { attribute: false },
    at: { attribute: false },
    write: { attribute: false },
  };
  static override styles = [theme, chartTheme];

  declare heading: string;
  declare name: SeriesName;
  declare runs: readonly ChartRun[];
  /** Of the smoothing, in steps; 0: none. */
  declare halfLife: number;
  /** The step that is pointed at, in this chart or another; null: none. */
  declare at: number | null;
  declare write: (value: number) => string;
  #plot: uPlot | null = null;
  #lines: readonly Line[] = [];
  #shape = '';
  readonly #resized = new ResizeObserver(() => this.#resize());
  /** VS Code gives the page another theme by its attributes. */
  readonly #themed = new MutationObserver(() => this.#redraw());

  constructor() {
    super();
    this.heading = '';
    this.name = 'loss';
    this.runs = [];
    this.halfLife = 0;
    this.at = null;
    this.write = String;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resized.observe(this);
    const attributes = { attributes: true, attributeFilter: ['style', 'class', 'data-vscode-theme-id'] };
    this.#themed.observe(document.documentElement, attributes);
    this.#themed.observe(document.body, attributes);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
    this.#themed.disconnect();
    this.#destroy();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('runs') || changed.has('halfLife') || changed.has('name'))
      this.#lines = this.runs.flatMap((run) => linesOf(run, this.name, this.halfLife));
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('runs') || changed.has('halfLife') || changed.has('name')) this.#draw();
    this.#point();
  }

  #draw(): void {
    const shape = shapeOf(this.#lines);
    if (this.#plot !== null && shape === this.#shape) {
      this.#plot.setData(dataOf(this.#lines));
      return;
    }
    this.#shape = shape;
    this.#redraw();
  }

  #redraw(): void {
    const target = this.renderRoot.querySelector<HTMLElement>('.plot');
    if (target === null || target.clientWidth === 0 || this.#lines.length === 0) return;
    this.#destroy();
    const style = getComputedStyle(this);
    this.#plot = drawPlot(target, this.#lines, {
      colour: (variable) => style.getPropertyValue(variable) || style.color,
      font: `11px ${style.fontFamily}`,
      write: this.write,
      onPoint: (step) => this.#tell('point', step),
      onZoom: (from, to) => this.#tell('zoom', { from, to }),
      onWhole: () => this.#tell('whole', null),
    });
    this.#point();
  }

  #destroy(): void {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #resize(): void {
    const target = this.renderRoot.querySelector<HTMLElement>('.plot');
    if (target === null || target.clientWidth === 0) return;
    if (this.#plot === null) this.#redraw();
    else if (this.#plot.width !== target.clientWidth)
      this.#plot.setSize({ width: target.clientWidth, height: target.clientHeight });
  }

  /** Moves the line of the cursor to the step that is pointed at. */
  #point(): void {
    const plot = this.#plot;
    if (plot === null) return;
    const left = this.at === null ? -10 : plot.valToPos(this.at, 'x');
    if (Math.abs((plot.cursor.left ?? -10) - left) > 0.5) plot.setCursor({ left, top: 0 }, false);
  }

  #value({ label, x, y, colour, dash, points }: Line): TemplateResult | '' {
    const index = this.at === null ? x.length - 1 : nearest(x, this.at);
    const value = y[index];
    if (label === '' || value === null || value === undefined) return '';
    const look = points ? 'points' : dash.length > 0 ? 'dashed' : '';
    const name = colour.replace('--vscode-charts-', '');
    return html`<span><span class="key ${name} ${look}"></span>${label} ${this.write(value)}</span>`;
  }

  override render() {
    return html`<div class="head">
        <h2>${this.heading}</h2>
        <div class="values">${this.#lines.map((line) => this.#value(line))}</div>
      </div>
      <div class="plot" aria-hidden="true"></div>`;
  }
}

customElements.define('training-chart', TrainingChart);
