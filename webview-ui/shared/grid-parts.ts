import { html, nothing, type TemplateResult } from 'lit';
import type { GridColumn } from '../../src/protocol/grid.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { kindOf, viewOf } from './cells.ts';
import type { DrawnColumn } from './grid-columns.ts';
import { ROW_HEIGHT } from './grid-theme.ts';
import { isSelected, type Selection } from './navigation.ts';
import type { Pages } from './pages.ts';
import { markInWords, signOf } from './row-marks.ts';

/** What rows are drawn with. */
export interface RowContext {
  columns: readonly DrawnColumn[];
  selection: Selection;
  /** Width of the column of row numbers, and of a whole row. */
  numberWidth: number;
  width: number;
  pages: Pages;
}

/** What can be done with the edge of a column's header. */
export interface Grip {
  drag(event: PointerEvent, column: number): void;
  fit(column: number): void;
}

/** The head of a column: its name and, where columns have types, its type. */
export function headerCell(
  column: GridColumn,
  { index, left, width }: DrawnColumn,
  options: { isCurrent: boolean; hasTypes: boolean; grip: Grip },
): TemplateResult {
  const { name, declared } = column;
  const { isCurrent, hasTypes, grip } = options;
  return html`<div
    class="column ${isCurrent ? 'current' : ''}"
    role="columnheader"
    aria-colindex=${index + 2}
    title=${declared ? `${name}  ${declared}` : name}
    .style=${`left:${left}px;width:${width}px`}
  >
    <div class="name">${name}</div>
    ${hasTypes ? html`<div class="type">${declared ?? ''}</div>` : ''}
    <div
      class="grip"
      @pointerdown=${(event: PointerEvent) => grip.drag(event, index)}
      @dblclick=${() => grip.fit(index)}
    ></div>
  </div>`;
}

function cellPart(cell: JsonCell, row: number, column: DrawnColumn, selection: Selection): TemplateResult {
  const { text, look, flag } = viewOf(cell);
  const { cursor } = selection;
  const isCursor = cursor.row === row && cursor.column === column.index;
  const selected = isSelected(selection, row, column.index);
  const special = look === 'empty' || flag !== null ? kindOf(cell) : nothing;
  const shown = look === 'empty' ? html`<span aria-hidden="true">''</span>` : text;
  const flagged = flag === null ? '' : html`<span class="flag">${flag}</span>`;
  return html`<div
    id=${`cell-${row}-${column.index}`}
    class="cell ${look}-look ${selected ? 'selected' : ''} ${isCursor ? 'cursor' : ''}"
    role="gridcell"
    aria-colindex=${column.index + 2}
    aria-selected=${selected}
    aria-description=${special}
    data-row=${row}
    data-column=${column.index}
    .style=${`left:${column.left}px;width:${column.width}px`}
    >${shown}${flagged}</div
  >`;
}

/** The number of a row, with its sign where it differs from the other result. */
function numberPart(index: number, { selection, numberWidth, pages }: RowContext): TemplateResult {
  const mark = pages.mark(index);
  const sign =
    mark === null
      ? ''
      : html`<span class="sign" aria-hidden="true">${signOf(mark)}</span
          ><span class="visually-hidden">${markInWords(mark)}, row</span>`;
  return html`<div
    class="number ${index === selection.cursor.row ? 'current' : ''}"
    role="rowheader"
    aria-colindex="1"
    data-row=${index}
    title=${mark === null ? nothing : markInWords(mark)}
    .style=${`width:${numberWidth}px`}
  >
    ${sign}${pages.numberOf(index)}
  </div>`;
}

/** A row with its number. Its page is asked for where it is not there. */
export function rowPart(index: number, context: RowContext): TemplateResult {
  const { columns, selection, numberWidth, width, pages } = context;
  const cells = pages.row(index);
  const drawn =
    cells === null
      ? html`<div class="cell waiting" role="gridcell" .style=${`left:${numberWidth}px`}>…</div>`
      : columns.map((column) => cellPart(cells[column.index] ?? null, index, column, selection));
  return html`<div
    class="row ${pages.mark(index)?.kind ?? ''}"
    role="row"
    aria-rowindex=${index + 2}
    .style=${`top:${index * ROW_HEIGHT}px;width:${width}px`}
  >
    ${numberPart(index, context)} ${drawn}
  </div>`;
}
