import { html, LitElement, type TemplateResult } from 'lit';
import type { Answer, EditedView, RunView } from '../../src/protocol/ask-panel.ts';
import { countInWords } from '../shared/format.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { keysInWords } from '../shared/keys.ts';
import { sqlText, sqlTheme } from '../shared/sql.ts';
import { theme } from '../shared/theme.ts';
import { answerTheme } from './answer-theme.ts';
import './result.ts';
import type { ResultTables } from './result-tables.ts';
import { signalsTheme, signalsView } from './signals.ts';
import './sql-editor.ts';
import type { SqlEditor } from './sql-editor.ts';
import { statusInWords, stopInWords } from './words.ts';

/** The answer: rows, hints, SQL and what can be done with it. Fires `follow-up`, and `edit-sql` with the text that is edited or null. */
export class AskAnswer extends LitElement {
  static override properties = {
    run: { attribute: false },
    answer: { attribute: false },
    edited: { attribute: false },
    tables: { attribute: false },
    revision: { attribute: false },
    /** The SQL in the editor; null while nothing is edited. */
    draft: { attribute: false },
  };
  static override styles = [theme, sqlTheme, signalsTheme, answerTheme];

  declare run: RunView;
  declare answer: Answer;
  declare edited: EditedView | null;
  declare tables: ResultTables;
  declare revision: number;
  declare draft: string | null;

