import { html, svg, type TemplateResult } from 'lit';
import type { ComparedGroup, ComparedRun, Comparison } from '../../src/protocol/compare.ts';
import { rate } from '../../src/protocol/figures.ts';
import type { Share } from '../../src/protocol/score.ts';
import { icon } from '../shared/icons.ts';
import { settingsSideBySide } from '../shared/settings-table.ts';
import { intervalInWords, pointsInWords, runInWords } from './words.ts';

const portion = ({ right, of }: Share) => (of === 0 ? 0 : right / of);

/** A share on a line from 0 to 100 %, its interval as a bar. */
function shareLine(share: Share): TemplateResult {
  const at = (value: number) => 2 + value * 196;
  const { low, high } = share;
  return html`<svg class="share" viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<line class="axis" x1="2" x2="198" y1="7" y2="7" />
    <rect class="interval" x=${at(low)} width=${Math.max(1, at(high) - at(low))} y="3" height="8" />
    <rect class="point" x=${at(portion(share)) - 1} width="2" y="1" height="12" />`}
  </svg>`;
}

/** One of the two runs: model, EX with its interval, where and when. */
export function runCard(letter: 'A' | 'B', run: ComparedRun): TemplateResult {
  return html`<section class="card" aria-label=${`Run ${letter}`}>
    <h2><span class="letter">${letter}</span>${run.model}</h2>
    <p class="big">${rate(run.share)} <span class="dim">${intervalInWords(run.share)}</span></p>
    ${shareLine(run.share)}
    <p class="dim">${run.share.right} of ${run.share.of} right</p>
    <p class="dim">${runInWords(run)}</p>
  </section>`;
}

/** A table of the compared items by database or by difficulty. */
export function groupTable(title: string, column: string, groups: readonly ComparedGroup[]): TemplateResult | '' {
  if (groups.length === 0) return '';
  const lines = groups.map(
    ({ name, items, a, b, gained, lost }) => html`<tr>
      <th scope="row">${name}</th>
      <td>${items}</td>
      <td>${rate(a)}</td>
      <td>${rate(b)}</td>
      <td class="change">${pointsInWords(portion(b) - portion(a))}</td>
      <td>${gained}</td>
      <td>${lost}</td>
    </tr>`,
  );
  return html`<details class="groups" ?open=${groups.length <= 8}>
    <summary class="twisted"><h2>${title}</h2> <span class="dim">${groups.length}</span></summary>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">${column}</th>
            <th scope="col">items</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">points</th>
            <th scope="col">gained</th>
            <th scope="col">lost</th>
          </tr>
        </thead>
        <tbody>
          ${lines}
        </tbody>
      </table>
    </div>
  </details>`;
}

/** In which settings the runs differ. */
export function settingsTable({ settings }: Comparison): TemplateResult {
  if (settings.length === 0) return html`<p class="dim">Both runs have the same settings.</p>`;
  return html`<details class="groups" open>
    <summary class="twisted"><h2>Settings that differ</h2> <span class="dim">${settings.length}</span></summary>
    ${settingsSideBySide(settings, ['A', 'B'])}
  </details>`;
}

const ids = (list: readonly string[]) => {
  const shown = list.slice(0, 20).join(', ');
  return list.length > 20 ? `${shown} and ${list.length - 20} more` : shown;
};

/** What limits the comparison, and which items are not in it. */
export function limitsView({ notes, items }: Comparison): TemplateResult | '' {
  const left: [string, readonly string[]][] = [
    ['The gold failed', items.gold_failed],
    ['In A alone', items.only_a],
    ['In B alone', items.only_b],
    ['The gold or the database is another', items.other_gold],
  ];
  const parts = left.filter(([, list]) => list.length > 0);
  if (notes.length === 0 && parts.length === 0) return '';
  return html`<ul class="notes" aria-label="What limits the comparison">
    ${notes.map((note) => html`<li>${icon('info')}<span>${note}</span></li>`)}
    ${parts.map(([why, list]) => html`<li>${icon('info')}<span>${why}, so not compared (${list.length}): ${ids(list)}</span></li>`)}
  </ul>`;
}
