import { css, html, LitElement, type PropertyValues } from 'lit';
import type { QueryOutcome, ResultTable } from '../../src/protocol/ask-panel.ts';
import '../shared/cell-pane.ts';
import type { OpenCell } from '../shared/cell-pane.ts';
import { isCut } from '../shared/cells.ts';
import { spanInWords } from '../shared/format.ts';
import '../shared/grid.ts';
import type { SqlGrid } from '../shared/grid.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import '../shared/menu.ts';
import type { Spot } from '../shared/navigation.ts';
import { theme } from '../shared/theme.ts';
import type { ResultTables } from './result-tables.ts';
import { rowsOf, statusInWords } from './words.ts';

/** Rows that are seen without scrolling the grid. */
const SEEN_ROWS = 12;
const COPY_ITEMS = [
  { id: 'csv', label: 'Copy as CSV' },
  { id: 'tsv', label: 'Copy as TSV (for spreadsheets)' },
  { id: 'json', label: 'Copy as JSON' },
];

/** What a query gave: its rows, or why there are none. */
export class AskOutcome extends LitElement {
  static override properties = {
    outcome: { attribute: false },
    tables: { attribute: false },
    revision: { attribute: false },
    label: {},
    /** What is said above why there are no rows, where the usual words do not fit. */
    failure: {},
    /** What is said of the number of rows, where the usual words do not fit. */
    size: {},
    emptyText: { attribute: false },
    open: { state: true },
  };
  static override styles = [
    theme,
    css`
      :host {
        display: block;
        min-width: 0;
      }
      cell-pane {
        max-height: 260px;
      }
      .grid {
        overflow: hidden;
        border: 1px solid var(--line);
        border-radius: 6px;
      }
      .bar {
        display: flex;
        align-items: center;
        gap: 10px;
        min-height: 28px;
        color: var(--dim);
      }
      drop-menu {
        margin-inline-start: auto;
      }
      .failed {
        display: grid;
        grid-template-columns: 16px 1fr;
        gap: 2px 8px;
        padding: 10px 12px;
        border: 1px solid var(--vscode-inputValidation-errorBorder, var(--bad));
        border-radius: 6px;
        background: color-mix(in srgb, var(--bad) 8%, transparent);
        line-height: 1.5;
      }
      .failed svg.icon {
        margin-top: 2px;
        color: var(--bad);
      }
      .failed.stopped {
        border-color: var(--line);
        background: none;
      }
      .failed.stopped svg.icon {
        color: var(--dim);
      }
      .failed strong {
        font-weight: 600;
      }
      .failed p {
        grid-column: 2;
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare outcome: QueryOutcome;
  declare tables: ResultTables;
  declare revision: number;
  declare label: string;
  declare failure: string;
  declare size: string;
  declare emptyText: string;
  /** The cell that is shown whole. */
  declare open: OpenCell | null;

  constructor() {
    super();
    this.revision = 0;
    this.label = 'Result';
    this.failure = '';
    this.size = '';
    this.emptyText = 'The query ran and gave no rows.';
    this.open = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('outcome') && changed.get('outcome')?.table?.id !== this.outcome.table?.id) this.open = null;
  }

  #onOpen(table: ResultTable, { row, column }: Spot): void {
    const cell = this.tables.pagesOf(table).peek(row)?.[column];
    const name = table.columns[column]?.name;
    if (cell === undefined || name === undefined) return;
    const opened: OpenCell = { column: name, row, cell };
    this.open = opened;
    if (!isCut(cell)) return;
    this.tables.cellOf(table, row, column, (whole) => {
      if (this.open === opened) this.open = { ...opened, cell: whole };
    });
  }

  #onClose(): void {
    this.open = null;
    this.renderRoot.querySelector<SqlGrid>('sql-grid')?.focus();
  }

  #failed() {
    const { status, message, position } = this.outcome;
    const at = position === null ? '' : ` (line ${position.line}, column ${position.column})`;
    // What the user stopped is no fault.
    const isStopped = status === 'cancelled';
    return html`<div class=${isStopped ? 'failed stopped' : 'failed'}>
      ${icon(isStopped ? 'stop' : 'error')}<strong>${this.failure || statusInWords(status)}</strong>
      <p>${message ?? 'No reason is known.'}${at}</p>
    </div>`;
  }

  #table(table: ResultTable) {
    return html`<div class="grid">
      <sql-grid
        seen-rows=${SEEN_ROWS}
        .columns=${table.columns}
        .pages=${this.tables.pagesOf(table)}
        .revision=${this.revision}
        .emptyText=${this.emptyText}
        .label=${this.label}
        @open=${({ detail }: CustomEvent<Spot>) => this.#onOpen(table, detail)}
      ></sql-grid>
      ${this.open === null ? '' : html`<cell-pane .open=${this.open} @close-cell=${this.#onClose}></cell-pane>`}
    </div>`;
  }

  override render() {
    const { outcome } = this;
    if (outcome.status !== 'ok' || outcome.table === null) return this.#failed();
    const { table } = outcome;
    const copy = ({ detail: format }: CustomEvent<'csv' | 'tsv' | 'json'>) =>
      send(this, { type: 'copyTable', table: table.id, format });
    return html`${this.#table(table)}
      <div class="bar">
        <span>${this.size || rowsOf(outcome)}</span>
        <span>${outcome.ms === null ? '' : spanInWords(outcome.ms)}</span>
        <drop-menu label="Copy" icon="copy" .items=${COPY_ITEMS} @pick=${copy}></drop-menu>
      </div>`;
  }
}

customElements.define('ask-outcome', AskOutcome);
