import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Catalog } from '../../src/protocol/catalog.ts';
import { type IconName, icon } from '../shared/icons.ts';
import { scrollTo, visibleRows } from '../shared/layout.ts';
import { theme } from '../shared/theme.ts';
import { type Badge, type TreeNode, treeNodes } from './tree-model.ts';
import { treeTheme } from './tree-theme.ts';

const ROW_HEIGHT = 22;
const ICONS: Record<TreeNode['kind'], IconName | null> = {
  group: null,
  table: 'table',
  view: 'view',
  virtual: 'virtual',
  shadow: 'table',
  column: 'column',
  problem: 'alert',
};

/** The schema as a tree: groups, tables, columns. Fires `pick` with the name of a table that is to be shown. */
export class SchemaTree extends LitElement {
  static override properties = {
    catalog: { attribute: false },
    /** The table that is shown. */
    shown: {},
    filter: { state: true },
    toggled: { attribute: false },
    active: { state: true },
  };
  static override styles = [theme, treeTheme];

  declare catalog: Catalog;
  declare shown: string | null;
  declare filter: string;
  /** Ids of nodes that are opened or closed by the user. */
  declare toggled: ReadonlySet<string>;
  declare active: string | null;
  #nodes: TreeNode[] = [];
  readonly #resized = new ResizeObserver(() => this.requestUpdate());

  constructor() {
    super();
    this.catalog = { tables: [], problems: [] };
    this.shown = null;
    this.filter = '';
    this.toggled = new Set();
    this.active = null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
  }

  protected override firstUpdated(): void {
    const scroller = this.#scroller;
    if (scroller !== null) this.#resized.observe(scroller);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('catalog') || changed.has('toggled') || changed.has('filter'))
      this.#nodes = treeNodes(this.catalog, this.toggled, this.filter);
  }

