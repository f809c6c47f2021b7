import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { Previous } from '../../src/protocol/ask.ts';
import { type HistoryItem, MAX_SAMPLES } from '../../src/protocol/ask-panel.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { isMac, keysInWords } from '../shared/keys.ts';
import { theme } from '../shared/theme.ts';
import { composerTheme } from './composer-theme.ts';
import './history.ts';

/** What is in the boxes. */
export interface Draft {
  question: string;
  evidence: string;
  /** The answer that a follow-up takes along. */
  previous: Previous | null;
  /** null: as the settings say. */
  samples: number | null;
}

const CHOICES = [1, 3, 5, 8, 16];

/** The boxes of a question. Fires `draft` when they change. */
export class AskComposer extends LitElement {
  static override properties = {
    draft: { attribute: false },
    history: { attribute: false },
    samples: { type: Number },
    running: { type: Boolean },
    /** Why nothing can be asked; null when it can. */
    refused: { attribute: false },
    showEvidence: { state: true },
    showHistory: { state: true },
  };
  static override styles = [theme, composerTheme];

  declare draft: Draft;
  declare history: HistoryItem[];
  declare samples: number;
  declare running: boolean;
  declare refused: string | null;
  declare showEvidence: boolean;
  declare showHistory: boolean;

  constructor() {
    super();
    this.history = [];
    this.samples = 1;
    this.running = false;
    this.refused = null;
    this.showEvidence = false;
    this.showHistory = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('draft') && this.draft.evidence !== '') this.showEvidence = true;
  }

  /** Puts the cursor behind the question. */
  override focus(): void {
    const box = this.renderRoot.querySelector<HTMLTextAreaElement>('#question');
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }

  #change(change: Partial<Draft>): void {
    this.dispatchEvent(new CustomEvent('draft', { detail: { ...this.draft, ...change } }));
  }

  #ask(): void {
    const { question, evidence, previous, samples } = this.draft;
    if (question.trim() === '' || this.running || this.refused !== null) return;
    this.showHistory = false;
    send(this, {
      type: 'ask',
      question: question.trim(),
      evidence: evidence.trim(),
      previous,
      samples: samples ?? this.samples,
    });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#ask();
  }

  async #openEvidence(): Promise<void> {
    this.showEvidence = true;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('#evidence')?.focus();
  }

  #closeEvidence(): void {
    this.showEvidence = false;
    this.#change({ evidence: '' });
  }

  #pick({ detail: { question, evidence } }: CustomEvent<HistoryItem>): void {
    this.showHistory = false;
    this.showEvidence = evidence !== '';
    this.#change({ question, evidence, previous: null });
    void this.updateComplete.then(() => this.focus());
  }

  #chip(previous: Previous) {
    return html`<div class="chip">
      ${icon('follow')}<span>Follow-up to: ${previous.question}</span>
      <button
        class="quiet"
        title="Ask without the last answer"
        aria-label="Ask without the last answer"
        @click=${() => this.#change({ previous: null })}
      >
        ${icon('close')}
      </button>
    </div>`;
  }

  #evidence() {
    return html`<div class="evidence">
      <label for="evidence">Evidence <span class="dim">what the model cannot know from the schema</span></label>
      <button class="quiet" title="Remove the evidence" aria-label="Remove the evidence" @click=${this.#closeEvidence}>
        ${icon('close')}
      </button>
      <textarea
        id="evidence"
        rows="1"
        placeholder="e.g. revenue is unit price times quantity; active means last order within a year"
        .value=${this.draft.evidence}
        @input=${(event: InputEvent) => this.#change({ evidence: (event.target as HTMLTextAreaElement).value })}
        @keydown=${this.#onKey}
      ></textarea>
    </div>`;
  }

  #samplesChoice() {
    const chosen = this.draft.samples ?? this.samples;
    const choices = [...new Set([...CHOICES, chosen])].filter((n) => n <= MAX_SAMPLES).sort((a, b) => a - b);
    const title = 'How often the model is asked: with more than one, the result that most of its queries give wins';
    return html`<label class="samples" title=${title}
      >Samples
      <select
        @change=${(event: Event) => this.#change({ samples: Number((event.target as HTMLSelectElement).value) })}
      >
        ${choices.map((n) => html`<option value=${n} ?selected=${n === chosen}>${n}</option>`)}
      </select></label
    >`;
  }

  #button() {
    if (this.running)
      return html`<button class="stop" @click=${() => send(this, { type: 'stop' })}>${icon('stop')}Stop</button>`;
    const disabled = this.draft.question.trim() === '' || this.refused !== null;
    return html`<button
      class="primary"
      ?disabled=${disabled}
      title=${this.refused ?? `Ask (${keysInWords('Ctrl', 'Enter')})`}
      @click=${this.#ask}
    >
      ${icon('send')}Ask
    </button>`;
  }

  override render() {
    const { question, previous } = this.draft;
    const history = html`<ask-history
      .items=${this.history}
      @pick=${this.#pick}
      @close-history=${() => {
        this.showHistory = false;
        this.focus();
      }}
    ></ask-history>`;
    return html`${previous === null ? '' : this.#chip(previous)}
      <label class="visually-hidden" for="question">Question</label>
      <textarea
        id="question"
        rows="2"
        aria-keyshortcuts=${isMac() ? 'Meta+Enter' : 'Control+Enter'}
        placeholder=${
          previous === null
            ? 'Ask a question about this database, in your own words'
            : 'What else do you want to know about it?'
        }
        .value=${question}
        @input=${(event: InputEvent) => this.#change({ question: (event.target as HTMLTextAreaElement).value })}
        @keydown=${this.#onKey}
      ></textarea>
      ${this.showEvidence ? this.#evidence() : ''}
      <div class="bar">
        ${
          this.showEvidence
            ? ''
            : html`<button class="quiet" @click=${this.#openEvidence}>${icon('add')}Evidence</button>`
        }
        <button
          class="quiet"
          aria-expanded=${this.showHistory}
          aria-controls=${this.showHistory ? 'history' : nothing}
          ?disabled=${this.history.length === 0}
          @click=${() => {
            this.showHistory = !this.showHistory;
          }}
        >
          ${icon('clock')}History
        </button>
        ${this.#samplesChoice()}
        <span class="gap"></span>
        <span class="hint dim"><kbd>${keysInWords('Ctrl', 'Enter')}</kbd></span>
        ${this.#button()}
      </div>
      ${this.showHistory ? html`<div id="history">${history}</div>` : ''}`;
  }
}

customElements.define('ask-composer', AskComposer);
