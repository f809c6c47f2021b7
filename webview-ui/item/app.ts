import { html, LitElement, type TemplateResult } from 'lit';
import type { DiagnosisState } from '../../src/protocol/diagnosis-view.ts';
import {
  type ItemDown,
  type ItemPanelMemory,
  type ItemPanelState,
  type ItemUp,
  itemChannel,
} from '../../src/protocol/item-panel.ts';
import type { SideMessage } from '../../src/protocol/result-side.ts';
import { signalsTheme, signalsView } from '../ask/signals.ts';
import { type Marked, UNMARKED } from '../diagnosis/mark.ts';
import '../diagnosis/view.ts';
import { diagnosisAnnouncement } from '../diagnosis/words.ts';
import { icon } from '../shared/icons.ts';
import { outcomeInWords, outcomeLook } from '../shared/outcomes.ts';
import { pageTheme } from '../shared/page-theme.ts';
import { PanelPage } from '../shared/panel-page.ts';
import { compared, partsTheme, problemView } from '../shared/result-parts.ts';
import '../shared/result-side.ts';
import { type SideView, sidesTheme } from '../shared/result-side.ts';
import { theme } from '../shared/theme.ts';
import { toastTheme } from '../shared/toast.ts';
import { appTheme } from './app-theme.ts';
import { notesView, workView } from './parts.ts';
import { announcement, metricFacts, whyInWords } from './words.ts';

/** One item of a run: question, verdict, both queries with their rows, the way to the answer. */
export class ItemApp extends LitElement {
  static override properties = {
    state: { state: true },
    differing: { state: true },
    /** What was found, said apart: it comes right behind the rows, and must not take their words away. */
    found: { state: true },
    diagnosis: { state: true },
    /** Places in the queries that are pointed at. */
    marked: { state: true },
  };
  static override styles = [theme, pageTheme, signalsTheme, partsTheme, sidesTheme, appTheme, toastTheme];

