import { type CSSResultGroup, css, html, type TemplateResult } from 'lit';
import type { WireError } from '../../src/protocol/errors.ts';
import type { RowMark } from '../../src/protocol/grid.ts';
import type { SideDifference } from '../../src/protocol/result-side.ts';
import { differenceInWords } from './difference.ts';
import { send } from './host.ts';
import { icon } from './icons.ts';
import { problemTheme } from './problem-theme.ts';

/** Why the queries cannot be run here, with what helps. */
export function problemView(from: HTMLElement, { code, message }: WireError): TemplateResult {
  const isPlace = code === 'databases_not_found';
  return html`<div class="problem" role="alert">
    ${icon('alert')}
    <p>${message}</p>
    <button @click=${() => send(from, { type: isPlace ? 'chooseFolder' : 'showLog' })}>
      ${isPlace ? 'Choose Folder…' : 'Show Log'}
    </button>
  </div>`;
}

const LEGEND: Record<RowMark['kind'], { sign: string; words: string }> = {
  missing: { sign: '−', words: 'in the gold alone' },
  extra: { sign: '+', words: 'in the prediction alone' },
  recounted: { sign: '×n:m', words: 'n times in the gold, m times in the prediction' },
  moved: { sign: '↕', words: 'another row stands here in the other result' },
};

/** What a comparison is shown with. */
export interface ComparedOptions {
  /** Which prediction is meant, where there are two. */
  of?: string;
  /** Rows that differ are shown alone. */
  differing: boolean;
  show(differing: boolean): void;
}

/** How the results differ: a sentence, what the signs mean, and a switch between all rows and those that differ. */
export function compared(difference: SideDifference, { of, differing, show }: ComparedOptions): TemplateResult {
  const kinds = (['missing', 'extra', 'recounted', 'moved'] as const).filter((kind) => difference[kind] > 0);
  const signs = kinds.map((kind) => html`<li><b aria-hidden="true">${LEGEND[kind].sign}</b>${LEGEND[kind].words}</li>`);
  const none = kinds.length === 0;
  return html`<div class="compared">
    <strong>${of === undefined ? '' : `${of}: `}${differenceInWords(difference)}</strong>
    <ul class="legend" aria-label="Signs beside rows">
      ${signs}
    </ul>
    <label class=${none ? 'off' : ''}>
      <input
        type="checkbox"
        .checked=${differing && !none}
        ?disabled=${none}
        @change=${({ target }: Event) => show(target instanceof HTMLInputElement && target.checked)}
      />
      Only rows that differ
    </label>
  </div>`;
}

/** Looks of what stands above results. */
export const partsTheme: CSSResultGroup = [
  problemTheme,
  css`
  .compared {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 18px;
    min-height: 26px;
  }
  .compared strong {
    font-weight: 600;
  }
  .compared label {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    cursor: pointer;
  }
  .compared label.off {
    opacity: 0.5;
    cursor: default;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 14px;
    margin: 0;
    padding: 0;
    list-style: none;
    color: var(--dim);
  }
  .legend b {
    margin-inline-end: 5px;
    font-family: var(--code-font);
    color: var(--vscode-foreground);
  }
  .problem p {
    overflow-wrap: anywhere;
  }
  @container (max-width: 480px) {
    .problem {
      grid-template-columns: 16px 1fr;
    }
    .problem button {
      grid-column: 2;
      justify-self: start;
    }
  }
`,
];
