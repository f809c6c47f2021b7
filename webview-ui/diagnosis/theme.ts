import { css } from 'lit';

/** Looks of a diagnosis. What is marked has a sign or words beside its colour. */
export const diagnosisTheme = css`
  :host {
    display: block;
    min-width: 0;
    container-type: inline-size;
  }
  .diagnosis {
    display: grid;
    gap: 14px;
    padding: 10px 12px 12px;
    border: 1px solid var(--line);
    border-radius: 6px;
    line-height: 1.5;
  }
  .diagnosis > * {
    min-width: 0;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 12px;
    min-height: 26px;
  }
  h2,
  h3,
  h4,
  strong {
    font-weight: 600;
  }
  h4 {
    margin: 6px 0 4px;
    font-size: inherit;
  }
  h3 {
    margin-bottom: 6px;
  }
  h3 .dim,
  h4 .dim {
    margin-inline-start: 6px;
    font-weight: 400;
  }
  ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .verdict,
  .note,
  .suggestion,
  .problem {
    display: flex;
    gap: 8px;
    overflow-wrap: anywhere;
  }
  .verdict svg.icon,
  .note svg.icon,
  .suggestion svg.icon,
  .problem svg.icon {
    margin-top: 2px;
  }
  .verdict.bad svg.icon,
  .problem svg.icon {
    color: var(--bad);
  }
  .verdict.good svg.icon {
    color: var(--good);
  }
  .suggestion {
    margin-bottom: 6px;
  }
  .findings ul {
    display: grid;
    gap: 6px;
  }
  .findings li {
    display: grid;
    grid-template-columns: minmax(120px, 210px) minmax(0, 1fr);
    gap: 2px 14px;
    overflow-wrap: anywhere;
  }
  .findings details ul {
    margin-top: 6px;
  }
  .edits {
    display: grid;
    gap: 4px;
    margin-bottom: 8px;
  }
  .edits li {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 4px 10px;
    overflow-wrap: anywhere;
  }
  .before,
  .after {
    padding: 1px 6px;
    border: 1px solid var(--line);
    border-radius: 4px;
  }
  .before {
    border-color: var(--bad);
    background: var(--removed);
  }
  .before code {
    text-decoration: line-through;
  }
  .after {
    border-color: var(--good);
    background: var(--added);
  }
  .repair pre {
    max-height: 160px;
    overflow: auto;
    padding: 8px 12px;
    border: 1px solid var(--contrast);
    border-radius: 6px;
    background: var(--vscode-textCodeBlock-background, var(--faint));
    user-select: text;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-top: 8px;
  }
  .diagnosis > .tools {
    margin-top: 0;
  }
  table {
    border-collapse: collapse;
  }
  th,
  td {
    padding: 3px 10px;
    border-bottom: 1px solid var(--line);
    text-align: start;
    vertical-align: top;
    font-weight: 400;
  }
  thead th {
    color: var(--dim);
    white-space: nowrap;
  }
  .steps table {
    width: 100%;
    table-layout: fixed;
  }
  .steps .rows {
    width: 84px;
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .steps .parts td {
    background: var(--removed);
  }
  .steps .parts td:first-child {
    box-shadow: inset 3px 0 0 var(--bad);
  }
  .steps .none {
    background: repeating-linear-gradient(135deg, transparent 0 5px, var(--faint) 5px 6px);
  }
  .here {
    display: flex;
    align-items: center;
    gap: 5px;
  }
  .here svg.icon {
    color: var(--bad);
  }
  .place {
    overflow-wrap: anywhere;
  }
  .place code.sql {
    color: var(--vscode-foreground);
  }
  .place:hover code.sql,
  .place:focus-visible code.sql {
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  .lead {
    color: var(--dim);
    font-family: var(--vscode-font-family);
  }
  .flags li {
    display: flex;
    gap: 5px;
    color: var(--dim);
  }
  .flags svg.icon {
    margin-top: 2px;
    color: var(--warn);
  }
  .inside ul {
    padding-inline-start: 17px;
  }
  .inner {
    display: flex;
    gap: 10px;
    justify-content: space-between;
  }
  .scroll {
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: 6px;
  }
  .scroll.tall {
    max-height: 360px;
  }
  .scroll tbody tr:last-child > * {
    border-bottom: none;
  }
  .scroll thead th {
    position: sticky;
    top: 0;
    background: var(--vscode-editor-background);
  }
  .scroll table {
    min-width: 100%;
  }
  .trails td,
  .aligned td {
    font-family: var(--code-font);
    font-size: var(--code-size);
  }
  .trails td.why {
    font-family: var(--vscode-font-family);
    font-size: inherit;
  }
  .trails td.why {
    min-width: 28ch;
  }
  .truths li {
    overflow-wrap: anywhere;
  }
  .dies {
    color: var(--dim);
  }
  .truth {
    padding: 0 5px;
    border: 1px solid var(--line);
    border-radius: 3px;
  }
  .truth.false,
  .truth.null {
    border-color: var(--bad);
  }
  .truth.true {
    border-color: var(--good);
  }
  .value {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .null-look,
  .empty-look,
  .blob-look {
    color: var(--dim);
    font-style: italic;
  }
  .flag {
    color: var(--warn);
  }
  .aligned td {
    max-width: 44ch;
  }
  .aligned .number {
    width: 1px;
    color: var(--dim);
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .aligned tbody th {
    width: 1px;
    font-family: var(--code-font);
    font-weight: 600;
    white-space: nowrap;
  }
  .aligned tr.missing > * {
    background: var(--removed);
  }
  .aligned tr.extra > * {
    background: var(--added);
  }
  .aligned tr.repeated > * {
    background: var(--recounted);
  }
  .differs .pred {
    background: var(--added);
  }
  .differs .gold {
    background: var(--removed);
  }
  .differs .sign {
    display: inline-block;
    width: 1.4em;
    font-weight: 600;
  }
  @container (max-width: 620px) {
    .findings li {
      grid-template-columns: minmax(0, 1fr);
    }
    th,
    td {
      padding: 3px 6px;
    }
    .steps .rows {
      width: 56px;
    }
  }
  @media (forced-colors: active) {
    .truth,
    .before,
    .after {
      border-color: CanvasText;
    }
    .steps .parts td:first-child {
      border-inline-start: 3px solid CanvasText;
    }
  }
`;
