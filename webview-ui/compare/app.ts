import { html, LitElement, type TemplateResult } from 'lit';
import * as z from 'zod/mini';
import type { Comparison } from '../../src/protocol/compare.ts';
import {
  type CompareDown,
  ComparePanelMemory,
  type CompareUp,
  compareChannel,
  type FlipDetail,
} from '../../src/protocol/compare-panel.ts';
import { pEquation } from '../../src/protocol/figures.ts';
import type { SideMessage } from '../../src/protocol/result-side.ts';
import { countInWords } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';
import { metricInWords } from '../shared/outcomes.ts';
import { pageTheme } from '../shared/page-theme.ts';
import { PanelPage } from '../shared/panel-page.ts';
import { theme } from '../shared/theme.ts';
import { toastTheme } from '../shared/toast.ts';
import { appTheme } from './app-theme.ts';
import './flip-detail.ts';
import './flip-list.ts';
import { flipsOf, type ListedFlip } from './flips.ts';
import { groupTable, limitsView, runCard, settingsTable } from './tables.ts';
import { differenceInterval, pointsInWords } from './words.ts';

/** What is found again after the view was hidden or the window reloaded. */
const Memory = z.extend(ComparePanelMemory, { flip: z.nullable(z.string()) });

/** Pause before the flip under the cursor is run, so that a held arrow key runs one and not all. */
const PAUSE_MS = 120;

/** Two runs compared: what changed, by how much, and the items that made the difference. */
export class CompareApp extends LitElement {
  static override properties = {
    comparison: { state: true },
    picked: { state: true },
    detail: { state: true },
  };
  static override styles = [theme, pageTheme, appTheme, toastTheme];

  declare comparison: Comparison | null;
  declare picked: string | null;
  declare detail: FlipDetail | null;
  readonly #page = new PanelPage<CompareUp, Exclude<CompareDown, SideMessage>>(this, compareChannel, (message) =>
    this.#receive(message),
  );
  #flips: readonly ListedFlip[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.comparison = null;
    this.picked = this.#page.host.recall(Memory)?.flip ?? null;
    this.detail = null;
  }

  #receive(message: Exclude<CompareDown, SideMessage>): void {
    switch (message.type) {
      case 'comparison':
        this.#takeComparison(message.comparison);
        return;
      case 'flip':
        this.#takeFlip(message.flip);
        return;
    }
  }

  #takeComparison(comparison: Comparison): void {
    if (this.comparison === null) this.#page.say(comparison.sentence);
    this.comparison = comparison;
    this.#flips = flipsOf(comparison);
    const known = this.#flips.some(({ id }) => id === this.picked);
    this.#show(known ? this.picked : (this.#flips[0]?.id ?? null), 0);
  }

  #takeFlip(flip: FlipDetail): void {
    if (flip.id !== this.picked) return;
    this.detail = flip;
    const sides = [flip.a, flip.b, flip.gold];
    this.#page.tables.keep(sides.flatMap(({ outcome, differing }) => [outcome?.table?.id ?? '', differing?.id ?? '']));
  }

  #show(item: string | null, pauseMs = PAUSE_MS): void {
    if (item !== this.picked) this.detail = null;
    this.picked = item;
    const { comparison } = this;
    if (comparison !== null) this.#page.host.remember({ a: comparison.a.run_id, b: comparison.b.run_id, flip: item });
    clearTimeout(this.#timer);
    if (item !== null) this.#timer = setTimeout(() => this.#page.host.post({ type: 'flip', item }), pauseMs);
  }

  #numbers(comparison: Comparison): TemplateResult {
    const { difference, p, gained, lost, both_right, both_wrong, items, metric } = comparison;
    return html`<section class="card" aria-label="Difference">
      <h2>Difference</h2>
      <p class="big">${pointsInWords(difference.value)} points <span class="dim">${pEquation(p)}</span></p>
      <p class="dim">${differenceInterval(comparison)}</p>
      <p class="dim">${gained.length} gained, ${lost.length} lost, ${both_right} right and ${both_wrong} wrong in both</p>
      <p class="dim">${countInWords(items.compared, 'item')} by ${metricInWords(metric)}; exact test of McNemar</p>
    </section>`;
  }

  #head(comparison: Comparison): TemplateResult {
    return html`<header>
      <h1>${comparison.sentence}</h1>
      <div class="tools">
        <button class="quiet" @click=${() => this.#page.host.post({ type: 'swap' })}>${icon('reload')}Swap A and B</button>
        <button class="quiet" @click=${() => this.#page.host.post({ type: 'copyMarkdown' })}>
          ${icon('copy')}Copy as Markdown
        </button>
      </div>
    </header>`;
  }

  #flipPane(): TemplateResult {
    const flip = this.#flips.find(({ id }) => id === this.picked);
    if (flip === undefined) return html`<p class="dim empty">Pick an item to see both answers beside the gold.</p>`;
    return html`<flip-view
      .flip=${flip}
      .detail=${this.detail}
      .tables=${this.#page.tables}
      .revision=${this.#page.revision}
    ></flip-view>`;
  }

  override render() {
    const { comparison } = this;
    if (comparison === null) return html``;
    return html`<main>
        ${this.#head(comparison)}
        <div class="cards">
          ${runCard('A', comparison.a)} ${runCard('B', comparison.b)} ${this.#numbers(comparison)}
        </div>
        ${limitsView(comparison)}
        <section class="flips" aria-label="Gained and lost">
          <h2>Gained and lost <span class="dim">${this.#flips.length}</span></h2>
          <div class="master">
            <flip-list
              .flips=${this.#flips}
              .picked=${this.picked}
              @pick=${({ detail }: CustomEvent<string>) => this.#show(detail)}
            ></flip-list>
            ${this.#flipPane()}
          </div>
        </section>
        ${groupTable('By database', 'database', comparison.by_database)}
        ${groupTable('By difficulty', 'difficulty', comparison.by_difficulty)} ${settingsTable(comparison)}
      </main>
      ${this.#page.toast.render()}
      <div class="visually-hidden" role="status" aria-live="polite">${this.#page.said}</div>`;
  }
}

customElements.define('compare-app', CompareApp);
