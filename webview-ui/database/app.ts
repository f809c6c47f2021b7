import { html, LitElement, type TemplateResult } from 'lit';
import * as z from 'zod/mini';
import type { Table } from '../../src/protocol/catalog.ts';
import {
  type DatabaseDown,
  type DatabaseState,
  type DatabaseUp,
  databaseChannel,
} from '../../src/protocol/database-view.ts';
import type { WireError } from '../../src/protocol/errors.ts';
import type { OpenCell } from '../shared/cell-pane.ts';
import { bytesInWords, countInWords } from '../shared/format.ts';
import { Host } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { theme } from '../shared/theme.ts';
import { appTheme } from './app-theme.ts';
import './table-pane.ts';
import type { TablePane } from './table-pane.ts';
import { ShownTable } from './tables.ts';
import './tree.ts';
import { firstTable } from './tree-model.ts';

/** What is found again after the view was hidden. */
const Memory = z.object({
  table: z.nullable(z.string()),
  tab: z.enum(['rows', 'definition']),
  toggled: z.array(z.string()),
  treeWidth: z.number(),
});
type Memory = z.infer<typeof Memory>;

const NARROWEST_TREE = 140;

/** The read-only editor of a database file: schema tree, rows of a table. */
export class DatabaseApp extends LitElement {
  static override properties = {
    state: { state: true },
    memory: { state: true },
    answers: { state: true },
    openCell: { state: true },
  };
  static override styles = [theme, appTheme];

  declare state: DatabaseState | null;
  declare memory: Memory;
  /** Grows with each answer. */
  declare answers: number;
  declare openCell: OpenCell | null;
  readonly #host = new Host<DatabaseUp, DatabaseDown>(databaseChannel);
  #shown: ShownTable | null = null;
  #toggled: ReadonlySet<string>;
  #requests = 0;
  #cellRequest = -1;

  constructor() {
    super();
    this.state = null;
    this.answers = 0;
    this.openCell = null;
    this.memory = this.#host.recall(Memory) ?? { table: null, tab: 'rows', toggled: [], treeWidth: 260 };
    this.#toggled = new Set(this.memory.toggled);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#host.listen((message) => this.#receive(message));
    this.addEventListener('send', (event) => this.#host.post((event as CustomEvent<DatabaseUp>).detail));
    this.#host.post({ type: 'ready' });
  }

  #remember(change: Partial<Memory>): void {
    this.memory = { ...this.memory, ...change };
    this.#host.remember(this.memory);
  }

  #receive(message: DatabaseDown): void {
    if (message.type === 'state') this.#takeState(message.state);
    else if (message.type === 'reveal') this.#reveal(message.table);
    else if (message.type === 'cell') this.#takeCell(message.request, message.cell);
    else if (!this.#shown?.take(message)) return;
    this.answers += 1;
  }

