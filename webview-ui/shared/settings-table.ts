import { html, type TemplateResult } from 'lit';

/** A setting in which two runs differ, as text; null where a run has none. */
interface DifferingSetting {
  name: string;
  a: string | null;
  b: string | null;
}

/** Settings side by side. @param heads what the two runs are called */
export function settingsSideBySide(
  settings: readonly DifferingSetting[],
  heads: readonly [string, string],
): TemplateResult {
  return html`<div class="wide">
    <table class="texts">
      <thead>
        <tr>
          <th scope="col">setting</th>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${settings.map(
          ({ name, a, b }) => html`<tr>
            <th scope="row">${name}</th>
            <td>${a ?? '–'}</td>
            <td>${b ?? '–'}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
