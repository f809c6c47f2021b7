import { css, html, type TemplateResult } from 'lit';
import type { Answer } from '../../src/protocol/ask-panel.ts';
import { countInWords, numberInWords } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';

export const signalsTheme = css`
  .hints {
    display: grid;
    gap: 6px;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .hints li {
    display: grid;
    grid-template-columns: 16px 1fr;
    gap: 2px 8px;
    line-height: 1.5;
  }
  .hints svg.icon {
    margin-top: 2px;
  }
  .hints .good {
    color: var(--good);
  }
  .hints .warn {
    color: var(--warn);
  }
  .hints strong {
    font-weight: 600;
  }
  .hints p {
    grid-column: 2;
  }
`;

/** What the hints are made from. */
type Hinted = Pick<Answer, 'signals' | 'words'>;

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

function shape({ signals, words }: Hinted): TemplateResult | '' {
  if (words.expected === null) return '';
  const source = signals.expected?.source === 'model' ? 'the model said so' : 'by the wording of the question';
  const verdict =
    signals.agrees === null
      ? html`${icon('info')}<strong>Shape not compared</strong>`
      : signals.agrees
        ? html`<span class="good">${icon('check')}</span><strong>The shape agrees</strong>`
        : html`<span class="warn">${icon('alert')}</span><strong>The shape differs</strong>`;
  return html`<li>
    ${verdict}
    <p>Expected: ${words.expected} <span class="dim">(${source})</span>.</p>
    ${words.actual === null ? '' : html`<p>Got: ${sentence(words.actual)}</p>`}
    ${signals.differences.map((difference) => html`<p>${sentence(difference)}</p>`)}
  </li>`;
}

function duplicates({ signals }: Pick<Answer, 'signals'>): TemplateResult | '' {
  if (signals.duplicates === null) return '';
  const { rows, total } = signals.duplicates;
  return html`<li>
    <span class="warn">${icon('alert')}</span><strong>Duplicated rows</strong>
    <p>
      ${numberInWords(rows)} of ${countInWords(total, 'row')} ${rows === 1 ? 'is' : 'are'} equal to an earlier one. A join
      may multiply rows, or DISTINCT may be missing.
    </p>
  </li>`;
}

/** The hints on an answer: whether its shape is the expected one, whether rows stand twice. */
export function signalsView(answer: Hinted): TemplateResult | '' {
  const hints = [shape(answer), duplicates(answer)].filter((hint) => hint !== '');
  return hints.length === 0 ? '' : html`<ul class="hints" aria-label="Hints on the answer">${hints}</ul>`;
}
