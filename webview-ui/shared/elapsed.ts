import { LitElement } from 'lit';
import { spanInWords } from './format.ts';

const STEP_MS = 100;

/** A time that runs: from `from` milliseconds at the moment it was set. Screen readers are not told each step. */
export class ElapsedTime extends LitElement {
  static override properties = { from: { type: Number } };

  declare from: number;
  #since = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.from = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.ariaHidden = 'true';
    this.#timer = setInterval(() => this.requestUpdate(), STEP_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('from')) this.#since = performance.now();
  }

  override render() {
    return spanInWords(Math.floor((this.from + performance.now() - this.#since) / STEP_MS) * STEP_MS);
  }
}

customElements.define('elapsed-time', ElapsedTime);
