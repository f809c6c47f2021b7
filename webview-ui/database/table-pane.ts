import { html, LitElement, type TemplateResult } from 'lit';
import type { Table } from '../../src/protocol/catalog.ts';
import type { RowCount } from '../../src/protocol/database-view.ts';
import '../shared/cell-pane.ts';
import type { OpenCell } from '../shared/cell-pane.ts';
import { isCut } from '../shared/cells.ts';
import { countInWords } from '../shared/format.ts';
import '../shared/grid.ts';
import type { SqlGrid } from '../shared/grid.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import type { Spot } from '../shared/navigation.ts';
import { sqlText, sqlTheme } from '../shared/sql.ts';
import { theme } from '../shared/theme.ts';
import { tablePaneTheme } from './table-pane-theme.ts';
import type { ShownTable } from './tables.ts';

const KINDS: Record<Table['type'], string> = {
  table: 'table',
  view: 'view',
  virtual: 'virtual table',
  shadow: 'shadow table of a virtual table',
};

/** One table: its rows in a grid, or how it is defined. Fires `open-cell` and `close-cell`, and `show` with the tab. */
export class TablePane extends LitElement {
  static override properties = {
    table: { attribute: false },
    shown: { attribute: false },
    revision: { attribute: false },
    tab: {},
    openCell: { attribute: false },
  };
  static override styles = [theme, sqlTheme, tablePaneTheme];

  declare table: Table;
  declare shown: ShownTable;
  declare revision: number;
  declare tab: 'rows' | 'definition';
  declare openCell: OpenCell | null;

  constructor() {
    super();
    this.revision = 0;
    this.tab = 'rows';
    this.openCell = null;
  }

  /** The grid, where rows are shown. */
  get grid(): SqlGrid | null {
    return this.renderRoot.querySelector<SqlGrid>('sql-grid');
  }

  #show(tab: 'rows' | 'definition'): void {
    this.dispatchEvent(new CustomEvent('show', { detail: tab }));
  }

  #onTabKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = this.tab === 'rows' ? 'definition' : 'rows';
    this.#show(other);
    this.renderRoot.querySelector<HTMLElement>(`#tab-${other}`)?.focus();
  }

  #open({ detail: { row, column } }: CustomEvent<Spot>): void {
    const name = this.shown.columns[column]?.name;
    const cells = this.shown.pages.peek(row);
    if (name === undefined || cells === null) return;
    const cell = cells[column] ?? null;
    this.dispatchEvent(new CustomEvent('open-cell', { detail: { column: name, row, cell, isCut: isCut(cell) } }));
  }

  #tabButton(tab: 'rows' | 'definition', label: string): TemplateResult {
    const chosen = this.tab === tab;
    return html`<button
      id=${`tab-${tab}`}
      role="tab"
      aria-selected=${chosen}
      aria-controls="panel"
      tabindex=${chosen ? 0 : -1}
      @click=${() => this.#show(tab)}
    >
      ${label}
    </button>`;
  }

  #count(count: RowCount | null): TemplateResult {
    const words =
      count === null ? 'rows not counted' : `${count.exact ? '' : 'about '}${countInWords(count.rows, 'row')}`;
    const counting = this.shown.isCounting;
    const label = counting ? 'Stop counting' : count === null ? 'Count' : 'Count exactly';
    const button = html`<button class="link" @click=${() => this.shown.countRows()}>${label}</button>`;
    return html`<span class="count" role="status">${counting ? 'counting rows …' : words}</span>${
      count?.exact ? '' : button
    }`;
  }

  #header(): TemplateResult {
    const { name, type, strict, withoutRowid, columns, problem } = this.table;
    const words = [KINDS[type], strict ? 'strict' : '', withoutRowid ? 'without rowid' : ''].filter(Boolean).join(', ');
    return html`<header>
      <div class="title">
        <h1>${name}</h1>
        <p class="facts">
          <span>${words}</span>
          ${problem === null ? html`<span>${countInWords(columns.length, 'column')}</span>` : ''}
          ${problem === null && !this.shown.isLoading ? this.#count(this.shown.count) : ''}
        </p>
      </div>
      <div class="actions">
        <button class="quiet" title="Read the file again" aria-label="Reload" @click=${() => send(this, { type: 'reload' })}>
          ${icon('reload')}
        </button>
        <button class="primary" @click=${() => send(this, { type: 'ask' })}>${icon('answer')}Ask…</button>
      </div>
      <div role="tablist" aria-label="What is shown of the table" @keydown=${this.#onTabKey}>
        ${this.#tabButton('rows', 'Rows')}${this.#tabButton('definition', 'Definition')}
      </div>
    </header>`;
  }

  #problem(title: string, text: string, retry: boolean): TemplateResult {
    return html`<div class="problem" role="alert">
      ${icon('alert')}
      <div>
        <h2>${title}</h2>
        <p>${text}</p>
      </div>
      ${retry ? html`<button @click=${() => this.dispatchEvent(new CustomEvent('retry'))}>Try Again</button>` : ''}
    </div>`;
  }

  #definition(): TemplateResult {
    const { sql, indexes } = this.table;
    const list = indexes.map(({ name, unique, origin, columns, partial }) => {
      const kind = { c: unique ? 'unique index' : 'index', u: 'unique constraint', pk: 'primary key' }[origin];
      const of = columns.map((column) => column ?? '(expression)').join(', ');
      return html`<li><code>${name}</code> <span class="dim">${kind} on</span> ${of}${partial ? ' (partial)' : ''}</li>`;
    });
    return html`<div class="definition">
      ${
        sql === null
          ? html`<p class="dim">SQLite keeps no CREATE statement for it.</p>`
          : html`<pre class="sql" tabindex="0" aria-label="CREATE statement">${sqlText(sql)}</pre>`
      }
      ${list.length === 0 ? '' : html`<h2>Indexes</h2><ul>${list}</ul>`}
    </div>`;
  }

  #rows(): TemplateResult {
    const { error, columns, pages, isLoading, notes } = this.shown;
    if (this.table.problem !== null)
      return this.#problem(`This ${KINDS[this.table.type]} cannot be read`, this.table.problem, false);
    const problem = error === null ? '' : this.#problem('Rows could not be read', error.message, true);
    if (isLoading) return html`<p class="loading">Reading rows …</p>`;
    const grid = html`<sql-grid
      .columns=${columns}
      .pages=${pages}
      .revision=${this.revision}
      .emptyText=${`This ${KINDS[this.table.type]} has no rows.`}
      label=${`Rows of ${this.table.name}`}
      @open=${this.#open}
    ></sql-grid>`;
    return html`${problem}${notes.map((note) => html`<p class="note">${icon('info')}${note}</p>`)}${columns.length === 0 ? '' : grid}
    ${this.openCell === null ? '' : html`<cell-pane .open=${this.openCell}></cell-pane>`}`;
  }

  override render() {
    return html`${this.#header()}
      <section id="panel" role="tabpanel" aria-labelledby=${`tab-${this.tab}`}>
        ${this.tab === 'rows' ? this.#rows() : this.#definition()}
      </section>`;
  }
}

customElements.define('table-pane', TablePane);
