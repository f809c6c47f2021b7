import { html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import {
  type ConfigDifference,
  type Side,
  type StepRange,
  type TrainingDown,
  type TrainingFacts,
  type TrainingMarks,
  TrainingPanelMemory,
  type TrainingUp,
  trainingChannel,
} from '../../src/protocol/training-view.ts';
import { Host } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { pageTheme } from '../shared/page-theme.ts';
import { problemTheme } from '../shared/problem-theme.ts';
import { theme } from '../shared/theme.ts';
import { Toast, toastTheme } from '../shared/toast.ts';
import { appTheme } from './app-theme.ts';
import './chart.ts';
import { type Curves, nearest, valueAt, withBuckets } from './curves.ts';
import { failureView, headView } from './head.ts';
import type { ChartRun } from './lines.ts';
import { checkpointsView, differencesView, factsView, usesView, valuesView } from './tables.ts';
import { CHARTS, STATES } from './words.ts';

/** A run as far as it was told. */
interface Shown {
  facts: TrainingFacts | null;
  marks: TrainingMarks | null;
  curves: Curves | null;
}

const NOTHING: Shown = { facts: null, marks: null, curves: null };
const WHOLE: StepRange = { from: null, to: null };
/** Half-lives of the smoothing that are offered, in steps. */
const HALF_LIVES = [0, 5, 20, 100, 500];
const FIRST_HALF_LIFE = 5;
/** Widths in pixels are taken in steps of this, so that a border that is dragged asks for curves now and then. */
const WIDTH_STEP = 200;
const MOST_POINTS = 2000;

/** What the curves of a run are called. @param name of the run, where there is another one beside it */
const namesOf = (name: string | null) =>
  name === null
    ? { label: 'training', evaluations: 'evaluation' }
    : { label: name, evaluations: `${name}, evaluation` };

function areSame(one: readonly ChartRun[], other: readonly ChartRun[]): boolean {
  const isSame = (a: ChartRun, b: ChartRun | undefined) =>
    a.label === b?.label && a.look === b.look && a.curves === b.curves && a.marks === b.marks;
  return one.length === other.length && one.every((run, index) => isSame(run, other[index]));
}

/** A training run, live: how it stands, its curves, facts and checkpoints, and another run to compare with. */
export class TrainingApp extends LitElement {
  static override properties = {
    a: { state: true },
    b: { state: true },
    differences: { state: true },
    halfLife: { state: true },
    at: { state: true },
    range: { state: true },
    said: { state: true },
  };
  static override styles = [theme, pageTheme, problemTheme, appTheme, toastTheme];

  declare a: Shown;
  declare b: Shown;
  declare differences: readonly ConfigDifference[] | null;
  declare halfLife: number;
  /** The step that is pointed at; null: none. */
  declare at: number | null;
  declare range: StepRange;
  /** What a screen reader is told last. */
  declare said: string;
  readonly #host = new Host(trainingChannel);
  readonly #toast = new Toast(this);
  readonly #resized = new ResizeObserver(() => this.#askForWidth());
  #points = 0;
  #runs: readonly ChartRun[] = [];

  constructor() {
    super();
    this.a = NOTHING;
    this.b = NOTHING;
    this.differences = null;
    this.halfLife = this.#host.recall(TrainingPanelMemory)?.smoothing ?? FIRST_HALF_LIFE;
    this.at = null;
    this.range = WHOLE;
    this.said = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#host.listen((message) => this.#receive(message));
    this.#resized.observe(this);
    // Before it is told anything: so its curves come as wide as it is, and once.
    this.#askForWidth();
    this.#post({ type: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
  }

  #post(message: TrainingUp): void {
    this.#host.post(message);
  }

  #receive(message: TrainingDown): void {
    switch (message.type) {
      case 'facts':
        this.#takeFacts(message.run, message.facts);
        return;
      case 'marks':
        this.#set(message.run, { marks: message.marks });
        return;
      case 'buckets':
        this.#set(message.run, { curves: withBuckets(this[message.run].curves, message) });
        return;
      case 'differences':
        this.differences = message.differences;
        return;
      case 'done':
        this.said = message.text;
        this.#toast.show(message.text);
        return;
    }
  }

  #set(run: Side, part: Partial<Shown>): void {
    this[run] = { ...this[run], ...part };
  }

  #takeFacts(run: Side, facts: TrainingFacts): void {
    const before = this[run].facts;
    if (run === 'a' && before?.state !== facts.state) this.said = `${STATES[facts.state].text}. ${facts.message}`;
    // Another run's curves are none of this one's.
    this.#set(run, before?.folder === facts.folder ? { facts } : { ...NOTHING, facts });
    this.#remember();
  }

  #remember(): void {
    const folder = this.a.facts?.folder;
    if (folder === undefined) return;
    this.#host.remember({ folder, other: this.b.facts?.folder ?? null, smoothing: this.halfLife });
  }

  #askForWidth(): void {
    const points = Math.min(MOST_POINTS, Math.ceil(this.clientWidth / WIDTH_STEP) * WIDTH_STEP);
    if (points === 0 || points === this.#points) return;
    this.#points = points;
    this.#post({ type: 'range', range: this.range, points });
  }

  #show(range: StepRange): void {
    this.range = range;
    this.at = null;
    this.#post({ type: 'range', range, points: this.#points });
    this.said = range.from === null ? 'All steps.' : `Steps ${range.from} to ${range.to}.`;
  }

  #smooth(halfLife: number): void {
    this.halfLife = halfLife;
    this.#remember();
  }

  #uncompare(): void {
    this.b = NOTHING;
    this.differences = null;
    this.#remember();
    this.#post({ type: 'uncompare' });
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('a') && !changed.has('b')) return;
    const runs = [
      { shown: this.a, look: 'first' as const },
      { shown: this.b, look: 'second' as const },
    ];
    const isCompared = this.b.facts !== null;
    const shown = runs.flatMap(({ shown: { facts, curves, marks }, look }): ChartRun[] =>
      facts === null || curves === null ? [] : [{ ...namesOf(isCompared ? facts.name : null), curves, marks, look }],
    );
    // The same object where nothing that is drawn has changed: charts then stay as they are.
    if (!areSame(shown, this.#runs)) this.#runs = shown;
  }

  /** What a screen reader hears of the step that is pointed at. */
  #pointInWords(curves: Curves, step: number): string {
    const values = CHARTS.flatMap(({ name, title, write }) => {
      const value = valueAt(curves, name, step);
      return value === null ? [] : [`${title.toLowerCase()} ${write(value)}`];
    });
    return [`step ${Math.round(step).toLocaleString('en-US')}`, ...values].join(', ');
  }

  #pointerView(curves: Curves): TemplateResult {
    const { steps } = curves.buckets;
    const last = steps.length - 1;
    const index = this.at === null ? last : nearest(steps, this.at);
    const step = steps[index] ?? 0;
    const move = ({ target }: Event) => {
      this.at = steps[(target as HTMLInputElement).valueAsNumber] ?? null;
    };
    return html`<label
      >Step
      <input
        type="range"
        min="0"
        max=${Math.max(0, last)}
        .value=${String(index)}
        aria-valuetext=${this.#pointInWords(curves, step)}
        @input=${move}
      />
      <span class="dim">${Math.round(step).toLocaleString('en-US')}</span></label
    >`;
  }

  #settingsView(curves: Curves): TemplateResult {
    const choose = ({ target }: Event) => this.#smooth(Number((target as HTMLSelectElement).value));
    const words = (steps: number) => (steps === 0 ? 'off' : `${steps} steps`);
    return html`<div class="settings" role="group" aria-label="Charts">
      <label
        >Smoothing
        <select @change=${choose}>
          ${HALF_LIVES.map(
            (steps) => html`<option value=${steps} ?selected=${steps === this.halfLife}>${words(steps)}</option>`,
          )}
        </select></label
      >
      ${this.#pointerView(curves)}
      ${
        this.range.from === null
          ? html`<span class="dim">Drag over a chart to zoom.</span>`
          : html`<button @click=${() => this.#show(WHOLE)}>${icon('reload')}Show All Steps</button>`
      }
    </div>`;
  }

  #chart({ name, title, write }: (typeof CHARTS)[number]): TemplateResult | '' {
    const has = this.#runs.some(({ curves }) => curves.buckets.values[name].mean.some((value) => !Number.isNaN(value)));
    if (!has) return '';
    return html`<training-chart
      class=${name}
      role="group"
      aria-label=${title}
      .heading=${title}
      .name=${name}
      .runs=${this.#runs}
      .halfLife=${this.halfLife}
      .at=${this.at}
      .write=${write}
      @point=${({ detail }: CustomEvent<number | null>) => {
        this.at = detail;
      }}
      @zoom=${({ detail }: CustomEvent<{ from: number; to: number }>) => this.#show(detail)}
      @whole=${() => this.#show(WHOLE)}
    ></training-chart>`;
  }

  #chartsView(): TemplateResult {
    const { curves, marks } = this.a;
    if (curves === null || curves.buckets.steps.length === 0)
      return html`<p class="dim empty">No step is done yet. The curves come with the first one.</p>`;
    return html`<div class="charts-part">
      ${this.#settingsView(curves)}
      <div class="charts">${CHARTS.map((chart) => this.#chart(chart))}</div>
      <details>
        <summary class="twisted"><h2>Values as a table</h2></summary>
        ${valuesView(curves, marks)}
      </details>
    </div>`;
  }

  #asideView(facts: TrainingFacts, marks: TrainingMarks | null): TemplateResult {
    const notes = marks?.notes ?? [];
    return html`<aside aria-label="About the run">
      <section><h2>Run</h2>${factsView(facts)}</section>
      ${marks === null ? '' : html`<section><h2>Checkpoints</h2>${checkpointsView(marks)}</section>`}
      ${
        notes.length === 0
          ? ''
          : html`<section>
              <h2>Notes</h2>
              <ul class="notes">
                ${notes.slice(-20).map(({ step, text }) => html`<li>${icon('info')}<span>step ${step}: ${text}</span></li>`)}
              </ul>
            </section>`
      }
    </aside>`;
  }

  #comparedView(): TemplateResult | '' {
    const { facts } = this.b;
    if (facts === null) return '';
    return html`<section class="compared" aria-label="Compared with">
      <h2>Compared with ${facts.name}</h2>
      ${
        this.differences === null
          ? html`<p class="dim">Its settings are known once its trainer has read model and data.</p>`
          : differencesView(this.differences)
      }
    </section>`;
  }

  override render() {
    const { facts, marks } = this.a;
    if (facts === null) return html``;
    const post = (message: TrainingUp) => (message.type === 'uncompare' ? this.#uncompare() : this.#post(message));
    return html`<main>
        ${headView(facts, this.b.facts !== null, post)} ${failureView(facts, post)} ${usesView(facts)}
        <div class="body">
          <div>${this.#chartsView()} ${this.#comparedView()}</div>
          ${this.#asideView(facts, marks)}
        </div>
      </main>
      ${this.#toast.render()}
      <div class="visually-hidden" role="status" aria-live="polite">${this.said}</div>`;
  }
}

customElements.define('training-app', TrainingApp);
