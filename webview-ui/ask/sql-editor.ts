import { css, html, LitElement } from 'lit';
import type { Position } from '../../src/protocol/query.ts';
import { sqlText, sqlTheme } from '../shared/sql.ts';
import { theme } from '../shared/theme.ts';

/** SQL that can be edited, in colours. Fires `edit` with the text, and `run` on Ctrl+Enter or Cmd+Enter. */
export class SqlEditor extends LitElement {
  static override properties = {
    value: {},
    /** What the SQL is, for screen readers. */
    label: {},
    placeholder: {},
    error: { attribute: false },
    /** A place that is pointed at; null: none. */
    marked: { attribute: false },
  };
  static override styles = [
    theme,
    sqlTheme,
    css`
      :host {
        display: grid;
        min-width: 0;
        border: 1px solid var(--vscode-input-border, var(--line));
        border-radius: 4px;
        background: var(--vscode-input-background);
      }
      :host(:focus-within) {
        border-color: var(--vscode-focusBorder);
      }
      pre,
      textarea {
        grid-area: 1 / 1;
        margin: 0;
        padding: 8px 10px;
        border: none;
        font-family: var(--code-font);
        font-size: var(--code-size);
        line-height: 1.5;
        letter-spacing: normal;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        tab-size: 2;
      }
      /* A last empty line has no height of its own. */
      pre::after {
        content: '\\200b';
      }
      textarea {
        width: 100%;
        height: 100%;
        resize: none;
        overflow: hidden;
        outline: none;
        color: transparent;
        caret-color: var(--vscode-editorCursor-foreground, var(--vscode-foreground));
        background: transparent;
      }
      .sql .keyword {
        /* Bold letters may be wider: the caret must stand where the letter is. */
        font-weight: inherit;
      }
    `,
  ];

  declare value: string;
  declare label: string;
  declare placeholder: string;
  declare error: Position | null;
  declare marked: Position | null;

  constructor() {
    super();
    this.value = '';
    this.label = 'SQL';
    this.placeholder = '';
    this.error = null;
    this.marked = null;
  }

  override focus(): void {
    this.renderRoot.querySelector('textarea')?.focus();
  }

  #onInput({ target }: Event): void {
    if (!(target instanceof HTMLTextAreaElement)) return;
    this.value = target.value;
    this.error = null;
    this.marked = null;
    this.dispatchEvent(new CustomEvent('edit', { detail: this.value }));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('run', { detail: this.value }));
  }

  override render() {
    return html`<pre class="sql" aria-hidden="true">${sqlText(this.value, this.error, this.marked)}</pre>
      <textarea
        aria-label=${this.label}
        placeholder=${this.placeholder}
        spellcheck="false"
        autocomplete="off"
        .value=${this.value}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
      ></textarea>`;
  }
}

customElements.define('sql-editor', SqlEditor);
