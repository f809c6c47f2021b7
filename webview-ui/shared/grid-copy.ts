import { cellText, toSeparated } from '../../src/protocol/cell-text.ts';
import type { GridColumn } from '../../src/protocol/grid.ts';
import { countInWords } from './format.ts';
import { boundsOf, type Selection } from './navigation.ts';
import type { Pages } from './pages.ts';

/** What is copied, and a sentence that says so. */
export interface Copied {
  text: string;
  said: string;
}

/**
 * The selected cells as text: one cell as it is (NULL as the word), more as values separated by tabs. Rows that are not
 * loaded are left out, and the sentence says how many.
 */
export function copySelection(
  selection: Selection,
  columns: readonly GridColumn[],
  pages: Pages,
  withHeader: boolean,
): Copied | null {
  const { top, bottom, left, right } = boundsOf(selection);
  const rows = [];
  for (let index = top; index <= bottom; index += 1) {
    const row = pages.peek(index);
    if (row !== null) rows.push(row.slice(left, right + 1));
  }
  if (rows.length === 0) return null;
  if (top === bottom && left === right && !withHeader)
    return { text: cellText(rows[0]?.[0] ?? null) ?? 'NULL', said: 'Copied the cell.' };
  const header = withHeader ? columns.slice(left, right + 1).map(({ name }) => name) : null;
  const missing = bottom - top + 1 - rows.length;
  const what = `${countInWords(rows.length, 'row')} of ${countInWords(right - left + 1, 'column')}`;
  const rest = missing === 0 ? '' : ` ${countInWords(missing, 'selected row')} not loaded and left out.`;
  return { text: toSeparated(header, rows, '\t'), said: `Copied ${what}.${rest}` };
}
