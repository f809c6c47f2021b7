import { cellType, cellWords, rowWords, uniqueNames } from '../../core/debug/words.ts';
import type { CancelSignal } from '../../core/ports.ts';
import type { Variable } from '../../protocol/dap.ts';
import type { Cell } from '../../protocol/value.ts';
import type { Container, Handles } from './variables.ts';

const READ_ONLY = { attributes: ['readOnly'] };

/** A condition of the clause that took a row away, and its truth for the row. */
export interface TruthOf {
  readonly text: string;
  readonly cell: Cell;
}

/** A row as a variable: its cells are its children, and in front of them the conditions that it failed. */
function rowVariable(
  handles: Handles,
  name: string,
  columns: readonly string[],
  row: readonly Cell[],
  truths: readonly TruthOf[] = [],
): Variable {
  const names = uniqueNames(columns);
  const named = () => [
    ...truths.map(({ text, cell }) => valueVariable(text, truthWords(cell))),
    ...row.map((cell, index) => cellVariable(names[index] ?? '', cell)),
  ];
  const failed = truths.filter(({ cell }) => cell !== 1).map(({ text, cell }) => `${text} is ${truthWords(cell)}`);
  const value = rowWords(columns, row);
  return {
    name,
    value: failed.length === 0 ? value : `${failed.join(', ')}: ${value}`,
    type: 'row',
    variablesReference: handles.add({ named }),
    namedVariables: row.length + truths.length,
    presentationHint: READ_ONLY,
  };
}

export function cellVariable(name: string, cell: Cell): Variable {
  return { name, value: cellWords(cell), type: cellType(cell), variablesReference: 0, presentationHint: READ_ONLY };
}

/** A variable that is a word and has no children. */
export function valueVariable(name: string, value: string): Variable {
  return { name, value, variablesReference: 0, presentationHint: READ_ONLY };
}

function truthWords(cell: Cell): string {
  if (cell === null) return 'NULL';
  return cell === 1 ? 'true' : 'false';
}

/** Rows of a query as children by number. */
export interface RowsSource {
  readonly size: number | null;
  /** Their columns, and the rows of a page with what stands hidden behind the columns. */
  read(
    start: number,
    count: number,
    signal: CancelSignal,
  ): Promise<{ columns: readonly string[]; rows: readonly (readonly Cell[])[] }>;
  /** Texts of the conditions whose truth stands right behind the columns. */
  readonly truths: readonly string[];
  /** Columns at the end that are not shown, the truths not counted. */
  readonly hidden: number;
}

/** A container of rows. */
export function rowsContainer(handles: Handles, source: RowsSource): Container {
  const { size, truths, hidden } = source;
  return {
    size,
    async page(start, count, signal) {
      const { columns, rows } = await source.read(start, count, signal);
      const width = columns.length - hidden - truths.length;
      return rows.map((row, index) =>
        rowVariable(
          handles,
          `[${start + index}]`,
          columns.slice(0, width),
          row.slice(0, width),
          truths.map((text, at) => ({ text, cell: row[width + at] ?? null })),
        ),
      );
    },
  };
}