  get #scroller(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.scroller');
  }

  get #activeIndex(): number {
    const id = this.active ?? `table ${this.shown}`;
    return Math.max(
      0,
      this.#nodes.findIndex((node) => node.id === id),
    );
  }

  #toggle(node: TreeNode): void {
    const toggled = new Set(this.toggled);
    if (!toggled.delete(node.id)) toggled.add(node.id);
    this.toggled = toggled;
    this.dispatchEvent(new CustomEvent('toggle-node', { detail: toggled }));
  }

  #activate(index: number): void {
    const node = this.#nodes[index];
    const scroller = this.#scroller;
    if (node === undefined || scroller === null) return;
    this.active = node.id;
    const top = index * ROW_HEIGHT;
    scroller.scrollTop = scrollTo(top, top + ROW_HEIGHT, scroller.scrollTop, scroller.clientHeight);
  }

  #pick(node: TreeNode): void {
    if (node.table !== null) this.dispatchEvent(new CustomEvent('pick', { detail: node.table }));
    else if (node.expanded !== null) this.#toggle(node);
  }

  #parentOf(index: number): number {
    const level = this.#nodes[index]?.level ?? 1;
    for (let above = index - 1; above >= 0; above -= 1) if ((this.#nodes[above]?.level ?? 1) < level) return above;
    return index;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = this.#activeIndex;
    const node = this.#nodes[index];
    if (node === undefined) return;
    const page = Math.max(1, Math.floor((this.#scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 1);
    const last = this.#nodes.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: Math.min(last, index + 1),
      ArrowUp: Math.max(0, index - 1),
      Home: 0,
      End: last,
      PageDown: Math.min(last, index + page),
      PageUp: Math.max(0, index - page),
    };
    const step = steps[event.key];
    if (step !== undefined) this.#activate(step);
    else if (event.key === 'ArrowRight' && node.expanded === false) this.#toggle(node);
    else if (event.key === 'ArrowRight' && node.expanded) this.#activate(Math.min(last, index + 1));
    else if (event.key === 'ArrowLeft' && node.expanded) this.#toggle(node);
    else if (event.key === 'ArrowLeft') this.#activate(this.#parentOf(index));
    else if (event.key === 'Enter' || event.key === ' ') this.#pick(node);
    else if (/^[\p{L}\p{N}_]$/u.test(event.key)) this.#activate(this.#startingWith(event.key, index));
    else return;
    event.preventDefault();
  }

  #startingWith(letter: string, from: number): number {
    const count = this.#nodes.length;
    for (let step = 1; step <= count; step += 1) {
      const index = (from + step) % count;
      if (this.#nodes[index]?.label.toLowerCase().startsWith(letter.toLowerCase())) return index;
    }
    return from;
  }

  #onClick(event: MouseEvent): void {
    const row = event.composedPath().find((part) => part instanceof HTMLElement && part.dataset['index'] !== undefined);
    if (!(row instanceof HTMLElement)) return;
    const index = Number(row.dataset['index']);
    const node = this.#nodes[index];
    if (node === undefined) return;
    this.active = node.id;
    const onTwist = event.composedPath().some((part) => part instanceof Element && part.classList.contains('twist'));
    if (onTwist && node.expanded !== null) this.#toggle(node);
    else this.#pick(node);
  }

  #onFilter(event: Event): void {
    if (event.target instanceof HTMLInputElement) this.filter = event.target.value;
    this.active = null;
  }

  #onFilterKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.filter = '';
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      this.#scroller?.focus();
      const first = this.#nodes.findIndex(({ level }) => level === 2);
      this.#activate(Math.max(0, first));
      const node = this.#nodes[first];
      if (event.key === 'Enter' && node !== undefined) this.#pick(node);
    }
  }

  #badge({ kind, text, title }: Badge): TemplateResult {
    const picture =
      kind === 'key' ? icon('key') : kind === 'link' ? icon('link') : kind === 'problem' ? icon('alert') : '';
    return html`<span class="badge ${kind}" title=${title}>${picture}<span class="word">${text}</span></span>`;
  }

  #row(node: TreeNode, index: number): TemplateResult {
    const picture = ICONS[node.kind];
    const shown = node.level === 2 && node.table !== null && node.table === this.shown;
    const active = index === this.#activeIndex;
    const marks = node.badges.map(({ title }) => title).join(', ');
    const label = [node.label, node.kind === 'group' ? '' : node.kind, node.said, marks].filter(Boolean).join(', ');
    const twist = node.expanded === null ? '' : icon('chevron');
    return html`<div
      id=${`node-${index}`}
      class="node ${node.kind} ${shown ? 'shown' : ''} ${active ? 'active' : ''}"
      role="treeitem"
      aria-level=${node.level}
      aria-setsize=${node.siblings}
      aria-posinset=${node.position}
      aria-expanded=${node.expanded ?? nothing}
      aria-selected=${shown}
      aria-label=${label}
      data-index=${index}
      title=${node.kind === 'problem' ? node.label : nothing}
      .style=${`top:${index * ROW_HEIGHT}px;padding-inline-start:${(node.level - 1) * 12 + 4}px`}
    >
      <span class="twist ${node.expanded ? 'open' : ''}">${twist}</span>${picture === null ? '' : icon(picture)}
      <span class="label">${node.label}</span>
      <span class="detail">${node.detail}</span>
      <span class="badges">${node.badges.map((badge) => this.#badge(badge))}</span>
    </div>`;
  }

  override render() {
    const scroller = this.#scroller;
    const top = scroller?.scrollTop ?? 0;
    const range = visibleRows(top, top + (scroller?.clientHeight || 800), ROW_HEIGHT, this.#nodes.length);
    const rows = this.#nodes.slice(range.first, range.end).map((node, step) => this.#row(node, range.first + step));
    return html`<div class="filter">
        ${icon('search')}
        <input
          type="search"
          aria-label="Filter tables and columns"
          placeholder="Filter tables and columns"
          .value=${this.filter}
          @input=${this.#onFilter}
          @keydown=${this.#onFilterKey}
        />
      </div>
      <div
        class="scroller"
        role="tree"
        tabindex="0"
        aria-label="Schema"
        aria-activedescendant=${this.#nodes.length > 0 ? `node-${this.#activeIndex}` : nothing}
        @keydown=${this.#onKey}
        @click=${this.#onClick}
        @scroll=${() => this.requestUpdate()}
      >
        <div .style=${`position:relative;height:${this.#nodes.length * ROW_HEIGHT}px`}>${rows}</div>
        ${this.#nodes.length > 0 ? '' : html`<p class="nothing">${this.#emptyText()}</p>`}
      </div>`;
  }

  #emptyText(): string {
    return this.filter === '' ? 'This database has no tables.' : `Nothing is named “${this.filter}”.`;
  }
}

customElements.define('schema-tree', SchemaTree);
