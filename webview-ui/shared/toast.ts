import { css, html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { icon } from './icons.ts';

/** How long a short message is shown. */
const SHOWN_MS = 2500;

/** A short message over the page that goes by itself. Screen readers are told by the page's live region. */
export class Toast implements ReactiveController {
  readonly #page: ReactiveControllerHost;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #text = '';

  constructor(page: ReactiveControllerHost) {
    this.#page = page;
    page.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  show(text: string): void {
    clearTimeout(this.#timer);
    this.#set(text);
    this.#timer = setTimeout(() => this.#set(''), SHOWN_MS);
  }

  #set(text: string): void {
    this.#text = text;
    this.#page.requestUpdate();
  }

  render(): TemplateResult | '' {
    return this.#text === '' ? '' : html`<div class="toast" aria-hidden="true">${icon('check')}${this.#text}</div>`;
  }
}

export const toastTheme = css`
  .toast {
    position: fixed;
    right: 16px;
    bottom: 16px;
    display: flex;
    align-items: center;
    gap: 6px;
    padding: 6px 12px;
    border: 1px solid var(--vscode-notifications-border, var(--line));
    border-radius: 6px;
    color: var(--vscode-notifications-foreground, inherit);
    background: var(--vscode-notifications-background, var(--vscode-editorWidget-background));
    box-shadow: 0 2px 8px var(--vscode-widget-shadow);
  }
`;
