import { html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { EditedView, RunView } from '../../src/protocol/ask-panel.ts';
import type { Linked } from '../../src/protocol/catalog.ts';
import { countInWords, spanInWords } from '../shared/format.ts';
import '../shared/elapsed.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { theme } from '../shared/theme.ts';
import './answer.ts';
import type { ResultTables } from './result-tables.ts';
import { runTheme } from './run-theme.ts';
import './turn.ts';
import { phaseInWords } from './words.ts';

/** One question: how it goes, its answer, the way to it. */
export class AskRun extends LitElement {
  static override properties = {
    run: { attribute: false },
    edited: { attribute: false },
    tables: { attribute: false },
    revision: { attribute: false },
    draft: { attribute: false },
    /** Whether the work is shown: null while the user did not say. */
    showWork: { state: true },
  };
  static override styles = [theme, runTheme];

  declare run: RunView;
  declare edited: EditedView | null;
  declare tables: ResultTables;
  declare revision: number;
  declare draft: string | null;
  declare showWork: boolean | null;

  constructor() {
    super();
    this.showWork = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('run');
    if (before !== undefined && before.id !== this.run.id) this.showWork = null;
  }

  get #isRunning(): boolean {
    return this.run.status === 'running' || this.run.status === 'stopping';
  }

  #progress(): TemplateResult {
    const { run } = this;
    const phase = run.status === 'stopping' ? 'Stopping' : run.phase === null ? 'Working' : phaseInWords(run.phase);
    const detail = run.phase?.detail;
    return html`<div class="progress">
      <div class="track"><div class="runner"></div></div>
      <p>
        <strong>${phase}</strong>
        ${detail ? html`<span class="dim">${detail}</span>` : ''}
        ${this.#phaseTime()}
        <span class="total dim">in all <elapsed-time .from=${run.elapsedMs}></elapsed-time></span>
      </p>
    </div>`;
  }

  #phaseTime() {
    const { phase } = this.run;
    if (phase === null) return '';
    // Anew for each phase: both may begin at 0.
    return keyed(phase.name, html`<elapsed-time class="dim" .from=${phase.elapsedMs}></elapsed-time>`);
  }

  #error(): TemplateResult | '' {
    const { error, status } = this.run;
    if (status === 'interrupted' || status === 'stopped')
      return html`<div class="failed">
        ${icon('info')}
        <div>
          <h3>${status === 'stopped' ? 'Stopped' : 'Interrupted'}</h3>
          <p>${status === 'stopped' ? 'There is no answer yet.' : 'The window was reloaded before the answer came.'}</p>
        </div>
        <button @click=${() => send(this, { type: 'again' })}>${icon('reload')}Run Again</button>
      </div>`;
    if (error === null) return '';
    return html`<div class="failed bad" role="alert">
      ${icon('error')}
      <div>
        <h3>It failed</h3>
        <p>${error.message}</p>
      </div>
      <div class="buttons">
        <button @click=${() => send(this, { type: 'again' })}>${icon('reload')}Run Again</button>
        <button class="quiet" @click=${() => send(this, { type: 'showLog' })}>Show Log</button>
      </div>
    </div>`;
  }

  #tables({ kept, left, mode }: Linked): TemplateResult {
    const words =
      left.length === 0 ? `all ${countInWords(kept.length, 'table')}` : `${kept.length} kept, ${left.length} left out`;
    return html`<details class="tables">
      <summary class="twisted">Tables the model was shown: ${words} <span class="dim">(${mode})</span></summary>
      <p><span class="dim">kept</span> ${kept.map((name) => html`<code class="kept">${name}</code> `)}</p>
      ${
        left.length === 0
          ? ''
          : html`<p><span class="dim">left out</span> ${left.map((name) => html`<code>${name}</code> `)}</p>`
      }
    </details>`;
  }

  #live(): TemplateResult | '' {
    const { live } = this.run;
    if (live === null || !this.#isRunning) return '';
    return html`<pre class="live" aria-label="The reply that is being written">${live.text}<span class="caret"></span></pre>`;
  }

  #workSummary(): string {
    const { turns, elapsedMs, linked } = this.run;
    const parts = turns.length === 0 ? [] : [countInWords(turns.length, 'turn')];
    if (linked !== null) parts.push(countInWords(linked.kept.length, 'table'));
    if (!this.#isRunning) parts.push(spanInWords(elapsedMs));
    return parts.join(' · ');
  }

  #work(): TemplateResult {
    const { run } = this;
    const open = this.showWork ?? (this.#isRunning || run.answer === null || run.answer.outcome.status !== 'ok');
    const toggle = ({ target }: Event) => {
      if (target instanceof HTMLDetailsElement && target.open !== open) this.showWork = target.open;
    };
    return html`<details class="work" ?open=${open} @toggle=${toggle}>
      <summary>${icon('chevron')}<h3>Steps</h3><span class="dim">${this.#workSummary()}</span></summary>
      <div class="turns">
        ${run.linked === null ? '' : this.#tables(run.linked)}
        ${run.turns.map((turn) => html`<ask-turn .turn=${turn}></ask-turn>`)} ${this.#live()}
      </div>
    </details>`;
  }

  #model(): TemplateResult | '' {
    const { answer } = this.run;
    if (answer === null) return '';
    const { name, accuracy } = answer.model;
    const way = answer.protocol === 'turns' ? 'in turns' : 'in one shot';
    const known = accuracy ?? 'Its accuracy was never measured.';
    const words =
      answer.sql === null
        ? html`Asked was <strong>${name}</strong>, ${way}.`
        : html`Answered by <strong>${name}</strong> ${way}. ${known}`;
    return html`<p class="model">${icon('model')}<span>${words}</span></p>`;
  }

  override render() {
    const { run } = this;
    const answer =
      run.answer === null
        ? ''
        : html`<ask-answer
            .run=${run}
            .answer=${run.answer}
            .edited=${this.edited}
            .tables=${this.tables}
            .revision=${this.revision}
            .draft=${this.draft}
            @follow-up=${() => this.dispatchEvent(new CustomEvent('follow-up'))}
            @edit-sql=${({ detail }: CustomEvent) => this.dispatchEvent(new CustomEvent('edit-sql', { detail }))}
          ></ask-answer>`;
    return html`<header>
        ${
          run.previous === null
            ? ''
            : html`<p class="previous">${icon('follow')}Follow-up to: ${run.previous.question}</p>`
        }
        <h2>${run.question}</h2>
        ${run.evidence === '' ? '' : html`<p class="dim">Evidence: ${run.evidence}</p>`}
      </header>
      ${this.#isRunning ? this.#progress() : ''} ${this.#error()} ${answer} ${this.#work()}
      ${
        run.notes.length === 0
          ? ''
          : html`<ul class="notes" aria-label="Notes">
            ${run.notes.map((note) => html`<li>${icon('info')}<span>${note}</span></li>`)}
          </ul>`
      }
      ${this.#model()}`;
  }
}

customElements.define('ask-run', AskRun);
