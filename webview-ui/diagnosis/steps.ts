import { html, type TemplateResult } from 'lit';
import type { InnerStepView, StepLine, StepView } from '../../src/protocol/diagnosis-view.ts';
import { numberInWords } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';
import { sqlText } from '../shared/sql.ts';
import { placeLink } from './mark.ts';

type Side = 'pred' | 'gold';

const PARTS_HERE = html`<strong class="here">${icon('alert')}The rows part here</strong>`;

function count(rowCount: number | null): TemplateResult | string {
  if (rowCount !== null) return numberInWords(rowCount);
  return html`<span title="not counted">?<span class="visually-hidden">not counted</span></span>`;
}

function flagsView(flags: readonly string[]): TemplateResult | '' {
  if (flags.length === 0) return '';
  return html`<ul class="flags">
    ${flags.map((flag) => html`<li>${icon('alert')}<span>${flag}</span></li>`)}
  </ul>`;
}

/** A clause's text; where aggregate functions alone make one group of all rows, there is no keyword that says so. */
function clauseView({ label, text }: { label: string; text: string }): TemplateResult {
  const lead = label === 'AGGREGATE' ? html`<span class="lead">one group of all rows: </span>` : '';
  return html`<code class="sql">${lead}${sqlText(text === '' ? label : text)}</code>`;
}

function innerView({ label, text, rowCount, flags, depth, parts }: InnerStepView, side: Side): TemplateResult {
  return html`<li .style=${`padding-inline-start:${depth * 14}px`}>
    ${parts && side === 'pred' ? PARTS_HERE : ''}
    <span class="inner">${clauseView({ label, text })}<span class="count">${count(rowCount)}</span></span>
    ${flagsView(flags)}
  </li>`;
}

function insideView(inside: StepView['inside'], side: Side): TemplateResult[] {
  return inside.map(
    ({ title, steps }) => html`<details class="inside" ?open=${steps.some(({ parts }) => parts)}>
      <summary class="twisted dim">${title}</summary>
      <ul>
        ${steps.map((step) => innerView(step, side))}
      </ul>
    </details>`,
  );
}

function stepCells(step: StepView | null, side: Side, parts: boolean): TemplateResult {
  if (step === null)
    return html`<td class="step ${side} none"><span class="visually-hidden">no such step</span></td>
      <td class="rows ${side}"></td>`;
  const { label, text, range, rowCount, flags, inside } = step;
  const place = { pred: side === 'pred' ? range : null, gold: side === 'gold' ? range : null };
  const clause = clauseView({ label, text });
  // Where they part inside of the clause, that is said there.
  const isInside = inside.some(({ steps }) => steps.some((inner) => inner.parts));
  const here = parts && side === 'pred' && !isInside ? PARTS_HERE : '';
  return html`<td class="step ${side}">${here} ${placeLink(place, clause)} ${flagsView(flags)} ${insideView(inside, side)}</td>
    <td class="rows ${side}">${count(rowCount)}</td>`;
}

function lineView({ pred, gold, parts }: StepLine): TemplateResult {
  // Where the prediction has no such step, the gold's says that the rows part.
  const goldParts = parts && pred === null;
  return html`<tr class=${parts ? 'parts' : ''}>
    ${stepCells(pred, 'pred', parts)}
    ${
      gold !== null && goldParts
        ? html`<td class="step gold">
              ${PARTS_HERE}
              ${placeLink({ pred: null, gold: gold.range }, clauseView(gold))}
              ${flagsView(gold.flags)} ${insideView(gold.inside, 'gold')}
            </td>
            <td class="rows gold">${count(gold.rowCount)}</td>`
        : stepCells(gold, 'gold', false)
    }
  </tr>`;
}

/** The steps of both queries beside each other, each with its rows. */
export function stepsView(lines: readonly StepLine[]): TemplateResult | '' {
  if (lines.length === 0) return '';
  return html`<section class="steps">
    <h3>Step by step</h3>
    <table aria-label="Steps of both queries with their rows">
      <thead>
        <tr>
          <th scope="col">Predicted</th>
          <th scope="col" class="rows">rows</th>
          <th scope="col">Gold</th>
          <th scope="col" class="rows">rows</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map(lineView)}
      </tbody>
    </table>
  </section>`;
}

/** The steps of one query. */
export function soleStepsView(steps: readonly StepView[]): TemplateResult | '' {
  if (steps.length === 0) return '';
  return html`<section class="steps sole">
    <h3>Step by step</h3>
    <table aria-label="Steps of the query with their rows">
      <thead>
        <tr><th scope="col">Step</th><th scope="col" class="rows">rows</th></tr>
      </thead>
      <tbody>
        ${steps.map((step) => html`<tr>${stepCells(step, 'pred', false)}</tr>`)}
      </tbody>
    </table>
  </section>`;
}
