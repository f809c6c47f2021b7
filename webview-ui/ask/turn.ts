import { css, html, LitElement, type TemplateResult } from 'lit';
import type { Turn } from '../../src/protocol/ask.ts';
import { countInWords, spanInWords } from '../shared/format.ts';
import { type IconName, icon } from '../shared/icons.ts';
import { sqlText, sqlTheme } from '../shared/sql.ts';
import { theme } from '../shared/theme.ts';
import { actionInWords, turnResult, wayInWords } from './words.ts';

const ICONS: Record<Turn['action'], IconName> = {
  inspect: 'search',
  add_table: 'table',
  query: 'play',
  final: 'answer',
  invalid: 'alert',
};

/** One turn of the agent: what it did, its SQL, what it was told. */
export class AskTurn extends LitElement {
  static override properties = { turn: { attribute: false } };
  static override styles = [
    theme,
    sqlTheme,
    css`
      :host {
        display: block;
        position: relative;
        padding-inline-start: 28px;
      }
      .mark {
        position: absolute;
        left: 0;
        top: 0;
        display: grid;
        place-items: center;
        width: 20px;
        height: 20px;
        border: 1px solid var(--line);
        border-radius: 50%;
        color: var(--vscode-icon-foreground);
        background: var(--vscode-editor-background);
      }
      .mark svg.icon {
        width: 12px;
        height: 12px;
      }
      :host(:not(:last-of-type))::before {
        content: '';
        position: absolute;
        left: 10px;
        top: 22px;
        bottom: -10px;
        border-left: 1px solid var(--line);
      }
      header {
        display: flex;
        flex-wrap: wrap;
        gap: 0 8px;
        align-items: baseline;
        line-height: 20px;
      }
      h3 {
        font-weight: 600;
      }
      .result.bad {
        color: var(--bad);
      }
      .facts {
        margin-inline-start: auto;
        font-size: 0.9em;
        color: var(--dim);
      }
      .box,
      details {
        margin-top: 6px;
      }
      .box {
        padding: 6px 10px;
        border: 1px solid var(--contrast);
        border-radius: 4px;
        background: var(--vscode-textCodeBlock-background, var(--faint));
      }
      .error {
        margin-top: 6px;
        color: var(--bad);
        overflow-wrap: anywhere;
      }
      summary {
        color: var(--dim);
      }
      pre {
        margin: 0;
        max-height: 260px;
        overflow: auto;
        font-family: var(--code-font);
        font-size: var(--code-size);
        line-height: 1.45;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      details pre {
        margin-top: 4px;
        padding: 6px 10px;
        border-radius: 4px;
        background: var(--faint);
      }
      details pre.table {
        white-space: pre;
        overflow-wrap: normal;
      }
    `,
  ];

  declare turn: Turn;

  #facts(): string {
    const { completionTokens, ms } = this.turn;
    const parts = [
      wayInWords(this.turn),
      completionTokens === null ? '' : countInWords(completionTokens, 'token'),
      spanInWords(ms),
    ];
    return parts.filter(Boolean).join(' · ');
  }

  #error(): TemplateResult | '' {
    const { error } = this.turn;
    if (error === null) return '';
    const at = error.position === null ? '' : ` (line ${error.position.line}, column ${error.position.column})`;
    return html`<p class="error">${error.message}${at}</p>`;
  }

  override render() {
    const { turn } = this;
    const { action, tables, sql, reply, observation, error } = turn;
    const result = turnResult(turn);
    const names = tables.length === 0 ? '' : html`<code>${tables.join(', ')}</code>`;
    const saysMore = reply.trim() !== '' && reply.trim() !== sql?.trim();
    return html`<span class="mark">${icon(ICONS[action])}</span>
      <header>
        <h3>${actionInWords(action)}</h3>
        ${names}
        ${result === null ? '' : html`<span class="result ${error === null ? 'dim' : 'bad'}">${result}</span>`}
        <span class="facts">${this.#facts()}</span>
      </header>
      ${sql === null ? '' : html`<pre class="sql box">${sqlText(sql, error?.position ?? null)}</pre>`} ${this.#error()}
      ${
        saysMore
          ? html`<details ?open=${sql === null && action === 'invalid'}>
            <summary class="twisted">What the model wrote</summary>
            <pre>${reply}</pre>
          </details>`
          : ''
      }
      ${
        observation === ''
          ? ''
          : html`<details>
            <summary class="twisted">What it was told</summary>
            <pre class="table" tabindex="0">${observation}</pre>
          </details>`
      }`;
  }
}

customElements.define('ask-turn', AskTurn);