  async #edit(): Promise<void> {
    this.#draft(this.edited?.sql ?? this.answer.sql ?? '');
    await this.updateComplete;
    this.renderRoot.querySelector<SqlEditor>('sql-editor')?.focus();
  }

  #draft(sql: string | null): void {
    this.draft = sql;
    this.dispatchEvent(new CustomEvent('edit-sql', { detail: sql }));
  }

  #runSql(): void {
    if (this.draft === null || this.draft.trim() === '') return;
    send(this, { type: 'runSql', sql: this.draft });
    // The button that was pressed is about to go: the focus must not go with it.
    this.renderRoot.querySelector<SqlEditor>('sql-editor')?.focus();
  }

  #stopEditing(): void {
    this.#draft(null);
    send(this, { type: 'discardSql' });
  }

  #tools(sql: string): TemplateResult {
    return html`<div class="tools" role="toolbar" aria-label="What to do with the SQL">
      <button class="quiet" @click=${this.#edit}>${icon('edit')}Edit</button>
      <button class="quiet" @click=${() => send(this, { type: 'openSql', sql })}>${icon('file')}Open as Editor</button>
      <button class="quiet" @click=${() => send(this, { type: 'copyText', text: sql })}>${icon('copy')}Copy SQL</button>
    </div>`;
  }

  #sql(): TemplateResult | '' {
    const { sql, outcome } = this.answer;
    if (sql === null) return '';
    return html`<section class="sql-box" aria-label="SQL of the answer">
      <header><h3>SQL</h3>${this.draft === null ? this.#tools(sql) : ''}</header>
      <pre class="sql">${sqlText(sql, outcome.position)}</pre>
    </section>`;
  }

  #editor(sql: string): TemplateResult {
    const { edited } = this;
    const running = edited !== null && edited.outcome === null && edited.error === null;
    const run = running
      ? html`<button @click=${() => send(this, { type: 'stopSql' })}>${icon('stop')}Stop</button>`
      : html`<button class="primary" title=${`Run (${keysInWords('Ctrl', 'Enter')})`} @click=${this.#runSql}>${icon('play')}Run</button>`;
    const isCurrent = edited !== null && edited.sql === sql;
    return html`<section class="editing" aria-label="Your version of the SQL">
      <header>
        <h3>Your version</h3>
        <div class="tools">
          <button class="quiet" @click=${() => send(this, { type: 'openSql', sql })}>${icon('file')}Open as Editor</button>
          <button class="quiet" @click=${() => send(this, { type: 'copyText', text: sql })}>
            ${icon('copy')}Copy SQL
          </button>
          <button class="quiet" title="Close" aria-label="Close your version" @click=${this.#stopEditing}>
            ${icon('close')}
          </button>
        </div>
      </header>
      <sql-editor
        .value=${sql}
        .error=${isCurrent ? (edited.outcome?.position ?? null) : null}
        @edit=${({ detail }: CustomEvent<string>) => this.#draft(detail)}
        @run=${this.#runSql}
      ></sql-editor>
      <div class="run">
        ${run}${isCurrent && edited.outcome?.status === 'ok' ? this.#save('edited') : ''}
        <span class="dim">Read-only, like everything here.</span>
      </div>
      ${edited === null ? '' : this.#editedResult(edited, running)}
    </section>`;
  }

  #editedResult({ outcome, error, notes }: EditedView, running: boolean): TemplateResult {
    if (running) return html`<p class="dim" role="status">Running …</p>`;
    if (error !== null) return html`<p class="note bad" role="alert">${icon('error')}${error.message}</p>`;
    if (outcome === null) return html``;
    return html`<ask-outcome
        label="Result of your version"
        .outcome=${outcome}
        .tables=${this.tables}
        .revision=${this.revision}
      ></ask-outcome>
      ${notes.map((note) => html`<p class="note">${icon('info')}${note}</p>`)}`;
  }

  #save(which: 'answer' | 'edited'): TemplateResult {
    return html`<button
      aria-label=${which === 'answer' ? 'Save as Test' : 'Save as Test: your version'}
      title="Keeps question and SQL in a suite file, for the Test Explorer"
      @click=${() => send(this, { type: 'saveTest', which })}
    >
      ${icon('beaker')}Save as Test
    </button>`;
  }

  #check(sql: string): TemplateResult {
    return html`<button
      title="Looks for what is suspicious in the query, and compares it with the right one where you have it"
      @click=${() => send(this, { type: 'checkSql', sql })}
    >
      ${icon('search')}Check This Query
    </button>`;
  }

  #remedies(): TemplateResult {
    return html`<button @click=${() => send(this, { type: 'chooseModel' })}>${icon('model')}Choose Model…</button>
      <button class="quiet" @click=${() => send(this, { type: 'showLog' })}>Show Log</button>`;
  }

  #vote(): TemplateResult | '' {
    const { vote } = this.answer;
    if (vote === null || vote.length === 0) return '';
    const all = vote.reduce((sum, { samples }) => sum + samples.length, 0);
    const items = vote.map(({ sql, votes, samples, rows, status }, index) => {
      const result = status === 'ok' ? countInWords(rows, 'row') : statusInWords(status).toLowerCase();
      const facts = [index === 0 ? 'won' : '', result, votes === 0 ? 'does not vote' : ''].filter(Boolean);
      return html`<li>
        <span class="votes">${samples.length} of ${all}</span>
        <div>
          <p>${facts.join(', ')}</p>
          <pre class="sql">${sqlText(sql)}</pre>
        </div>
      </li>`;
    });
    return html`<details class="vote">
      <summary class="twisted">Vote: ${vote[0]?.samples.length ?? 0} of ${all} samples gave this result</summary>
      <ul>
        ${items}
      </ul>
    </details>`;
  }

  override render() {
    const { answer, revision, tables } = this;
    const { outcome, stop, sql } = answer;
    const hasRows = outcome.table !== null;
    const stopped = stopInWords(stop);
    return html`<ask-outcome
        label="Answer"
        .failure=${sql === null ? (stopped ?? '') : ''}
        .outcome=${outcome}
        .tables=${tables}
        .revision=${revision}
      ></ask-outcome>
      ${stopped === null || !hasRows ? '' : html`<p class="note">${icon('info')}${stopped}</p>`} ${signalsView(answer)} ${this.#sql()}
      ${this.draft === null ? '' : this.#editor(this.draft)} ${this.#vote()}
      <div class="next">
        ${
          sql === null
            ? ''
            : html`<button @click=${() => this.dispatchEvent(new CustomEvent('follow-up'))}>
              ${icon('follow')}Ask a Follow-up
            </button>`
        }
        ${outcome.status === 'ok' ? this.#save('answer') : ''} ${sql === null ? '' : this.#check(sql)}
        <button @click=${() => send(this, { type: 'again' })}>${icon('reload')}Run Again</button>
        ${stop === 'provider_error' ? this.#remedies() : ''}
      </div>`;
  }
}

customElements.define('ask-answer', AskAnswer);
