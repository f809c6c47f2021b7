import { html, type TemplateResult } from 'lit';
import type { AlignedCell, AlignedRowView, AlignedView } from '../../src/protocol/diagnosis-view.ts';
import { numberInWords } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';
import { valueView } from './trails.ts';
import { alignedInWords, alignedSign, alignedSignInWords } from './words.ts';

function headView({ gold, pred }: AlignedView['columns'][number]): TemplateResult {
  if (gold === null) return html`<th scope="col">${pred} <small class="dim">prediction alone</small></th>`;
  if (pred === null) return html`<th scope="col">${gold} <small class="dim">gold alone</small></th>`;
  const renamed =
    gold.toLowerCase() === pred.toLowerCase() ? '' : html` <small class="dim">${gold} in the gold</small>`;
  return html`<th scope="col">${pred}${renamed}</th>`;
}

function cellView({ gold, pred, differs }: AlignedCell): TemplateResult {
  if (!differs) return html`<td>${valueView(pred ?? gold)}</td>`;
  return html`<td class="differs">
    <div class="pred"><span class="sign" aria-hidden="true">+</span><span class="visually-hidden">predicted</span>${valueView(pred)}</div>
    <div class="gold"><span class="sign" aria-hidden="true">−</span><span class="visually-hidden">gold</span>${valueView(gold)}</div>
  </td>`;
}

function rowView(row: AlignedRowView): TemplateResult {
  const said = alignedSignInWords(row);
  return html`<tr class=${row.kind}>
    <th scope="row" title=${said}>
      <span class="sign" aria-hidden="true">${alignedSign(row)}</span><span class="visually-hidden">${said}</span>
    </th>
    <td class="number">${row.predRow === null ? '' : numberInWords(row.predRow)}</td>
    <td class="number">${row.goldRow === null ? '' : numberInWords(row.goldRow)}</td>
    ${row.cells.map(cellView)}
  </tr>`;
}

/**
 * The rows in which the results differ, those of one beside those of the other. Where rows are only missing or extra the
 * results themselves show as much, and nothing is shown here.
 */
export function alignedTable(aligned: AlignedView): TemplateResult | '' {
  const { columns, rows, totals, suggestion } = aligned;
  if (totals.changed + totals.repeated + totals.moved === 0 && suggestion === null) return '';
  const all = totals.changed + totals.missing + totals.extra + totals.repeated + totals.moved;
  const more =
    all > rows.length ? html`<p class="dim">The first ${numberInWords(rows.length)} of ${numberInWords(all)}.</p>` : '';
  const hint = suggestion === null ? '' : html`<p class="suggestion">${icon('column')}<span>${suggestion}</span></p>`;
  const table = html`<div class="scroll tall" tabindex="0" role="region" aria-label="Rows that differ">
    <table aria-label="Rows that differ, beside each other">
      <thead>
        <tr>
          <th scope="col"><span class="visually-hidden">How it differs</span></th>
          <th scope="col" class="number" title="Row of the prediction">pred.</th>
          <th scope="col" class="number" title="Row of the gold">gold</th>
          ${columns.map(headView)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(rowView)}
      </tbody>
    </table>
  </div>`;
  return html`<section class="aligned">
    <h3>Row by row <span class="dim">${alignedInWords(aligned)}</span></h3>
    ${hint} ${rows.length === 0 ? '' : table} ${more}
  </section>`;
}
