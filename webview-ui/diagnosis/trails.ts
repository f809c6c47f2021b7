import { html, type TemplateResult } from 'lit';
import type { TrailRow } from '../../src/protocol/diagnosis.ts';
import type { DiagnosisView } from '../../src/protocol/diagnosis-view.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { viewOf } from '../shared/cells.ts';
import { countInWords, numberInWords } from '../shared/format.ts';
import { sqlText } from '../shared/sql.ts';
import { placeLink } from './mark.ts';
import { shortNames, truthInWords } from './words.ts';

/** Rows that are shown before more are asked for. */
const FIRST = 5;

/** A value as it stands in a table of a few. */
export function valueView(cell: JsonCell | undefined): TemplateResult | '' {
  if (cell === undefined) return '';
  const { text, look, flag } = viewOf(cell);
  const shown = look === 'empty' ? "''" : text;
  return html`<span class="value ${look}-look">${shown}</span>${flag === null ? '' : html` <span class="flag">${flag}</span>`}`;
}

function truthsView({ conjuncts, dies }: TrailRow, other: 'pred' | 'gold'): TemplateResult | '' {
  const where = dies === null ? '' : html`<span class="dies">dropped by ${dies.clause}</span>`;
  const truths = conjuncts.map(({ text, range, truth }) => {
    const place = { pred: other === 'pred' ? range : null, gold: other === 'gold' ? range : null };
    const line = html`<code class="sql">${sqlText(text.replace(/\s+/g, ' '))}</code>`;
    return html`<li>${placeLink(place, line)} is <b class="truth ${truth}">${truthInWords(truth)}</b></li>`;
  });
  return html`${where}${truths.length === 0 ? '' : html`<ul class="truths">${truths}</ul>`}`;
}

function rowsTable(rows: readonly TrailRow[], label: string, other: 'pred' | 'gold'): TemplateResult {
  const names = [...new Set(rows.flatMap(({ cells }) => cells.map(({ name }) => name)))];
  const hasWhy = rows.some(({ dies, conjuncts }) => dies !== null || conjuncts.length > 0);
  const line = (row: TrailRow) => {
    const known = new Map(row.cells.map(({ name, value }) => [name, value]));
    return html`<tr>
      ${hasWhy ? html`<td class="why">${truthsView(row, other)}</td>` : ''}
      ${names.map((name) => html`<td>${valueView(known.get(name))}</td>`)}
    </tr>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table aria-label=${label}>
      <thead>
        <tr>
          ${hasWhy ? html`<th scope="col">${other === 'pred' ? 'in the prediction' : 'in the gold'}</th>` : ''}
          ${shortNames(names).map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(line)}
      </tbody>
    </table>
  </div>`;
}

function listView(rows: readonly TrailRow[], total: number, what: string, other: 'pred' | 'gold'): TemplateResult | '' {
  if (rows.length === 0) return '';
  const [first, rest] = [rows.slice(0, FIRST), rows.slice(FIRST)];
  const more = total > rows.length ? `, the first ${numberInWords(rows.length)} here` : '';
  return html`<div class="trail">
    <h4>${what} <span class="dim">${countInWords(total, 'row')}${more}</span></h4>
    ${rowsTable(first, what, other)}
    ${
      rest.length === 0
        ? ''
        : html`<details>
            <summary class="twisted dim">${countInWords(rest.length, 'row')} more</summary>
            ${rowsTable(rest, `${what}, more`, other)}
          </details>`
    }
  </div>`;
}

/**
 * The source rows that one query has where the queries part and the other has not, with the conditions that drop them.
 * Where the rows are those of the results, the results show them.
 */
export function trailsView({ missing, extra, totals }: DiagnosisView): TemplateResult | '' {
  if ([...missing, ...extra].every(({ key, dies }) => key.length === 0 && dies === null)) return '';
  return html`<section class="trails">
    <h3>Rows at the step where they part</h3>
    ${listView(missing, totals.missing, 'In the gold alone', 'pred')}
    ${listView(extra, totals.extra, 'In the prediction alone', 'gold')}
  </section>`;
}
