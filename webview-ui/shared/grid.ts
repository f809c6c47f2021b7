import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { GridColumn } from '../../src/protocol/grid.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { kindOf, viewOf } from './cells.ts';
import { copySelection } from './grid-copy.ts';
import { gridTheme, HEAD_HEIGHT, PLAIN_HEAD_HEIGHT, ROW_HEIGHT } from './grid-theme.ts';
import { send } from './host.ts';
import { columnWidths, offsetsOf, scrollTo, visibleColumns, visibleRows } from './layout.ts';
import './menu.ts';
import type { DropMenu } from './menu.ts';
import { boundsOf, isSelected, move, type Selection, type Spot } from './navigation.ts';
import { PAGE_ROWS, Pages } from './pages.ts';
import { theme } from './theme.ts';

/** Space left and right of a cell's text, with its border. */
const CELL_PADDING = 17;
/** Rows that decide the widths of columns. */
const MEASURED_ROWS = 100;
const CONTEXT_ITEMS = [
  { id: 'cell', label: 'Copy', keys: 'Ctrl+C' },
  { id: 'header', label: 'Copy with Header', keys: 'Ctrl+Shift+C' },
  { id: 'row', label: 'Copy Row' },
  { id: 'open', label: 'Show Whole Value', keys: 'Enter' },
];

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

  #selection: Selection = { anchor: { row: 0, column: 0 }, cursor: { row: 0, column: 0 } };
  #widths: number[] | null = null;
  #character = 7.5;
  #dragging = false;
  readonly #resized = new ResizeObserver(() => this.requestUpdate());

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

  /** The cell of the cursor. */
  get cursor(): Spot {
    return this.#selection.cursor;
  }

  /** How far the grid is scrolled, so that it can be found there again. */
  get scrolled(): { top: number; left: number } {
    const { scrollTop = 0, scrollLeft = 0 } = this.#scroller ?? {};
    return { top: scrollTop, left: scrollLeft };
  }

  /** The head's height: of one line where no column has a type. */
  get #headHeight(): number {
    return this.columns.some(({ declared }) => declared) ? HEAD_HEIGHT : PLAIN_HEAD_HEIGHT;
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

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('pages') || changed.has('columns')) {
      this.#widths = null;
      if (changed.has('pages')) this.#selection = { anchor: { row: 0, column: 0 }, cursor: { row: 0, column: 0 } };
    }
    if (this.#widths === null && this.columns.length > 0) this.#widths = this.#measured();
  }

  protected override firstUpdated(): void {
    const scroller = this.#scroller;
    if (scroller !== null) this.#resized.observe(scroller);
    const probe = this.renderRoot.querySelector('.probe');
    const width = probe === null ? 0 : probe.getBoundingClientRect().width / 20;
    if (width > 0 && width !== this.#character) {
      this.#character = width;
      this.#widths = null;
      this.requestUpdate();
    }
  }

  #measured(): number[] | null {
    const rows: JsonCell[][] = [];
    for (let index = 0; index < Math.min(MEASURED_ROWS, PAGE_ROWS); index += 1) {
      const row = this.pages.peek(index);
      if (row !== null) rows.push(row);
    }
    if (rows.length === 0 && this.pages.length > 0) return null;
    return columnWidths(this.columns, rows).map((width) => Math.ceil(width * this.#character) + CELL_PADDING);
  }

  get #numberWidth(): number {
    const digits = Math.max(2, String(this.pages.length).length);
    return Math.ceil(digits * this.#character) + CELL_PADDING;
  }

  #select(selection: Selection): void {
    this.#selection = selection;
    const scroller = this.#scroller;
    if (scroller !== null) {
      const { row, column } = selection.cursor;
      const offsets = offsetsOf(this.#widths ?? []);
      const top = row * ROW_HEIGHT;
      const seen = scroller.clientHeight - this.#headHeight;
      scroller.scrollTop = scrollTo(top, top + ROW_HEIGHT, scroller.scrollTop, seen);
      const wide = scroller.clientWidth - this.#numberWidth;
      scroller.scrollLeft = scrollTo(offsets[column] ?? 0, offsets[column + 1] ?? 0, scroller.scrollLeft, wide);
    }
    this.requestUpdate();
  }

  #onKey(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      this.#open();
      return;
    }
    if (command && event.shiftKey && event.key.toLowerCase() === 'c') {
      event.preventDefault();
      this.#copy(true);
      return;
    }
    if (event.key === 'ContextMenu' || (event.shiftKey && event.key === 'F10')) {
      event.preventDefault();
      const { left = 0, bottom = 0 } = this.renderRoot.querySelector('.cursor')?.getBoundingClientRect() ?? {};
      this.#menuAt(left, bottom);
      return;
    }
    const page = Math.max(1, Math.floor(((this.#scroller?.clientHeight ?? 0) - this.#headHeight) / ROW_HEIGHT) - 1);
    const size = { rows: this.pages.length, columns: this.columns.length, page };
    const to = move(this.#selection, { key: event.key, shift: event.shiftKey, command }, size);
    if (to === null || event.altKey) return;
    event.preventDefault();
    this.#select(to);
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
    const last = this.columns.length - 1;
    const start = wholeRow ? { row: spot.row, column: 0 } : spot;
    const end = wholeRow ? { row: spot.row, column: last } : spot;
    if (event.button !== 0 && isSelected(this.#selection, start.row, start.column)) return;
    this.#select({ anchor: event.shiftKey ? this.#selection.anchor : start, cursor: end });
    this.#dragging = event.button === 0 && !wholeRow;
  }

  #onPointerMove(event: PointerEvent): void {
    if (!this.#dragging || (event.buttons & 1) === 0) {
      this.#dragging = false;
      return;
    }
    const spot = this.#spotOf(event);
    if (spot !== null && spot.column >= 0) this.#select({ anchor: this.#selection.anchor, cursor: spot });
  }

  #onContextMenu(event: MouseEvent): void {
    event.preventDefault();
    event.stopPropagation();
    this.#menuAt(event.clientX, event.clientY);
  }

  #menuAt(x: number, y: number): void {
    const from = this.#scroller;
    if (from !== null && this.pages.length > 0)
      this.renderRoot.querySelector<DropMenu>('drop-menu')?.openAt(x, y, from);
  }

  #onPick({ detail }: CustomEvent<string>): void {
    if (detail === 'open') this.#open();
    else if (detail === 'row') {
      const { top, bottom } = boundsOf(this.#selection);
      const last = this.columns.length - 1;
      this.#select({ anchor: { row: top, column: 0 }, cursor: { row: bottom, column: last } });
      this.#copy(false);
    } else this.#copy(detail === 'header');
  }

  #open(): void {
    this.dispatchEvent(new CustomEvent('open', { detail: this.#selection.cursor }));
  }

  /** Copies by the host, which needs no permission of the browser. */
  #copy(withHeader: boolean): void {
    const copied = copySelection(this.#selection, this.columns, this.pages, withHeader);
    if (copied === null) return;
    send(this, { type: 'copyText', text: copied.text });
    this.#sayCopied(copied.said);
  }

  /** The browser's own copy (keys, the Edit menu). */
  #onCopy(event: ClipboardEvent): void {
    event.preventDefault();
    this.#copy(false);
  }

  #sayCopied(said: string): void {
    this.said = said;
    const scroller = this.#scroller;
    scroller?.classList.add('copied');
    setTimeout(() => scroller?.classList.remove('copied'), 160);
  }

  #startResize(event: PointerEvent, column: number): void {
    event.preventDefault();
    event.stopPropagation();
    const grip = event.currentTarget;
    const widths = this.#widths;
    if (!(grip instanceof HTMLElement) || widths === null) return;
    const from = event.clientX - (widths[column] ?? 0);
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = ({ clientX }) => {
      widths[column] = Math.max(32, clientX - from);
      this.requestUpdate();
    };
    grip.onlostpointercapture = () => {
      grip.onpointermove = null;
    };
  }

  #fit(column: number): void {
    const [width] = this.#measured()?.slice(column, column + 1) ?? [];
    if (this.#widths === null || width === undefined) return;
    this.#widths[column] = width;
    this.requestUpdate();
  }

  #header(index: number, left: number, width: number): TemplateResult {
    const column = this.columns[index];
    const current = this.#selection.cursor.column === index ? 'current' : '';
    return html`<div
      class="column ${current}"
      role="columnheader"
      aria-colindex=${index + 2}
      title=${`${column?.name ?? ''}${column?.declared ? `  ${column.declared}` : ''}`}
      .style=${`left:${left}px;width:${width}px`}
    >
      <div class="name">${column?.name ?? ''}</div>
      ${this.#headHeight === HEAD_HEIGHT ? html`<div class="type">${column?.declared ?? ''}</div>` : ''}
      <div
        class="grip"
        @pointerdown=${(event: PointerEvent) => this.#startResize(event, index)}
        @dblclick=${() => this.#fit(index)}
      ></div>
    </div>`;
  }

  #cell(cell: JsonCell, row: number, column: number, left: number, width: number): TemplateResult {
    const { text, look, flag } = viewOf(cell);
    const { cursor } = this.#selection;
    const isCursor = cursor.row === row && cursor.column === column;
    const selected = isSelected(this.#selection, row, column);
    const special = look === 'empty' || flag !== null ? kindOf(cell) : nothing;
    return html`<div
      id=${`cell-${row}-${column}`}
      class="cell ${look}-look ${selected ? 'selected' : ''} ${isCursor ? 'cursor' : ''}"
      role="gridcell"
      aria-colindex=${column + 2}
      aria-selected=${selected}
      aria-description=${special}
      data-row=${row}
      data-column=${column}
      .style=${`left:${left}px;width:${width}px`}
      >${look === 'empty' ? html`<span aria-hidden="true">''</span>` : text}${
        flag === null ? '' : html`<span class="flag">${flag}</span>`
      }</div
    >`;
  }

  #row(index: number, columns: { index: number; left: number; width: number }[], width: number): TemplateResult {
    const row = this.pages.row(index);
    const cells =
      row === null
        ? html`<div class="cell waiting" role="gridcell" .style=${`left:${this.#numberWidth}px`}>…</div>`
        : columns.map((column) =>
            this.#cell(row[column.index] ?? null, index, column.index, column.left, column.width),
          );
    return html`<div
      class="row"
      role="row"
      aria-rowindex=${index + 2}
      .style=${`top:${index * ROW_HEIGHT}px;width:${width}px`}
    >
      <div
        class="number ${index === this.#selection.cursor.row ? 'current' : ''}"
        role="rowheader"
        aria-colindex="1"
        data-row=${index}
        .style=${`width:${this.#numberWidth}px`}
      >
        ${index + 1}
      </div>
      ${cells}
    </div>`;
  }

  override render() {
    const scroller = this.#scroller;
    const widths = this.#widths ?? this.columns.map(() => 120);
    const offsets = offsetsOf(widths);
    const numberWidth = this.#numberWidth;
    const headHeight = this.#headHeight;
    // As high as its rows: 12 pixels more leave room for a horizontal scroll bar.
    const most = headHeight + this.seenRows * ROW_HEIGHT + 12;
    const [left, top] = [scroller?.scrollLeft ?? 0, scroller?.scrollTop ?? 0];
    const [seenWidth, seenHeight] = [scroller?.clientWidth || 1200, scroller?.clientHeight || 600];
    const columnRange = visibleColumns(offsets, left, left + seenWidth);
    const rowRange = visibleRows(top, top + seenHeight, ROW_HEIGHT, this.pages.length);
    const columns = Array.from({ length: columnRange.end - columnRange.first }, (_, step) => {
      const index = columnRange.first + step;
      return { index, left: (offsets[index] ?? 0) + numberWidth, width: widths[index] ?? 0 };
    });
    const width = (offsets.at(-1) ?? 0) + numberWidth;
    const rows = Array.from({ length: rowRange.end - rowRange.first }, (_, step) =>
      this.#row(rowRange.first + step, columns, width),
    );
    const { row, column } = this.#selection.cursor;
    const active = this.pages.peek(row) === null ? nothing : `cell-${row}-${column}`;
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
        <div class="canvas" .style=${`width:${width}px`}>
          <div class="head" role="row" aria-rowindex="1" .style=${`height:${headHeight}px`}>
            <div class="corner" role="columnheader" aria-colindex="1" .style=${`width:${numberWidth}px`}>
              <span class="visually-hidden">Row</span>
            </div>
            ${columns.map((each) => this.#header(each.index, each.left, each.width))}
          </div>
          <div role="rowgroup" .style=${`position:relative;height:${this.pages.length * ROW_HEIGHT}px`}>${rows}</div>
          ${this.pages.length === 0 && this.pages.isEndKnown ? html`<p class="nothing">${this.emptyText}</p>` : ''}
        </div>
      </div>
      <span class="probe" aria-hidden="true">00000000000000000000</span>
      <div class="visually-hidden" role="status">${this.said}</div>
      <drop-menu .items=${CONTEXT_ITEMS} @pick=${this.#onPick}></drop-menu>`;
  }
}

customElements.define('sql-grid', SqlGrid);