  #takeState(state: DatabaseState): void {
    const isNew = state.revision !== this.state?.revision || (this.state.catalog === null) !== (state.catalog === null);
    this.state = state;
    if (state.catalog === null || !isNew) return;
    const known = state.catalog.tables.some(({ name }) => name === this.memory.table);
    this.#shown = null;
    const table = known ? this.memory.table : firstTable(state.catalog);
    if (table !== null) this.#showTable(table);
  }

  #takeCell(request: number, cell: OpenCell['cell']): void {
    if (request === this.#cellRequest && this.openCell !== null) this.openCell = { ...this.openCell, cell };
  }

  #reveal(name: string): void {
    // Before the schema is there, it is shown when the schema comes.
    if (this.state?.catalog) this.#showTable(name);
    else this.#remember({ table: name });
  }

  #showTable(name: string): void {
    const table = this.#tableOf(name);
    if (table === null || this.#shown?.name === name) return;
    this.openCell = null;
    this.#shown = new ShownTable(
      name,
      (message) => this.#host.post(message),
      () => this.#nextRequest(),
    );
    if (table.problem === null) this.#shown.pages.ask(0);
    this.#remember({ table: name });
  }

  #nextRequest(): number {
    this.#requests += 1;
    return this.#requests;
  }

  #tableOf(name: string | null): Table | null {
    return this.state?.catalog?.tables.find((table) => table.name === name) ?? null;
  }

  #onOpenCell({ detail }: CustomEvent<OpenCell & { isCut: boolean }>): void {
    const { column, row, cell, isCut } = detail;
    this.openCell = { column, row, cell };
    if (!isCut || this.#shown === null) return;
    this.#cellRequest = this.#nextRequest();
    this.#host.post({ type: 'cell', request: this.#cellRequest, table: this.#shown.name, column, row });
  }

  #onCloseCell(): void {
    this.openCell = null;
    this.renderRoot.querySelector<TablePane>('table-pane')?.grid?.focus();
  }

  #onSash(event: PointerEvent): void {
    const sash = event.currentTarget;
    if (!(sash instanceof HTMLElement)) return;
    sash.setPointerCapture(event.pointerId);
    sash.onpointermove = ({ clientX }) => this.#resizeTree(clientX);
    sash.onlostpointercapture = () => {
      sash.onpointermove = null;
    };
  }

  #onSashKey({ key }: KeyboardEvent): void {
    if (key === 'ArrowLeft') this.#resizeTree(this.memory.treeWidth - 16);
    if (key === 'ArrowRight') this.#resizeTree(this.memory.treeWidth + 16);
  }

  #resizeTree(width: number): void {
    const widest = Math.max(NARROWEST_TREE, this.clientWidth * 0.7);
    this.#remember({ treeWidth: Math.round(Math.max(NARROWEST_TREE, Math.min(widest, width))) });
  }

  #problem({ message, code }: WireError): TemplateResult {
    return html`<main class="problem" role="alert">
      ${icon('alert')}
      <h1>This file cannot be shown</h1>
      <p>${message}</p>
      <div class="buttons">
        <button class="primary" @click=${() => this.#host.post({ type: 'reload' })}>Try Again</button>
        <button @click=${() => this.#host.post({ type: 'reopenWith' })}>Open With…</button>
        <button @click=${() => this.#host.post({ type: 'showLog' })}>Show Log</button>
      </div>
      <p class="dim code">${code}</p>
    </main>`;
  }

  #changed(): TemplateResult {
    return html`<div class="changed" role="status">
      ${icon('info')}<span>The file changed on disk since it was read.</span>
      <button @click=${() => this.#host.post({ type: 'reload' })}>${icon('reload')}Reload</button>
    </div>`;
  }

  #status({ file, catalog }: DatabaseState): TemplateResult {
    const tables = catalog?.tables.filter(({ type }) => type === 'table' || type === 'virtual').length ?? 0;
    const views = catalog?.tables.filter(({ type }) => type === 'view').length ?? 0;
    return html`<footer>
      <span title=${`${file.folder}/${file.name}`}>${file.folder}/${file.name}</span>
      <span>${file.bytes === null ? '' : bytesInWords(file.bytes)}</span>
      <span>${countInWords(tables, 'table')}${views === 0 ? '' : `, ${countInWords(views, 'view')}`}</span>
      <span>read-only</span>
    </footer>`;
  }

  #pane(): TemplateResult {
    const table = this.#tableOf(this.memory.table);
    if (table === null || this.#shown === null)
      return html`<div class="empty">
        ${icon('database')}
        <h1>An empty database</h1>
        <p class="dim">It has no tables and no views. When a program has written some, reload.</p>
        <button @click=${() => this.#host.post({ type: 'reload' })}>${icon('reload')}Reload</button>
      </div>`;
    return html`<table-pane
      .table=${table}
      .shown=${this.#shown}
      .revision=${this.#shown.revision}
      .tick=${this.answers}
      .tab=${this.memory.tab}
      .openCell=${this.openCell}
      @show=${({ detail: tab }: CustomEvent<Memory['tab']>) => this.#remember({ tab })}
      @open-cell=${this.#onOpenCell}
      @close-cell=${this.#onCloseCell}
      @retry=${() => {
        this.#shown?.retry();
        this.answers += 1;
      }}
    ></table-pane>`;
  }

  override render() {
    const { state } = this;
    if (state === null) return html``;
    if (state.problem !== null) return this.#problem(state.problem);
    if (state.catalog === null) return html`<p class="loading">Reading the schema …</p>`;
    return html`${state.changed ? this.#changed() : ''}
      <main .style=${`--tree-width:${this.memory.treeWidth}px`}>
        <schema-tree
          .catalog=${state.catalog}
          .shown=${this.memory.table}
          .toggled=${this.#toggled}
          @pick=${({ detail }: CustomEvent<string>) => this.#showTable(detail)}
          @toggle-node=${({ detail }: CustomEvent<ReadonlySet<string>>) => {
            this.#toggled = detail;
            this.#remember({ toggled: [...detail] });
          }}
        ></schema-tree>
        <div
          class="sash"
          role="separator"
          tabindex="0"
          aria-orientation="vertical"
          aria-label="Width of the schema tree"
          aria-valuenow=${this.memory.treeWidth}
          @pointerdown=${this.#onSash}
          @keydown=${this.#onSashKey}
        ></div>
        ${this.#pane()}
      </main>
      ${this.#status(state)}`;
  }
}

customElements.define('database-app', DatabaseApp);
