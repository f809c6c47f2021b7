import { html, LitElement, type TemplateResult } from 'lit';
import * as z from 'zod/mini';
import { Previous } from '../../src/protocol/ask.ts';
import {
  type AskDown,
  AskPanelMemory,
  type AskPanelState,
  type AskUp,
  askChannel,
  type RunView,
} from '../../src/protocol/ask-panel.ts';
import type { WireError } from '../../src/protocol/errors.ts';
import { Host } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { problemTheme } from '../shared/problem-theme.ts';
import { theme } from '../shared/theme.ts';
import { Toast, toastTheme } from '../shared/toast.ts';
import { appTheme } from './app-theme.ts';
import './composer.ts';
import type { AskComposer, Draft } from './composer.ts';
import { FollowEnd } from './follow.ts';
import { ResultTables } from './result-tables.ts';
import './run.ts';
import { announcement } from './words.ts';

/** What is found again after the view was hidden or the window reloaded. */
const Memory = z.extend(AskPanelMemory, {
  draft: z.object({
    question: z.string(),
    evidence: z.string(),
    previous: z.nullable(Previous),
    samples: z.nullable(z.number()),
  }),
  /** The SQL that is being edited. */
  sql: z.nullable(z.string()),
});

const EMPTY: Draft = { question: '', evidence: '', previous: null, samples: null };

/** The ask panel of one database. */
export class AskApp extends LitElement {
  static override properties = {
    state: { state: true },
    draft: { state: true },
    sql: { state: true },
    pages: { state: true },
    said: { state: true },
  };
  static override styles = [theme, problemTheme, appTheme, toastTheme];

  declare state: AskPanelState | null;
  declare draft: Draft;
  declare sql: string | null;
  /** Grows with each page of rows. */
  declare pages: number;
  declare said: string;
  readonly #host = new Host<AskUp, AskDown>(askChannel);
  readonly #toast = new Toast(this);
  readonly #follow = new FollowEnd(this);
  readonly #tables = new ResultTables((message) => this.#host.post(message));

  constructor() {
    super();
    const memory = this.#host.recall(Memory);
    this.state = null;
    this.draft = memory?.draft ?? EMPTY;
    this.sql = memory?.sql ?? null;
    this.pages = 0;
    this.said = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#host.listen((message) => this.#receive(message));
    this.addEventListener('send', (event) => this.#send((event as CustomEvent<AskUp>).detail));
    this.#host.post({ type: 'ready' });
  }

  #send(message: AskUp): void {
    if (message.type === 'ask') {
      this.sql = null;
      this.#setDraft({ ...this.draft, previous: null });
    }
    this.#host.post(message);
    // The button that was pressed is about to go: the focus must not go with it.
    if (message.type === 'again' || message.type === 'ask' || message.type === 'stop') void this.#focusComposer();
  }

