import { html, type TemplateResult } from 'lit';
import type { Edit, Repair } from '../../src/protocol/diagnosis.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { sqlText } from '../shared/sql.ts';
import { placeLink } from './mark.ts';
import { editText } from './words.ts';

function sideOf(text: string, tag: 'before' | 'after'): TemplateResult {
  const line = editText(text);
  const shown = line === 'nothing' ? html`<i class="dim">nothing</i>` : html`<code class="sql">${sqlText(line)}</code>`;
  return html`<span class=${tag}>${shown}</span>`;
}

function editView({ range, before, after }: Edit): TemplateResult {
  return html`<li>
    ${placeLink({ pred: range, gold: null }, sideOf(before, 'before'))}
    <span class="arrow" aria-hidden="true">→</span><span class="visually-hidden">becomes</span>${sideOf(after, 'after')}
  </li>`;
}

/** The smallest edits that give the gold's rows, and what can be done with the edited query. */
export function repairView(from: HTMLElement, { edits, sql, certain }: Repair): TemplateResult {
  const count = edits.length === 1 ? 'One edit gives' : `${edits.length} edits give`;
  return html`<section class="repair">
    <h3>
      Repair <span class="dim">${count} the gold’s rows${certain ? '' : ', perhaps by chance: there are few rows to compare'}</span>
    </h3>
    <ul class="edits">
      ${edits.map(editView)}
    </ul>
    <pre class="sql" tabindex="0" aria-label="Repaired SQL">${sqlText(sql)}</pre>
    <div class="tools">
      <button @click=${() => send(from, { type: 'copyText', text: sql })}>${icon('copy')}Copy Repaired SQL</button>
      <button @click=${() => send(from, { type: 'openSql', sql })}>${icon('file')}Open as .sql</button>
    </div>
  </section>`;
}
