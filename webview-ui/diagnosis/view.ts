import { html, LitElement, type TemplateResult } from 'lit';
import type { DiagnosisState, DiagnosisView, FindingView, InspectionView } from '../../src/protocol/diagnosis-view.ts';
import { numberInWords, spanInWords } from '../shared/format.ts';
import { send } from '../shared/host.ts';
import { icon } from '../shared/icons.ts';
import { sqlTheme } from '../shared/sql.ts';
import { theme } from '../shared/theme.ts';
import { alignedTable } from './aligned.ts';
import { placeLink } from './mark.ts';
import { repairView } from './repair.ts';
import { soleStepsView, stepsView } from './steps.ts';
import { diagnosisTheme } from './theme.ts';
import { trailsView } from './trails.ts';
import { classInWords, hintInWords, sureInWords } from './words.ts';

/** Findings that are shown before more are asked for. */
const FIRST = 3;

/**
 * Why the rows of a query are wrong: the verdict, a repair, what kind of error it is, the steps of both queries, the rows
 * that part, and both results beside each other. Fires `mark` (`Marked`) for places in the queries.
 */
export class DiagnosisSection extends LitElement {
  static override properties = { state: { attribute: false } };
  static override styles = [theme, sqlTheme, diagnosisTheme];

  declare state: DiagnosisState;

  #head({ phase, inspection }: DiagnosisState): TemplateResult {
    const title = inspection === null ? 'Why are the rows wrong?' : 'What the query shows';
    const busy = phase === 'judging' ? 'Looking for the step where the rows part …' : 'Looking for a repair …';
    const isBusy = phase === 'judging' || phase === 'repairing';
    return html`<header>
      <h2 id="title">${title}</h2>
      ${
        isBusy
          ? html`<span class="dim busy">${busy}</span>
              <button class="quiet" @click=${() => send(this, { type: 'stopDiagnosis' })}>${icon('stop')}Stop</button>`
          : ''
      }
      ${
        phase === 'stopped'
          ? html`<span class="dim">Stopped.</span>
              <button class="quiet" @click=${() => send(this, { type: 'diagnose' })}>${icon('reload')}Look Again</button>`
          : ''
      }
    </header>`;
  }

  #problem({ phase, problem }: DiagnosisState): TemplateResult | '' {
    if (phase !== 'failed' || problem === null) return '';
    return html`<p class="problem" role="alert">
      ${icon('error')}<span>${problem.message}</span>
      <button @click=${() => send(this, { type: 'diagnose' })}>Try Again</button>
    </p>`;
  }

  #verdict({ verdict, sentence, range, goldRange, message }: DiagnosisView): TemplateResult {
    const isEqual = verdict === 'equal';
    const link = placeLink({ pred: range, gold: goldRange }, html`Show in the SQL`);
    const place = range === null && goldRange === null ? '' : link;
    return html`<p class="verdict ${isEqual ? 'good' : 'bad'}">
        ${icon(isEqual ? 'check' : 'alert')}<span><strong>${sentence}</strong> ${place}</span>
      </p>
      ${message === null || sentence.includes(message) ? '' : html`<p class="dim">${message}</p>`}`;
  }

  #finding(finding: FindingView): TemplateResult {
    const { class: kind, sentence, range, goldRange, evidence } = finding;
    const shown = [...evidence, sureInWords(finding)].join(' · ');
    return html`<li>
      <strong>${placeLink({ pred: range, gold: goldRange }, classInWords(kind))}</strong>
      <span>${sentence} <span class="dim">${shown}</span></span>
    </li>`;
  }

  #findings(findings: readonly FindingView[]): TemplateResult | '' {
    if (findings.length === 0) return '';
    const [first, rest] = [findings.slice(0, FIRST), findings.slice(FIRST)];
    return html`<section class="findings">
      <h3>What is wrong</h3>
      <ul>
        ${first.map((finding) => this.#finding(finding))}
      </ul>
      ${
        rest.length === 0
          ? ''
          : html`<details>
              <summary class="twisted dim">${numberInWords(rest.length)} more</summary>
              <ul>
                ${rest.map((finding) => this.#finding(finding))}
              </ul>
            </details>`
      }
    </section>`;
  }

  #noRepair({ phase }: DiagnosisState, { verdict, queries, ms }: DiagnosisView): TemplateResult | '' {
    if (phase !== 'done' || verdict !== 'different') return '';
    const tried = `${numberInWords(queries)} queries, ${spanInWords(ms)}`;
    return html`<p class="dim">No repair of up to three edits was found (${tried}).</p>`;
  }

  #next({ diagnosis, inspection, canDebug }: DiagnosisState): TemplateResult | '' {
    const runs = diagnosis?.verdict === 'different' || inspection?.range === null;
    if (!runs) return '';
    const smallest = html`<button
      title="INSERT statements of the fewest rows on which the queries still differ"
      @click=${() => send(this, { type: 'smallestRows' })}
    >
      ${icon('table')}Smallest Rows
    </button>`;
    const debug = html`<button
      title="Steps through the query, clause by clause, with the rows at each step"
      @click=${() => send(this, { type: 'debug' })}
    >
      ${icon('play')}Debug
    </button>`;
    return html`<div class="tools">${diagnosis === null ? '' : smallest} ${canDebug ? debug : ''}</div>`;
  }

  #diagnosis(state: DiagnosisState, diagnosis: DiagnosisView): TemplateResult {
    const { repair, findings, lines, incomplete } = diagnosis;
    return html`${this.#verdict(diagnosis)} ${this.#findings(findings)}
    ${repair === null ? this.#noRepair(state, diagnosis) : repairView(this, repair)} ${stepsView(lines)}
    ${incomplete === null ? '' : html`<p class="note dim">${icon('info')}<span>Not complete: ${incomplete}</span></p>`}
    ${trailsView(diagnosis)}`;
  }

  #inspection({ sentence, hints, steps, range, incomplete }: InspectionView): TemplateResult {
    const none = hints.length === 0 && range === null;
    const place = range === null ? '' : placeLink({ pred: range, gold: null }, html`Show in the SQL`);
    return html`<p class="verdict ${none ? 'good' : 'bad'}">
        ${icon(none ? 'check' : 'info')}<span><strong>${sentence}</strong> ${place}</span>
      </p>
      ${hints.length === 0 ? '' : html`<section class="findings"><ul>${hints.map(hintView)}</ul></section>`}
      ${soleStepsView(steps)}
      ${incomplete === null ? '' : html`<p class="note dim">${icon('info')}<span>Not complete: ${incomplete}</span></p>`}`;
  }

  override render() {
    const { state } = this;
    const { diagnosis, inspection, rows } = state;
    return html`<section class="diagnosis" aria-labelledby="title" aria-busy=${state.phase === 'judging'}>
      ${this.#head(state)} ${this.#problem(state)} ${diagnosis === null ? '' : this.#diagnosis(state, diagnosis)}
      ${inspection === null ? '' : this.#inspection(inspection)} ${rows === null ? '' : alignedTable(rows)}
      ${this.#next(state)}
    </section>`;
  }
}

function hintView({ kind, sentence, range }: InspectionView['hints'][number]): TemplateResult {
  return html`<li>
    <strong>${placeLink({ pred: range, gold: null }, hintInWords(kind))}</strong>
    <span>${sentence}</span>
  </li>`;
}

customElements.define('diagnosis-section', DiagnosisSection);
