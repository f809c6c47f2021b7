import { html, type TemplateResult } from 'lit';
import { percents } from '../../src/protocol/figures.ts';
import type { ConfigDifference, TrainingFacts, TrainingMarks } from '../../src/protocol/training-view.ts';
import { icon } from '../shared/icons.ts';
import { settingsSideBySide } from '../shared/settings-table.ts';
import { type Curves, nearest, valueAt } from './curves.ts';
import { CHARTS, shortNumber } from './words.ts';

/** Facts of a run, a name and a value each. */
export function factsView({ facts }: TrainingFacts): TemplateResult {
  return html`<dl class="facts">
    ${facts.map(
      ({ name, value, title }) => html`<div title=${title ?? ''}>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
    )}
  </dl>`;
}

/** Commands that use the adapter, to be copied into a terminal. */
export function usesView({ uses }: TrainingFacts): TemplateResult | '' {
  if (uses.length === 0) return '';
  return html`<section class="uses" aria-label="Use the adapter">
    <h2>Use the adapter</h2>
    ${uses.map(({ what, command }) => html`<div><span class="dim">${what}</span><code tabindex="0">${command}</code></div>`)}
  </section>`;
}

/** The checkpoints on the disk, newest first. */
export function checkpointsView({ checkpoints }: TrainingMarks): TemplateResult {
  if (checkpoints.length === 0) return html`<p class="dim">None yet.</p>`;
  const lines = checkpoints.toReversed().map(
    ({ step, path, loss, best }) => html`<tr>
      <th scope="row" title=${path}>${step.toLocaleString('en-US')}</th>
      <td>${loss === null ? '–' : shortNumber(loss)}</td>
      <td>${best ? html`<span class="best">${icon('check')}best</span>` : ''}</td>
    </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th scope="col">step</th>
        <th scope="col">evaluation loss</th>
        <th scope="col"><span class="visually-hidden">best</span></th>
      </tr>
    </thead>
    <tbody>
      ${lines}
    </tbody>
  </table>`;
}

/** In which settings two runs differ. */
export function differencesView(differences: readonly ConfigDifference[]): TemplateResult {
  if (differences.length === 0) return html`<p class="dim">Both runs have the same settings.</p>`;
  return settingsSideBySide(differences, ['this run', 'the other']);
}

/** Rows of the table that stands for the charts. */
const ROWS = 25;

/** Steps that the table has a row of: evenly over all, the last one always. */
function tableSteps({ buckets: { steps } }: Curves): number[] {
  const every = Math.max(1, Math.ceil(steps.length / ROWS));
  return Array.from(steps).filter((_, index) => (steps.length - 1 - index) % every === 0);
}

/** The evaluation that was last at a step. */
function evaluationAt(marks: TrainingMarks | null, step: number): TrainingMarks['evals'][number] | null {
  const evals = marks?.evals ?? [];
  const index = nearest(
    evals.map((evaluation) => evaluation.step),
    step,
  );
  const found = evals[index];
  if (found === undefined) return null;
  return found.step <= step ? found : (evals[index - 1] ?? null);
}

/** The charts as a table. */
export function valuesView(curves: Curves, marks: TrainingMarks | null): TemplateResult {
  const rows = tableSteps(curves).map((step) => {
    const evaluation = evaluationAt(marks, step);
    return html`<tr>
      <th scope="row">${Math.round(step).toLocaleString('en-US')}</th>
      ${CHARTS.map(({ name, write }) => {
        const value = valueAt(curves, name, step);
        return html`<td>${value === null ? '–' : write(value)}</td>`;
      })}
      <td>${evaluation === null ? '–' : shortNumber(evaluation.loss)}</td>
      <td>${evaluation === null ? '–' : `${percents(evaluation.accuracy)} %`}</td>
    </tr>`;
  });
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          <th scope="col">step</th>
          ${CHARTS.map(({ title }) => html`<th scope="col">${title.toLowerCase()}</th>`)}
          <th scope="col">evaluation loss</th>
          <th scope="col">accuracy</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
