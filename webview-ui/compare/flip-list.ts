import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { countInWords } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';
import { scrollTo, visibleRows } from '../shared/layout.ts';
import { theme } from '../shared/theme.ts';
import { type FlipFilter, filterFlips, type ListedFlip } from './flips.ts';
import { answerInWords } from './words.ts';

/** Height of a line in pixels; the style sheet says the same. */
const LINE = 48;
const SIDES: readonly FlipFilter['side'][] = ['all', 'lost', 'gained'];

/** The items that one of the runs alone has right. Fires `pick` with an item's id. Only the lines that are seen are in the document. */
export class FlipList extends LitElement {
  static override properties = {
    flips: { attribute: false },
    picked: { attribute: false },
    filter: { state: true },
  };
  static override styles = [
    theme,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
      }
      .filter {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        padding-bottom: 6px;
      }
      input {
        flex: 1;
        min-width: 120px;
        padding: 3px 8px;
      }
      select {
        padding: 3px 4px;
      }
      .list {
        position: relative;
        flex: 1;
        min-height: 0;
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: 6px;
      }
      .list:focus-visible {
        outline-offset: -1px;
      }
      .line {
        position: absolute;
        left: 0;
        right: 0;
        display: grid;
        grid-template-columns: 20px minmax(0, 1fr);
        align-content: center;
        gap: 0 6px;
        height: 48px;
        padding: 2px 10px 2px 6px;
        line-height: 20px;
        cursor: pointer;
      }
      .line:hover {
        background: var(--vscode-list-hoverBackground);
      }
      .line[aria-selected='true'] {
        color: var(--vscode-list-inactiveSelectionForeground, inherit);
        background: var(--vscode-list-inactiveSelectionBackground);
        outline: 1px dashed var(--vscode-contrastActiveBorder, transparent);
        outline-offset: -1px;
      }
      .list:focus .line[aria-selected='true'] {
        color: var(--vscode-list-activeSelectionForeground);
        background: var(--vscode-list-activeSelectionBackground);
        outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder));
        outline-offset: -1px;
      }
      .sign {
        grid-row: span 2;
        align-self: center;
      }
      .sign.gained {
        color: var(--good);
      }
      .sign.lost {
        color: var(--bad);
      }
      [aria-selected='true'] .sign {
        color: inherit;
      }
      .question,
      .facts {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .facts {
        font-size: 0.9em;
        opacity: 0.85;
      }
      .none {
        padding: 14px;
        color: var(--dim);
      }
    `,
  ];

  declare flips: readonly ListedFlip[];
  declare picked: string | null;
  declare filter: FlipFilter;
  readonly #resized = new ResizeObserver(() => this.requestUpdate());

  constructor() {
    super();
    this.flips = [];
    this.picked = null;
    this.filter = { text: '', side: 'all' };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
  }

  get #list(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.list');
  }

  protected override firstUpdated(): void {
    if (this.#list !== null) this.#resized.observe(this.#list);
  }

  #shown(): ListedFlip[] {
    return filterFlips(this.flips, this.filter);
  }

  #pick(flip: ListedFlip | undefined): void {
    if (flip !== undefined) this.dispatchEvent(new CustomEvent('pick', { detail: flip.id }));
  }

  #onKey(event: KeyboardEvent): void {
    const shown = this.#shown();
    const now = shown.findIndex(({ id }) => id === this.picked);
    const page = Math.max(1, Math.floor((this.#list?.clientHeight ?? 0) / LINE) - 1);
    const steps: Record<string, number> = {
      ArrowDown: now + 1,
      ArrowUp: now < 0 ? 0 : now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: shown.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(shown.length - 1, step));
    this.#pick(shown[to]);
    const list = this.#list;
    if (list !== null) list.scrollTop = scrollTo(to * LINE, (to + 1) * LINE, list.scrollTop, list.clientHeight);
  }

  #line(flip: ListedFlip, index: number, count: number): TemplateResult {
    const { id, side, question, db_id, difficulty, a, b } = flip;
    const wrong = side === 'gained' ? a : b;
    const facts = [db_id, difficulty ?? '', answerInWords(wrong)].filter((fact) => fact !== '').join(' · ');
    return html`<div
      id=${`flip-${index}`}
      class="line"
      role="option"
      aria-selected=${id === this.picked}
      aria-setsize=${count}
      aria-posinset=${index + 1}
      title=${question}
      .style=${`top:${index * LINE}px`}
      @click=${() => this.#pick(flip)}
    >
      <span class="sign ${side}">${icon(side === 'gained' ? 'add' : 'remove')}</span>
      <span class="question"><span class="visually-hidden">${side}: </span>${question}</span>
      <span class="facts">${facts}</span>
    </div>`;
  }

  #filter(shown: number): TemplateResult {
    const all = this.flips.length;
    const set = (change: Partial<FlipFilter>) => {
      this.filter = { ...this.filter, ...change };
    };
    const value = ({ target }: Event) =>
      target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target.value : '';
    return html`<div class="filter" role="search">
      <input
        type="search"
        placeholder="Filter"
        aria-label="Filter by question, id, database or difficulty"
        .value=${this.filter.text}
        @input=${(event: Event) => set({ text: value(event) })}
      />
      <select
        aria-label="Which flips"
        .value=${this.filter.side}
        @change=${(event: Event) => set({ side: SIDES.find((side) => side === value(event)) ?? 'all' })}
      >
        ${SIDES.map((side) => html`<option value=${side}>${side}</option>`)}
      </select>
      <span class="visually-hidden" role="status">${shown === all ? '' : `${shown} of ${countInWords(all, 'flip')}`}</span>
    </div>`;
  }

  override render() {
    const shown = this.#shown();
    const { scrollTop = 0, clientHeight = 600 } = this.#list ?? {};
    const { first, end } = visibleRows(scrollTop, scrollTop + clientHeight, LINE, shown.length);
    const active = shown.findIndex(({ id }) => id === this.picked);
    return html`${this.#filter(shown.length)}
      <div
        class="list"
        role="listbox"
        tabindex="0"
        aria-label="Items that one run alone has right"
        aria-activedescendant=${active >= first && active < end ? `flip-${active}` : nothing}
        @keydown=${this.#onKey}
        @scroll=${() => this.requestUpdate()}
      >
        <div .style=${`height:${shown.length * LINE}px`}></div>
        ${shown.slice(first, end).map((flip, step) => this.#line(flip, first + step, shown.length))}
        ${shown.length > 0 ? '' : html`<p class="none">${this.flips.length === 0 ? 'No item was gained or lost.' : 'No flip has these words.'}</p>`}
      </div>`;
  }
}

customElements.define('flip-list', FlipList);
