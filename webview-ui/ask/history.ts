import { css, html, LitElement } from 'lit';
import type { HistoryItem } from '../../src/protocol/ask-panel.ts';
import { agoInWords, countInWords } from '../shared/format.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { theme } from '../shared/theme.ts';

/** Questions asked before, newest first. Fires `pick` with one, and `close-history` on Escape. */
export class AskHistory extends LitElement {
  static override properties = { items: { attribute: false } };
  static override styles = [
    theme,
    css`
      ul {
        margin: 0;
        padding: 4px;
        max-height: 260px;
        overflow: auto;
        list-style: none;
      }
      li {
        display: flex;
        align-items: center;
        border-radius: 4px;
      }
      li:hover {
        background: var(--vscode-list-hoverBackground);
      }
      .pick {
        flex: 1;
        min-width: 0;
        justify-content: flex-start;
        gap: 10px;
        padding: 3px 8px;
        border: none;
        color: inherit;
        background: none;
      }
      .question {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .facts {
        flex: none;
        font-size: 0.9em;
        color: var(--dim);
      }
      .forget {
        opacity: 0;
      }
      li:hover .forget,
      .forget:focus-visible {
        opacity: 1;
      }
    `,
  ];

  declare items: HistoryItem[];

  constructor() {
    super();
    this.items = [];
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.dispatchEvent(new CustomEvent('close-history'));
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const buttons = [...this.renderRoot.querySelectorAll<HTMLElement>('.pick')];
    const now = buttons.findIndex((button) => button.matches(':focus'));
    const to = now + (event.key === 'ArrowDown' ? 1 : -1);
    buttons[Math.max(0, Math.min(buttons.length - 1, to))]?.focus();
  }

  #item(item: HistoryItem) {
    const { question, rows, at } = item;
    const facts = [rows === null ? '' : countInWords(rows, 'row'), agoInWords(at, Date.now())].filter(Boolean);
    return html`<li>
      <button
        class="pick"
        title=${question}
        @click=${() => this.dispatchEvent(new CustomEvent('pick', { detail: item }))}
      >
        <span class="question">${question}</span><span class="facts">${facts.join(' · ')}</span>
      </button>
      <button
        class="quiet forget"
        title="Remove from the history"
        aria-label=${`Remove “${question}” from the history`}
        @click=${() => send(this, { type: 'forget', at })}
      >
        ${icon('close')}
      </button>
    </li>`;
  }

  override render() {
    return html`<ul aria-label="Questions asked before" @keydown=${this.#onKey}>
      ${this.items.map((item) => this.#item(item))}
    </ul>`;
  }
}

customElements.define('ask-history', AskHistory);
