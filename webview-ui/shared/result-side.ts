import { css, html, LitElement, type TemplateResult } from 'lit';
import type { QueryOutcome, ResultTable } from '../../src/protocol/ask-panel.ts';
import type { Position } from '../../src/protocol/query.ts';
import type { ResultSide } from '../../src/protocol/result-side.ts';
import '../ask/result.ts';
import type { ResultTables } from '../ask/result-tables.ts';
import { countInWords } from './format.ts';
import { send } from './host.ts';
import { icon } from './icons.ts';
import { sqlText, sqlTheme } from './sql.ts';
import { theme } from './theme.ts';

/** Characters of a query that are written out: a page takes seconds to lay out a megabyte in one piece. */
const MOST_SQL = 20_000;

const restOf = (sql: string) =>
  `and ${countInWords(sql.length - MOST_SQL, 'more character')}: the query is whole where it is opened or copied`;

/**
 * A query and what it gave, one of some that stand side by side: name, SQL and result are rows of the grid that the
 * element stands in, so that results begin at the same height.
 */
export class SideView extends LitElement {
  static override properties = {
    label: {},
    /** What the query is, behind its name. */
    about: {},
    side: { attribute: false },
    /** A place in the SQL that is pointed at; null: none. */
    marked: { attribute: false },
    tables: { attribute: false },
    revision: { attribute: false },
    /** Rows that differ are shown alone. */
    differing: { type: Boolean },
  };
  static override styles = [
    theme,
    sqlTheme,
    css`
      :host {
        display: grid;
        grid-row: span 3;
        grid-template-rows: subgrid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0;
        min-width: 0;
      }
      header {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 28px;
      }
      h2 {
        font-weight: 600;
        white-space: nowrap;
      }
      .about {
        flex: 1 1 0;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .tools {
        display: flex;
        margin-inline-start: auto;
      }
      pre {
        max-height: 220px;
        overflow: auto;
        padding: 8px 12px;
        border: 1px solid var(--contrast);
        border-radius: 6px;
        background: var(--vscode-textCodeBlock-background, var(--faint));
        user-select: text;
      }
      .none {
        padding: 8px 12px;
        border: 1px dashed var(--line);
        border-radius: 6px;
        color: var(--dim);
      }
      .result {
        padding-top: 8px;
        min-width: 0;
      }
    `,
  ];

  declare label: string;
  declare about: string;
  declare side: ResultSide;
  declare marked: Position | null;
  declare tables: ResultTables;
  declare revision: number;
  declare differing: boolean;

  constructor() {
    super();
    this.label = '';
    this.about = '';
    this.marked = null;
    this.revision = 0;
    this.differing = false;
  }

  /** Brings the place that is pointed at into sight. */
  async reveal(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector('.marked')?.scrollIntoView({ block: 'center' });
  }

  #tools(sql: string): TemplateResult {
    return html`<div class="tools">
      <button
        class="quiet"
        title="Open as Editor"
        aria-label=${`Open ${this.label} as Editor`}
        @click=${() => send(this, { type: 'openSql', sql })}
      >
        ${icon('file')}
      </button>
      <button
        class="quiet"
        title="Copy SQL"
        aria-label=${`Copy SQL of ${this.label}`}
        @click=${() => send(this, { type: 'copyText', text: sql })}
      >
        ${icon('copy')}
      </button>
    </div>`;
  }

  /** The outcome with the rows that are shown, and their number in words; '' for the usual ones. */
  #shown(outcome: QueryOutcome, all: ResultTable | null): { outcome: QueryOutcome; size: string } {
    const { differing } = this.side;
    if (!this.differing || differing === null || all === null) return { outcome, size: '' };
    const size = `${countInWords(differing.rows, 'row')} of ${all.rows.toLocaleString('en-US')} differ`;
    return { outcome: { ...outcome, table: differing }, size };
  }

  #result(): TemplateResult | '' {
    const { outcome, sql } = this.side;
    if (outcome === null) return sql === null ? '' : html`<slot></slot>`;
    const { outcome: shown, size } = this.#shown(outcome, outcome.table);
    return html`<ask-outcome
      label=${`Rows of ${this.label}`}
      size=${size}
      .emptyText=${size === '' ? 'The query ran and gave no rows.' : 'No row of this result differs.'}
      .outcome=${shown}
      .tables=${this.tables}
      .revision=${this.revision}
    ></ask-outcome>`;
  }

  override render() {
    const { sql, outcome } = this.side;
    return html`<header>
        <h2>${this.label}</h2>
        <span class="about dim" title=${this.about}>${this.about}</span>
        ${sql === null ? '' : this.#tools(sql)}
      </header>
      ${
        sql === null
          ? html`<p class="none">There is no SQL.</p>`
          : html`<pre class="sql" tabindex="0" aria-label=${`SQL of ${this.label}`}>${sqlText(sql.slice(0, MOST_SQL), outcome?.position ?? null, this.marked)}</pre>`
      }
      <div class="result">
        ${sql === null || sql.length <= MOST_SQL ? '' : html`<p class="dim">${restOf(sql)}</p>`} ${this.#result()}
      </div>`;
  }
}

customElements.define('side-view', SideView);

/** Sides that stand beside each other where there is room, else below each other. */
export const sidesTheme = css`
  .sides {
    display: grid;
    grid-auto-flow: column;
    grid-auto-columns: minmax(0, 1fr);
    grid-template-rows: auto auto auto;
    gap: 2px 16px;
  }
  .pending {
    padding: 10px 0;
    color: var(--dim);
  }
`;
