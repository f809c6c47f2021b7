import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { GridColumn } from '../../src/protocol/grid.ts';
import { type DrawnColumn, GridColumns } from './grid-columns.ts';
import { copySelection } from './grid-copy.ts';
import { type Grip, headerCell, rowPart } from './grid-parts.ts';
import { gridTheme, HEAD_HEIGHT, PLAIN_HEAD_HEIGHT, ROW_HEIGHT } from './grid-theme.ts';
import { send } from './host.ts';
import { keysInWords } from './keys.ts';
import { scrollTo, visibleColumns, visibleRows } from './layout.ts';
import './menu.ts';
import type { DropMenu } from './menu.ts';
import { boundsOf, isSelected, move, type Selection, type Spot } from './navigation.ts';
import { Pages } from './pages.ts';
import { theme } from './theme.ts';

const START: Selection = { anchor: { row: 0, column: 0 }, cursor: { row: 0, column: 0 } };
const CONTEXT_ITEMS = [
  { id: 'cell', label: 'Copy', keys: keysInWords('Ctrl', 'C') },
  { id: 'header', label: 'Copy with Header', keys: keysInWords('Ctrl', 'Shift', 'C') },
  { id: 'row', label: 'Copy Row' },
  { id: 'open', label: 'Show Whole Value', keys: 'Enter' },
];
const COPIED_MS = 160;

/**
 * A table of any length: only what is seen is in the document, and rows are asked for by the page. The keyboard moves as
 * in ARIA's grid pattern. Fires `open` with a spot when a cell is to be seen whole.
 */
export class SqlGrid extends LitElement {
  static override properties = {
    columns: { attribute: false },
    pages: { attribute: false },
    /** Set anew when rows of `pages` came. */
    revision: { attribute: false },
    label: {},
    emptyText: { attribute: false },
    /** Rows that are seen before the grid scrolls: it is then as high as it needs; 0: as high as its place. */
    seenRows: { type: Number, attribute: 'seen-rows' },
    said: { state: true },
  };
  static override styles = [theme, gridTheme];

  declare columns: readonly GridColumn[];
  declare pages: Pages;
  declare revision: number;
  declare label: string;
  declare emptyText: string;
  declare seenRows: number;
  declare said: string;