  declare state: ItemPanelState | null;
  /** Whether only rows that differ are shown; null while the user did not say. */
  declare differing: boolean | null;
  declare found: string;
  declare diagnosis: DiagnosisState | null;
  declare marked: Marked;
  readonly #page = new PanelPage<ItemUp, Exclude<ItemDown, SideMessage>>(this, itemChannel, (message) =>
    this.#receive(message),
  );

  constructor() {
    super();
    this.state = null;
    this.differing = null;
    this.found = '';
    this.diagnosis = null;
    this.marked = UNMARKED;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Of the whole window: what had the focus may be gone with the item before.
    window.addEventListener('keydown', (event) => this.#onKey(event));
  }

  #receive(message: Exclude<ItemDown, SideMessage>): void {
    switch (message.type) {
      case 'state':
        this.#takeState(message.state);
        return;
      case 'diagnosis':
        this.#takeDiagnosis(message.state);
        return;
    }
  }

  #takeDiagnosis(diagnosis: DiagnosisState | null): void {
    this.found = diagnosisAnnouncement(this.diagnosis, diagnosis);
    this.diagnosis = diagnosis;
    if (diagnosis === null) this.marked = UNMARKED;
  }

  #onMark({ detail }: CustomEvent<Marked>): void {
    this.marked = detail;
    if (!detail.reveal) return;
    const shown = detail.pred === null ? '[label=Gold]' : '[label=Predicted]';
    void this.updateComplete.then(() => this.renderRoot.querySelector<SideView>(`side-view${shown}`)?.reveal());
  }

  #takeState(state: ItemPanelState): void {
    const before = this.state;
    const said = announcement(before, state);
    if (said !== '') this.#page.say(said);
    this.state = state;
    const isAnother = before !== null && before.record.id !== state.record.id;
    if (isAnother) void this.updateComplete.then(() => this.scrollTo({ top: 0 }));
    const sides = [state.gold, state.pred];
    this.#page.tables.keep(sides.flatMap(({ outcome, differing }) => [outcome?.table?.id ?? '', differing?.id ?? '']));
    this.#page.host.remember({ run: state.run.id, item: state.record.id } satisfies ItemPanelMemory);
  }

  #go(item: string | null): void {
    if (item !== null) this.#page.host.post({ type: 'go', item });
  }

  #top({ run, record, place }: ItemPanelState): TemplateResult {
    const { icon: picture, tone } = outcomeLook(record.outcome);
    const what = outcomeInWords(record.outcome);
    return html`<div class="top">
      <span class="outcome ${tone}">${icon(picture)}${what}</span>
      <span class="run dim" title=${run.id}>
        ${run.model} on ${run.dataset}${run.split === null ? '' : `, split ${run.split}`}
      </span>
      <nav aria-label=${`Items with this outcome: ${what}`}>
        <button
          class="quiet previous"
          title="Previous item with this outcome"
          aria-label="Previous item with this outcome"
          ?disabled=${place.previous === null}
          @click=${() => this.#go(place.previous)}
        >
          ${icon('chevron')}
        </button>
        <span class="place dim">${place.position} of ${place.of}</span>
        <button
          class="quiet"
          title="Next item with this outcome"
          aria-label="Next item with this outcome"
          ?disabled=${place.next === null}
          @click=${() => this.#go(place.next)}
        >
          ${icon('chevron')}
        </button>
      </nav>
    </div>`;
  }

  #question({ record }: ItemPanelState): TemplateResult {
    return html`<header>
      <h1>${record.question}</h1>
      ${record.evidence === '' ? '' : html`<p class="evidence"><span class="dim">Evidence:</span> ${record.evidence}</p>`}
      <p class="facts">
        <span>item <code>${record.id}</code></span><span>database <code>${record.db_id}</code></span>
        ${record.difficulty === null ? '' : html`<span>${record.difficulty}</span>`}
      </p>
    </header>`;
  }

  #verdict(state: ItemPanelState): TemplateResult {
    const { record } = state;
    const { verdict } = record;
    const why = whyInWords(state);
    const facts = metricFacts(verdict).map(({ name, value, good }) => {
      const sign =
        good === null ? '' : html`<span class=${good ? 'good' : 'bad'}>${icon(good ? 'check' : 'close')}</span>`;
      return html`<li>${sign}<span class="dim">${name}</span> ${value}</li>`;
    });
    return html`<section class="why" aria-label="Verdict">
      ${why === '' ? '' : html`<p>${why} ${verdict.reason === null ? '' : html`<code>${verdict.reason}</code>`}</p>`}
      ${verdict.message === undefined || record.sql === null ? '' : html`<p class="dim">${verdict.message}</p>`}
      <ul class="metrics" aria-label="Metrics">
        ${facts}
      </ul>
      ${
        verdict.fragile === undefined
          ? ''
          : html`<p class="dim">
              On ${verdict.fragile.tried} changed copies of the database the results differ ${verdict.fragile.differ} times.
            </p>`
      }
    </section>`;
  }

  #sides(state: ItemPanelState, differing: boolean): TemplateResult {
    const side = (label: string, which: 'gold' | 'pred') => html`<side-view
      label=${label}
      .side=${state[which]}
      .tables=${this.#page.tables}
      .revision=${this.#page.revision}
      .differing=${differing}
      .marked=${this.marked[which]}
      ><p class="pending">${state.problem === null ? 'Running …' : ''}</p></side-view
    >`;
    return html`<div class="sides">
      ${side('Predicted', 'pred')}${side('Gold', 'gold')}
    </div>`;
  }

  #next({ database }: ItemPanelState): TemplateResult {
    return html`<div class="next">
      <button ?disabled=${database === null} @click=${() => this.#page.host.post({ type: 'askAgain' })}>
        ${icon('answer')}Ask This Question Again
      </button>
      <button ?disabled=${database === null} @click=${() => this.#page.host.post({ type: 'openDatabase' })}>
        ${icon('database')}Open Database
      </button>
    </div>`;
  }

  #onKey(event: KeyboardEvent): void {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'PageDown') this.#go(this.state?.place.next ?? null);
    else if (event.key === 'PageUp') this.#go(this.state?.place.previous ?? null);
  }

  override render() {
    const { state } = this;
    if (state === null) return html``;
    const { record, words, difference } = state;
    // Of long results the few rows that differ are what is looked for.
    const differing = this.differing ?? isLong(state);
    return html`<main @mark=${this.#onMark}>
        ${this.#top(state)} ${this.#question(state)} ${this.#verdict(state)}
        ${this.diagnosis === null ? '' : html`<diagnosis-section .state=${this.diagnosis}></diagnosis-section>`}
        ${state.problem === null ? '' : problemView(this, state.problem)}
        ${
          difference === null
            ? ''
            : compared(difference, {
                differing,
                show: (shown) => {
                  this.differing = shown;
                },
              })
        }
        ${this.#sides(state, differing)} ${signalsView({ signals: record.signals, words })} ${this.#next(state)}
        ${workView(record)} ${notesView(record.notes)}
      </main>
      ${this.#page.toast.render()}
      <div class="visually-hidden" role="status" aria-live="polite">${this.#page.said}</div>
      <div class="visually-hidden" role="status" aria-live="polite">${this.found}</div>`;
  }
}

/** Rows up to which a result is seen whole. */
const SHORT = 30;

function isLong({ gold, pred, difference }: ItemPanelState): boolean {
  const rows = Math.max(gold.outcome?.table?.rows ?? 0, pred.outcome?.table?.rows ?? 0);
  const differing = (gold.differing?.rows ?? 0) + (pred.differing?.rows ?? 0);
  return difference !== null && rows > SHORT && differing > 0;
}

customElements.define('item-app', ItemApp);