  #receive(message: AskDown): void {
    switch (message.type) {
      case 'state':
        this.#takeState(message.state);
        return;
      case 'token':
        this.#takeToken(message.run, message.turn, message.text);
        return;
      case 'page':
      case 'cell':
      case 'failed':
        this.#tables.take(message);
        this.pages += 1;
        return;
      case 'compose':
        this.#setDraft({ ...EMPTY, question: message.question, evidence: message.evidence });
        void this.#focusComposer();
        return;
      case 'done':
        this.said = message.text;
        this.#toast.show(message.text);
    }
  }

  #takeState(state: AskPanelState): void {
    const first = this.state === null;
    const said = announcement(this.state?.run ?? null, state);
    if (said !== '') this.said = said;
    this.#followRun(this.state?.run ?? null, state.run);
    this.state = state;
    const shown = [state.run?.answer?.outcome.table, state.edited?.outcome?.table];
    this.#tables.keep(shown.flatMap((table) => (table ? [table.id] : [])));
    if (state.edited !== null && first) this.sql ??= state.edited.sql;
    this.#remember();
    if (first) this.#focusOnceActive();
  }

  /** Keeps the end in sight while the agent works, and shows the answer from its beginning to who was there. */
  #followRun(before: RunView | null, run: RunView | null): void {
    const wasFollowing = this.#follow.isFollowing;
    const isRunning = run?.status === 'running' || run?.status === 'stopping';
    this.#follow.set(isRunning);
    if (!wasFollowing || isRunning || before === null) return;
    void this.updateComplete.then(() => {
      const shown = this.renderRoot.querySelector('ask-run');
      if (shown !== null && shown.getBoundingClientRect().top < 0) shown.scrollIntoView();
    });
  }

  #takeToken(runId: number, turn: number, text: string): void {
    const run = this.state?.run;
    if (!this.state || run?.id !== runId) return;
    const before = run.live?.turn === turn ? run.live.text : '';
    this.state = { ...this.state, run: { ...run, live: { turn, text: before + text } } };
  }

  #setDraft(draft: Draft): void {
    this.draft = draft;
    this.#remember();
  }

  #remember(): void {
    if (this.state === null) return;
    const { panel, database } = this.state;
    this.#host.remember({ panel, database: database.path, draft: this.draft, sql: this.sql });
  }

  /** Puts the cursor into the box once the panel has the focus: a panel that comes back after a reload takes none. */
  #focusOnceActive(): void {
    if (document.hasFocus()) void this.#focusComposer();
    else window.addEventListener('focus', () => void this.#focusComposer(), { once: true });
  }

  async #focusComposer(): Promise<void> {
    await this.updateComplete;
    const composer = this.renderRoot.querySelector<AskComposer>('ask-composer');
    await composer?.updateComplete;
    composer?.focus();
  }

  #followUp({ question, answer }: RunView): void {
    const sql = answer?.sql;
    if (!sql) return;
    this.#setDraft({ ...EMPTY, samples: this.draft.samples, previous: { question, sql } });
    void this.#focusComposer();
  }

  #header({ database, model, modelProblem }: AskPanelState): TemplateResult {
    return html`<header>
      <button
        class="quiet database"
        title=${`Open ${database.folder}/${database.name}`}
        aria-label=${`Open ${database.name}`}
        @click=${() => this.#host.post({ type: 'openDatabase' })}
      >
        ${icon('database')}${database.name}
      </button>
      <button
        class="quiet model"
        title=${model?.accuracy ?? 'Choose another model'}
        aria-label=${`Model: ${model?.name ?? 'none'}. Choose another…`}
        @click=${() => this.#host.post({ type: 'chooseModel' })}
      >
        ${icon(modelProblem === null ? 'model' : 'alert')}<span>${model?.name ?? (modelProblem ? 'no model' : '…')}</span>
        ${icon('down')}
      </button>
    </header>`;
  }

  #problem(error: WireError, label: string, message: AskUp): TemplateResult {
    return html`<div class="problem" role="alert">
      ${icon('alert')}
      <p>${error.message}</p>
      <button @click=${() => this.#host.post(message)}>${label}</button>
    </div>`;
  }

  #refused({ trusted, modelProblem }: AskPanelState): string | null {
    if (!trusted) return 'Asking is off in Restricted Mode';
    return modelProblem === null ? null : 'There is no model to ask';
  }

  #empty({ model }: AskPanelState): TemplateResult {
    return html`<div class="empty">
      <h1>Ask in words, get rows</h1>
      <p>
        The agent reads the schema, writes SQL, runs it read-only and shows you every step.
        ${model?.accuracy ?? ''}
      </p>
      <p class="dim">Nothing is written, and with a local model nothing leaves this machine.</p>
    </div>`;
  }

  protected override updated(): void {
    const main = this.renderRoot.querySelector('main');
    if (main !== null) this.#follow.watch(main);
  }

  override render() {
    const { state } = this;
    if (state === null) return html``;
    const { run } = state;
    const running = run?.status === 'running' || run?.status === 'stopping';
    const untrusted: WireError = {
      code: 'untrusted_workspace',
      message: 'Asking is off in Restricted Mode. Databases can be viewed; trust the folder to ask.',
    };
    return html`<main>
        ${this.#header(state)}
        ${state.trusted ? '' : this.#problem(untrusted, 'Manage Trust', { type: 'manageTrust' })}
        ${
          state.modelProblem === null ? '' : this.#problem(state.modelProblem, 'Choose Model…', { type: 'chooseModel' })
        }
        <ask-composer
          .draft=${this.draft}
          .history=${state.history}
          .samples=${state.samples}
          .running=${running}
          .refused=${this.#refused(state)}
          @draft=${({ detail }: CustomEvent<Draft>) => this.#setDraft(detail)}
        ></ask-composer>
        ${
          run === null
            ? this.#empty(state)
            : html`<ask-run
              .run=${run}
              .edited=${state.edited}
              .tables=${this.#tables}
              .revision=${this.pages}
              .draft=${this.sql}
              @follow-up=${() => this.#followUp(run)}
              @edit-sql=${({ detail }: CustomEvent<string | null>) => {
                this.sql = detail;
                this.#remember();
              }}
            ></ask-run>`
        }
      </main>
      ${this.#toast.render()}
      <div class="visually-hidden" role="status" aria-live="polite">${this.said}</div>`;
  }
}

customElements.define('ask-app', AskApp);
