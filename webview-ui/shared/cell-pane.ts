import { css, html, LitElement } from 'lit';
import { cellText } from '../../src/protocol/cell-text.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { kindOf } from './cells.ts';
import { countInWords } from './format.ts';
import { send } from './host.ts';
import { icon } from './icons.ts';
import { theme } from './theme.ts';

/** The cell that is shown whole. */
export interface OpenCell {
  column: string;
  row: number;
  cell: JsonCell;
}

const BYTES_A_LINE = 16;
/** Bytes of a blob that are shown. */
const DUMPED = 4096;

/** Bytes as people read them: offset, hexadecimal, characters. */
function dump(hex: string): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(hex.length, DUMPED * 2); at += BYTES_A_LINE * 2) {
    const bytes = hex.slice(at, at + BYTES_A_LINE * 2).match(/../g) ?? [];
    const characters = bytes.map((byte) => {
      const code = Number.parseInt(byte, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : '·';
    });
    const offset = (at / 2).toString(16).padStart(6, '0');
    lines.push(`${offset}  ${bytes.join(' ').padEnd(BYTES_A_LINE * 3 - 1)}  ${characters.join('')}`);
  }
  if (hex.length > DUMPED * 2) lines.push(`… ${countInWords(hex.length / 2 - DUMPED, 'byte')} more`);
  return lines.join('\n');
}

function wholeText(cell: JsonCell): string {
  if (cell !== null && typeof cell === 'object' && 'hex' in cell) return dump(cell.hex);
  return cellText(cell) ?? 'NULL';
}

/** One cell, whole. Fires `close-cell`. */
export class CellPane extends LitElement {
  static override properties = { open: { attribute: false } };
  static override styles = [
    theme,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        border-top: 1px solid var(--line);
        background: var(--vscode-panel-background, var(--vscode-editor-background));
      }
      header {
        display: flex;
        align-items: center;
        gap: 10px;
        padding: 4px 8px 4px 14px;
      }
      h2 {
        font-weight: 600;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .dim {
        flex: 1;
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      pre {
        flex: 1;
        min-height: 0;
        margin: 0;
        padding: 2px 14px 12px;
        overflow: auto;
        font-family: var(--code-font);
        font-size: var(--code-size);
        line-height: 1.5;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        user-select: text;
      }
      pre.none {
        color: var(--dim);
        font-style: italic;
      }
    `,
  ];

  declare open: OpenCell;

  /** Puts the focus on the value. */
  override focus(): void {
    this.renderRoot.querySelector('pre')?.focus();
  }

  #close(): void {
    this.dispatchEvent(new CustomEvent('close-cell', { bubbles: true, composed: true }));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#close();
  }

  override render() {
    const { column, row, cell } = this.open;
    const none = cell === null || cell === '';
    return html`<header @keydown=${this.#onKey}>
        <h2>${column}</h2>
        <span class="dim">row ${row + 1} · ${kindOf(cell)}</span>
        <button
          class="quiet"
          title="Copy the value"
          aria-label="Copy the value"
          @click=${() => send(this, { type: 'copyText', text: cellText(cell) ?? 'NULL' })}
        >
          ${icon('copy')}
        </button>
        <button class="quiet" title="Close (Escape)" aria-label="Close the value" @click=${this.#close}>
          ${icon('close')}
        </button>
      </header>
      <pre class=${none ? 'none' : ''} tabindex="0" aria-label=${`Value of ${column}`} @keydown=${this.#onKey}>${
        cell === '' ? 'empty text' : wholeText(cell)
      }</pre>`;
  }
}

customElements.define('cell-pane', CellPane);
