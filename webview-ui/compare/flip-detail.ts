import { css, html, LitElement, type TemplateResult } from 'lit';
import type { FlipDetail } from '../../src/protocol/compare-panel.ts';
import type { ResultTables } from '../ask/result-tables.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { compared, partsTheme, problemView } from '../shared/result-parts.ts';
import '../shared/result-side.ts';
import { sidesTheme } from '../shared/result-side.ts';
import { theme } from '../shared/theme.ts';
import type { ListedFlip } from './flips.ts';
import { answerInWords } from './words.ts';

/** One flip: what A and B answered beside the gold, each with its rows. */
export class FlipView extends LitElement {
  static override properties = {
    flip: { attribute: false },
    /** null until the host has answered. */
    detail: { attribute: false },
    tables: { attribute: false },
    revision: { attribute: false },
    differing: { state: true },
  };
  static override styles = [
    theme,
    partsTheme,
    sidesTheme,
    css`
      :host {
        display: grid;
        align-content: start;
        gap: 12px;
        min-width: 0;
        container-type: inline-size;
      }
      :host > * {
        min-width: 0;
      }
      h2 {
        font-size: 1.15em;
        font-weight: 600;
        line-height: 1.4;
        overflow-wrap: anywhere;
      }
      .facts {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 14px;
        color: var(--dim);
      }
      .open {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      @container (max-width: 640px) {
        .sides {
          grid-auto-flow: row;
        }
      }
    `,
  ];

  declare flip: ListedFlip;
  declare detail: FlipDetail | null;
  declare tables: ResultTables;
  declare revision: number;
  declare differing: boolean;

  constructor() {
    super();
    this.detail = null;
    this.revision = 0;
    this.differing = false;
  }

  #sides(): TemplateResult {
    const { flip, detail } = this;
    const empty = (sql: string | null) => ({ sql, outcome: null, differing: null });
    const side = (label: string, about: string, given: FlipDetail['a']) => html`<side-view
      label=${label}
      about=${about}
      .side=${given}
      .tables=${this.tables}
      .revision=${this.revision}
      .differing=${this.differing}
      ><p class="pending">${detail === null || detail.problem === null ? 'Running …' : ''}</p></side-view
    >`;
    return html`<div class="sides">
      ${side('Predicted by A', answerInWords(flip.a), detail?.a ?? empty(flip.a.sql))}
      ${side('Predicted by B', answerInWords(flip.b), detail?.b ?? empty(flip.b.sql))}
      ${side('Gold', '', detail?.gold ?? empty(flip.gold))}
    </div>`;
  }

  override render() {
    const { flip, detail } = this;
    const open = (run: 'a' | 'b') => send(this, { type: 'openItem', run, item: flip.id });
    return html`<h2>${flip.question}</h2>
      <p class="facts">
        <span>${flip.side === 'gained' ? 'gained: right in B alone' : 'lost: right in A alone'}</span>
        <span>item <code>${flip.id}</code></span><span>database <code>${flip.db_id}</code></span>
        ${flip.difficulty === null ? '' : html`<span>${flip.difficulty}</span>`}
      </p>
      ${detail?.problem ? problemView(this, detail.problem) : ''}
      ${
        detail?.difference
          ? compared(detail.difference, {
              of: flip.side === 'gained' ? 'A' : 'B',
              differing: this.differing,
              show: (shown) => {
                this.differing = shown;
              },
            })
          : ''
      }
      ${this.#sides()}
      <div class="open">
        <button @click=${() => open('a')}>${icon('answer')}Open Item of A</button>
        <button @click=${() => open('b')}>${icon('answer')}Open Item of B</button>
      </div>`;
  }
}

customElements.define('flip-view', FlipView);
