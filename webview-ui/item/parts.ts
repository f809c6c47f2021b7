import { html, type TemplateResult } from 'lit';
import type { ItemPanelState } from '../../src/protocol/item-panel.ts';
import '../ask/turn.ts';
import { stopInWords } from '../ask/words.ts';
import { countInWords, spanInWords } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';

type Record = ItemPanelState['record'];

const sameName = (a: string) => (b: string) => a.toLowerCase() === b.toLowerCase();

/** The tables that the model was shown, those that the gold reads and the model was not shown first. */
function tablesView({ linked, needed }: Record): TemplateResult {
  const lacking = (needed ?? []).filter((name) => !linked.kept.some(sameName(name)));
  const left = linked.left.filter((name) => !lacking.some(sameName(name)));
  const names = (label: string, look: string, tables: readonly string[]) =>
    tables.length === 0
      ? ''
      : html`<p class="tables">
          <span class="dim">${label}</span> ${tables.map((name) => html`<code class=${look}>${name}</code> `)}
        </p>`;
  return html`${names('needed but not shown to the model', 'lacking', lacking)}
  ${names(`tables shown (${linked.mode})`, 'kept', linked.kept)} ${names('left out', '', left)}`;
}

function workSummary({ turns, promptTokens, completionTokens, ms }: Record): string {
  const tokens = (promptTokens ?? 0) + (completionTokens ?? 0);
  return [countInWords(turns.length, 'turn'), tokens === 0 ? '' : countInWords(tokens, 'token'), spanInWords(ms)]
    .filter((part) => part !== '')
    .join(' · ');
}

/** The way to the answer: tables, turns, votes, how it ended. */
export function workView(record: Record): TemplateResult {
  const stopped = stopInWords(record.stop);
  return html`<details class="work">
    <summary class="twisted"><h2>Steps</h2> <span class="dim">${workSummary(record)}</span></summary>
    <div class="turns">
      ${tablesView(record)} ${record.turns.map((turn) => html`<ask-turn .turn=${turn}></ask-turn>`)}
      ${stopped === null ? '' : html`<p class="dim">${stopped}.</p>`}
    </div>
  </details>`;
}

/** What else is to be known of the item. */
export function notesView(notes: readonly string[]): TemplateResult | '' {
  if (notes.length === 0) return '';
  return html`<ul class="notes" aria-label="Notes">
    ${notes.map((note) => html`<li>${icon('info')}<span>${note}</span></li>`)}
  </ul>`;
}