  #selection = START;
  #dragging = false;
  readonly #sizes = new GridColumns();
  readonly #resized = new ResizeObserver(() => this.requestUpdate());
  readonly #grip: Grip = {
    drag: (event, column) => this.#dragGrip(event, column),
    fit: (column) => {
      this.#sizes.fit(column, this.columns, this.pages);
      this.requestUpdate();
    },
  };

  constructor() {
    super();
    this.columns = [];
    this.pages = new Pages(() => undefined);
    this.revision = 0;
    this.label = '';
    this.emptyText = 'No rows.';
    this.seenRows = 0;
    this.said = '';
  }

  override focus(): void {
    this.#scroller?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
  }

  get #scroller(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.scroller');
  }

  get #hasTypes(): boolean {
    return this.columns.some(({ declared }) => declared);
  }

  get #headHeight(): number {
    return this.#hasTypes ? HEAD_HEIGHT : PLAIN_HEAD_HEIGHT;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('pages') || changed.has('columns')) this.#sizes.reset();
    if (changed.has('pages')) this.#selection = START;
    this.#sizes.measure(this.columns, this.pages);
  }

  protected override firstUpdated(): void {
    const scroller = this.#scroller;
    if (scroller !== null) this.#resized.observe(scroller);
    const probe = this.renderRoot.querySelector('.probe');
    const width = probe === null ? 0 : probe.getBoundingClientRect().width / (probe.textContent?.length ?? 1);
    if (this.#sizes.setCharacter(width)) this.requestUpdate();
  }

  #select(selection: Selection): void {
    this.#selection = selection;
    const scroller = this.#scroller;
    if (scroller !== null) {
      const { row, column } = selection.cursor;
      const offsets = this.#sizes.offsets(this.columns.length);
      const top = row * ROW_HEIGHT;
      const high = scroller.clientHeight - this.#headHeight;
      scroller.scrollTop = scrollTo(top, top + ROW_HEIGHT, scroller.scrollTop, high);
      const wide = scroller.clientWidth - this.#sizes.numberWidth(this.pages);
      scroller.scrollLeft = scrollTo(offsets[column] ?? 0, offsets[column + 1] ?? 0, scroller.scrollLeft, wide);
    }
    this.requestUpdate();
  }

  #onKey(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' || event.key === 'F2') this.#open();
    else if (command && event.shiftKey && event.key.toLowerCase() === 'c') this.#copy(true);
    else if (event.key === 'ContextMenu' || (event.shiftKey && event.key === 'F10')) this.#menuAtCursor();
    else if (event.altKey || !this.#move(event.key, event.shiftKey, command)) return;
    event.preventDefault();
  }

  #move(key: string, shift: boolean, command: boolean): boolean {
    const seen = ((this.#scroller?.clientHeight ?? 0) - this.#headHeight) / ROW_HEIGHT;
    const size = { rows: this.pages.length, columns: this.columns.length, page: Math.max(1, Math.floor(seen) - 1) };
    const to = move(this.#selection, { key, shift, command }, size);
    if (to !== null) this.#select(to);
    return to !== null;
  }

  #spotOf(event: Event): Spot | null {
    const element = event
      .composedPath()
      .find((part) => part instanceof HTMLElement && part.dataset['row'] !== undefined);
    if (!(element instanceof HTMLElement)) return null;
    return { row: Number(element.dataset['row']), column: Number(element.dataset['column'] ?? -1) };
  }

  #onPointerDown(event: PointerEvent): void {
    const spot = this.#spotOf(event);
    if (spot === null) return;
    const wholeRow = spot.column < 0;
    const start = wholeRow ? { row: spot.row, column: 0 } : spot;
    const end = wholeRow ? { row: spot.row, column: this.columns.length - 1 } : spot;
    // The menu is for what is selected.
    if (event.button !== 0 && isSelected(this.#selection, start.row, start.column)) return;
    this.#select({ anchor: event.shiftKey ? this.#selection.anchor : start, cursor: end });
    this.#dragging = event.button === 0 && !wholeRow;
  }

  #onPointerMove(event: PointerEvent): void {
    this.#dragging &&= (event.buttons & 1) === 1;
    const spot = this.#dragging ? this.#spotOf(event) : null;
    if (spot !== null && spot.column >= 0) this.#select({ anchor: this.#selection.anchor, cursor: spot });
  }

  #onContextMenu(event: MouseEvent): void {
    event.preventDefault();
    event.stopPropagation();
    this.#menuAt(event.clientX, event.clientY);
  }

  #menuAtCursor(): void {
    const { left = 0, bottom = 0 } = this.renderRoot.querySelector('.cursor')?.getBoundingClientRect() ?? {};
    this.#menuAt(left, bottom);
  }

  #menuAt(x: number, y: number): void {
    const from = this.#scroller;
    const menu = this.renderRoot.querySelector<DropMenu>('drop-menu');
    if (from !== null && this.pages.length > 0) menu?.openAt(x, y, from);
  }

  #onPick({ detail }: CustomEvent<string>): void {
    if (detail === 'open') this.#open();
    else if (detail === 'row') this.#copyRows();
    else this.#copy(detail === 'header');
  }

  #copyRows(): void {
    const { top, bottom } = boundsOf(this.#selection);
    const cursor = { row: bottom, column: this.columns.length - 1 };
    this.#select({ anchor: { row: top, column: 0 }, cursor });
    this.#copy(false);
  }

  #open(): void {
    this.dispatchEvent(new CustomEvent('open', { detail: this.#selection.cursor }));
  }

  /** Copies by the host, which needs no permission of the browser. */
  #copy(withHeader: boolean): void {
    const copied = copySelection(this.#selection, this.columns, this.pages, withHeader);
    if (copied === null) return;
    send(this, { type: 'copyText', text: copied.text });
    this.said = copied.said;
    const scroller = this.#scroller;
    scroller?.classList.add('copied');
    setTimeout(() => scroller?.classList.remove('copied'), COPIED_MS);
  }

  /** The browser's own copy (keys, the Edit menu). */
  #onCopy(event: ClipboardEvent): void {
    event.preventDefault();
    this.#copy(false);
  }

  #dragGrip(event: PointerEvent, column: number): void {
    event.preventDefault();
    event.stopPropagation();
    const grip = event.currentTarget;
    if (!(grip instanceof HTMLElement)) return;
    const from = event.clientX - this.#sizes.widthOf(column);
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = ({ clientX }) => {
      this.#sizes.set(column, clientX - from);
      this.requestUpdate();
    };
    grip.onlostpointercapture = () => {
      grip.onpointermove = null;
    };
  }

  #head(columns: readonly DrawnColumn[], numberWidth: number): TemplateResult {
    const cells = columns.map((drawn) => {
      const column = this.columns[drawn.index];
      const isCurrent = this.#selection.cursor.column === drawn.index;
      return column && headerCell(column, drawn, { isCurrent, hasTypes: this.#hasTypes, grip: this.#grip });
    });
    return html`<div class="head" role="row" aria-rowindex="1" .style=${`height:${this.#headHeight}px`}>
      <div class="corner" role="columnheader" aria-colindex="1" .style=${`width:${numberWidth}px`}>
        <span class="visually-hidden">Row</span>
      </div>
      ${cells}
    </div>`;
  }

  #canvas(): TemplateResult {
    const { pages } = this;
    const { scrollLeft = 0, scrollTop = 0, clientWidth = 1200, clientHeight = 600 } = this.#scroller ?? {};
    const offsets = this.#sizes.offsets(this.columns.length);
    const numberWidth = this.#sizes.numberWidth(pages);
    const width = (offsets.at(-1) ?? 0) + numberWidth;
    const seen = visibleColumns(offsets, scrollLeft, scrollLeft + clientWidth);
    const columns = Array.from({ length: seen.end - seen.first }, (_, step) => {
      const index = seen.first + step;
      return { index, left: (offsets[index] ?? 0) + numberWidth, width: this.#sizes.widthOf(index) };
    });
    const { first, end } = visibleRows(scrollTop, scrollTop + clientHeight, ROW_HEIGHT, pages.length);
    const context = { columns, selection: this.#selection, numberWidth, width, pages };
    const rows = Array.from({ length: end - first }, (_, step) => rowPart(first + step, context));
    const isEmpty = pages.length === 0 && pages.isEndKnown;
    return html`<div class="canvas" .style=${`width:${width}px`}>
      ${this.#head(columns, numberWidth)}
      <div role="rowgroup" .style=${`position:relative;height:${pages.length * ROW_HEIGHT}px`}>${rows}</div>
      ${isEmpty ? html`<p class="nothing">${this.emptyText}</p>` : ''}
    </div>`;
  }

  override render() {
    const { row, column } = this.#selection.cursor;
    const active = this.pages.peek(row) === null ? nothing : `cell-${row}-${column}`;
    // Half a row more shows that there are more.
    const most = this.#headHeight + (this.seenRows + 0.5) * ROW_HEIGHT;
    return html`<div
        class="scroller"
        .style=${this.seenRows > 0 ? `height:auto;max-height:${most}px` : ''}
        role="grid"
        tabindex="0"
        aria-label=${this.label}
        aria-multiselectable="true"
        aria-readonly="true"
        aria-rowcount=${this.pages.isEndKnown ? this.pages.length + 1 : -1}
        aria-colcount=${this.columns.length + 1}
        aria-activedescendant=${active}
        @scroll=${() => this.requestUpdate()}
        @keydown=${this.#onKey}
        @copy=${this.#onCopy}
        @pointerdown=${this.#onPointerDown}
        @pointermove=${this.#onPointerMove}
        @dblclick=${(event: Event) => this.#spotOf(event) && this.#open()}
        @contextmenu=${this.#onContextMenu}
      >
        ${this.#canvas()}
      </div>
      <span class="probe" aria-hidden="true">00000000000000000000</span>
      <div class="visually-hidden" role="status">${this.said}</div>
      <drop-menu .items=${CONTEXT_ITEMS} @pick=${this.#onPick}></drop-menu>`;
  }
}

customElements.define('sql-grid', SqlGrid);
