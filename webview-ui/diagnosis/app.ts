import { html, LitElement, type TemplateResult } from 'lit';
import {
  type DiagnosisPanelDown,
  DiagnosisPanelMemory,
  type DiagnosisPanelState,
  type DiagnosisPanelUp,
  diagnosisChannel,
} from '../../src/protocol/diagnosis-panel.ts';
import type { DiagnosisState } from '../../src/protocol/diagnosis-view.ts';
import type { ResultSide, SideMessage } from '../../src/protocol/result-side.ts';
import '../ask/result.ts';
import '../ask/sql-editor.ts';
import type { SqlEditor } from '../ask/sql-editor.ts';
import { differenceInWords } from '../shared/difference.ts';
import { icon } from '../shared/icons.ts';
import { keysInWords } from '../shared/keys.ts';
import { pageTheme } from '../shared/page-theme.ts';
import { PanelPage } from '../shared/panel-page.ts';
import { partsTheme, problemView } from '../shared/result-parts.ts';
import { theme } from '../shared/theme.ts';
import { toastTheme } from '../shared/toast.ts';
import { appTheme } from './app-theme.ts';
import { type Marked, UNMARKED } from './mark.ts';
import './view.ts';
import { diagnosisAnnouncement } from './words.ts';

type Which = 'pred' | 'gold';

const BOXES: Record<Which, { title: string; placeholder: string }> = {
  pred: { title: 'Query', placeholder: 'SELECT …' },
  gold: { title: 'The right SQL', placeholder: 'Where you have it, paste it here: the two are compared' },
};

/** A query that is looked into, alone or beside one that is right. */
export class DiagnosisApp extends LitElement {
  static override properties = {
    state: { state: true },
    pred: { state: true },
    gold: { state: true },
    diagnosis: { state: true },
    marked: { state: true },
  };
  static override styles = [theme, pageTheme, partsTheme, appTheme, toastTheme];

  declare state: DiagnosisPanelState | null;
  /** What stands in the boxes. */
  declare pred: string;
  declare gold: string;
  declare diagnosis: DiagnosisState | null;
  declare marked: Marked;
  readonly #page = new PanelPage<DiagnosisPanelUp, Exclude<DiagnosisPanelDown, SideMessage>>(
    this,
    diagnosisChannel,
    (message) => this.#receive(message),
  );

  constructor() {
    super();
    const memory = this.#page.host.recall(DiagnosisPanelMemory);
    this.state = null;
    this.pred = memory?.pred ?? '';
    this.gold = memory?.gold ?? '';
    this.diagnosis = null;
    this.marked = UNMARKED;
  }

  #receive(message: Exclude<DiagnosisPanelDown, SideMessage>): void {
    switch (message.type) {
      case 'state':
        this.#takeState(message.state);
        return;
      case 'fill':
        this.pred = message.pred;
        this.gold = message.gold;
        this.#remember();
        void this.#focusBox(message.pred === '' ? 'pred' : 'gold');
        return;
      case 'diagnosis':
        this.#page.say(diagnosisAnnouncement(this.diagnosis, message.state) || this.#page.said);
        this.diagnosis = message.state;
        if (message.state === null) this.marked = UNMARKED;
        return;
    }
  }

  #takeState(state: DiagnosisPanelState): void {
    this.state = state;
    this.#page.tables.keep([state.pred, state.gold].flatMap((side) => side?.outcome?.table?.id ?? []));
    this.#remember();
  }

  #remember(): void {
    if (this.state === null) return;
    const { database, pred } = this.state;
    const memory = { database: database.path, pred: this.pred, gold: this.gold, checked: pred !== null };
    this.#page.host.remember(memory satisfies DiagnosisPanelMemory);
  }

  async #focusBox(which: Which): Promise<void> {
    await this.updateComplete;
    this.#editor(which)?.focus();
  }

  #editor(which: Which): SqlEditor | null {
    return this.renderRoot.querySelector<SqlEditor>(`sql-editor.${which}`);
  }

  #edit(which: Which, text: string): void {
    this[which] = text;
    this.#remember();
  }

  #check(): void {
    if (this.pred.trim() === '') return;
    const gold = this.gold.trim() === '' ? null : this.gold;
    this.#page.host.post({ type: 'check', pred: this.pred, gold });
  }

  /** Places are those of the queries that were looked into: in a box that was edited since they mean nothing. */
  #placeIn(which: Which): Marked[Which] {
    return this.state?.[which]?.sql === this[which] ? this.marked[which] : null;
  }

  #onMark({ detail }: CustomEvent<Marked>): void {
    this.marked = detail;
    if (detail.reveal)
      void this.updateComplete.then(() =>
        this.#editor(detail.pred === null ? 'gold' : 'pred')?.scrollIntoView({ block: 'center' }),
      );
  }

  #box(which: Which): TemplateResult {
    const { title, placeholder } = BOXES[which];
    const side = this.state?.[which] ?? null;
    const error = side?.sql === this[which] ? (side.outcome?.position ?? null) : null;
    return html`<div class="box">
      <h2>${title}</h2>
      <sql-editor
        class=${which}
        label=${title}
        placeholder=${placeholder}
        .value=${this[which]}
        .error=${error}
        .marked=${this.#placeIn(which)}
        @edit=${({ detail }: CustomEvent<string>) => this.#edit(which, detail)}
        @run=${this.#check}
      ></sql-editor>
    </div>`;
  }

  #result(side: ResultSide | null, label: string): TemplateResult | '' {
    if (side === null || side.outcome === null) return '';
    return html`<div class="result">
      <h2>${label}</h2>
      <ask-outcome label=${label} .outcome=${side.outcome} .tables=${this.#page.tables} .revision=${this.#page.revision}></ask-outcome>
    </div>`;
  }

  #results({ pred, gold, difference }: DiagnosisPanelState): TemplateResult {
    const words = difference === null ? '' : html`<strong>${differenceInWords(difference)}</strong>`;
    const label = gold === null ? 'Rows' : 'Rows of the query';
    return html`${words}
      <div class="pair">${this.#result(pred, label)} ${this.#result(gold, 'Rows of the right SQL')}</div>`;
  }

  override render() {
    const { state } = this;
    if (state === null) return html``;
    const isPair = this.gold.trim() !== '';
    return html`<main @mark=${this.#onMark}>
        <header>
          <h1>Why are these rows wrong?</h1>
          <button class="quiet" @click=${() => this.#page.host.post({ type: 'openDatabase' })}>
            ${icon('database')}${state.database.name}
          </button>
        </header>
        <div class="pair boxes">${this.#box('pred')} ${this.#box('gold')}</div>
        <div class="run">
          <button
            class="primary"
            title=${keysInWords('Ctrl', 'Enter')}
            ?disabled=${this.pred.trim() === ''}
            @click=${this.#check}
          >
            ${icon('search')}${isPair ? 'Compare' : 'Check'}
          </button>
          <span class="dim">Read-only, like everything here.</span>
        </div>
        ${state.problem === null ? '' : problemView(this, state.problem)}
        ${this.diagnosis === null ? '' : html`<diagnosis-section .state=${this.diagnosis}></diagnosis-section>`}
        ${this.#results(state)}
      </main>
      ${this.#page.toast.render()}
      <div class="visually-hidden" role="status" aria-live="polite">${this.#page.said}</div>`;
  }
}

customElements.define('diagnosis-app', DiagnosisApp);
