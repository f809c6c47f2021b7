import { css, html, LitElement } from 'lit';
import { type IconName, icon } from './icons.ts';
import { theme } from './theme.ts';

export interface MenuItem {
  id: string;
  label: string;
  /** Keys that do the same. */
  keys?: string;
}

/**
 * A list of actions: below its button, or at a point (`openAt`) where it has no label. Fires `pick` with the item's id.
 * Arrow keys, Home, End and first letters move; Escape and a click elsewhere close, as
 * does a focus that leaves the webview, of which the webview sees no click, and a resize, which moves the button away.
 */
export class DropMenu extends LitElement {
  static override properties = {
    label: {},
    iconName: { attribute: 'icon' },
    items: { attribute: false },
    open: { state: true },
  };
  static override styles = [
    theme,
    css`
      :host {
        display: inline-flex;
      }
      [popover] {
        position: fixed;
        inset: auto;
        margin: 0;
        min-width: 150px;
        padding: 4px;
        border: 1px solid var(--vscode-menu-border, var(--line));
        border-radius: 6px;
        color: var(--vscode-menu-foreground);
        background: var(--vscode-menu-background);
        box-shadow: 0 2px 8px var(--vscode-widget-shadow);
      }
      [role='menuitem'] {
        display: flex;
        justify-content: space-between;
        gap: 24px;
        width: 100%;
        padding: 2px 10px;
        border: none;
        border-radius: 4px;
        color: inherit;
        background: none;
      }
      [role='menuitem']:hover,
      [role='menuitem']:focus {
        color: var(--vscode-menu-selectionForeground);
        background: var(--vscode-menu-selectionBackground);
        outline: 1px solid var(--vscode-menu-selectionBorder, transparent);
        outline-offset: -1px;
      }
      .keys {
        opacity: 0.7;
      }
    `,
  ];

  declare label: string;
  declare iconName: IconName | '';
  declare items: MenuItem[];
  declare open: boolean;
  #return: HTMLElement | null = null;

  constructor() {
    super();
    this.label = '';
    this.iconName = '';
    this.items = [];
    this.open = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('blur', this.#leave);
    window.addEventListener('resize', this.#leave);
  }

  override disconnectedCallback(): void {
    window.removeEventListener('blur', this.#leave);
    window.removeEventListener('resize', this.#leave);
    super.disconnectedCallback();
  }

  /** Closes without taking the focus back from where it went. */
  readonly #leave = (): void => {
    if (!this.open) return;
    this.#return = null;
    this.#list()?.hidePopover();
  };

  /** Opens the menu at a point of the window; focus returns to `from` when it closes. */
  openAt(x: number, y: number, from: HTMLElement): void {
    const list = this.#list();
    if (list === null) return;
    this.#return = from;
    list.showPopover();
    const { width, height } = list.getBoundingClientRect();
    list.style.left = `${Math.max(4, Math.min(x, window.innerWidth - width - 4))}px`;
    list.style.top = `${y + height + 4 > window.innerHeight ? Math.max(4, window.innerHeight - height - 4) : y}px`;
    this.#itemButtons()[0]?.focus();
  }

  #list(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('[popover]');
  }

  #itemButtons(): HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('[role=menuitem]')];
  }

  #toggle(event: Event): void {
    const button = event.currentTarget;
    if (!(button instanceof HTMLElement)) return;
    const { left, bottom } = button.getBoundingClientRect();
    this.openAt(left, bottom + 2, button);
  }

  #pick(id: string): void {
    this.#list()?.hidePopover();
    this.dispatchEvent(new CustomEvent('pick', { detail: id }));
  }

  #onKey(event: KeyboardEvent): void {
    const buttons = this.#itemButtons();
    const now = buttons.findIndex((button) => button.matches(':focus'));
    const steps: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: buttons.length - 1 };
    const letter = buttons.findIndex((button) =>
      (button.textContent ?? '').trim().toLowerCase().startsWith(event.key.toLowerCase()),
    );
    const to = steps[event.key] ?? (event.key.length === 1 && letter >= 0 ? letter : null);
    if (event.key === 'Tab') this.#list()?.hidePopover();
    if (to === null || event.key === ' ') return;
    event.preventDefault();
    buttons.at(to % buttons.length)?.focus();
  }

  #onToggle(event: ToggleEvent): void {
    this.open = event.newState === 'open';
    if (!this.open) this.#return?.focus();
  }

  override render() {
    const button = html`<button
      class="quiet"
      aria-haspopup="menu"
      aria-expanded=${this.open}
      @click=${this.#toggle}
    >
      ${this.iconName === '' ? '' : icon(this.iconName)}${this.label}${icon('down')}
    </button>`;
    return html`${this.label === '' ? '' : button}
      <div popover role="menu" aria-label=${this.label || 'Actions'} @keydown=${this.#onKey} @toggle=${this.#onToggle}>
        ${this.items.map(
          ({ id, label, keys }) =>
            html`<button role="menuitem" tabindex="-1" @click=${() => this.#pick(id)}>
              ${label}${keys === undefined ? '' : html`<span class="keys">${keys}</span>`}
            </button>`,
        )}
      </div>`;
  }
}

customElements.define('drop-menu', DropMenu);
