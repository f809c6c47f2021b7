/** A cell of a grid; the first row and column are 0. */
export interface Spot {
  row: number;
  column: number;
}

/** The cells between two corners. */
export interface Selection {
  /** Where the selection began. */
  anchor: Spot;
  /** Where the cursor is. */
  cursor: Spot;
}

export interface GridSize {
  rows: number;
  columns: number;
  /** Rows that are seen at once. */
  page: number;
}

/** A key with its modifiers; `command` is Ctrl, or Cmd on a Mac. */
export interface Key {
  key: string;
  shift: boolean;
  command: boolean;
}

const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));

/** Where a key leads from `spot`; null where it leads nowhere. The keys are those of the ARIA grid pattern. */
function target({ row, column }: Spot, { key, command }: Key, size: GridSize): Spot | null {
  switch (key) {
    case 'ArrowUp':
      return { row: command ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: command ? size.rows - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: command ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: command ? size.columns - 1 : column + 1 };
    case 'PageUp':
      return { row: row - size.page, column };
    case 'PageDown':
      return { row: row + size.page, column };
    case 'Home':
      return { row: command ? 0 : row, column: 0 };
    case 'End':
      return { row: command ? size.rows - 1 : row, column: size.columns - 1 };
    default:
      return null;
  }
}

/** The selection after a key; null where the key is none of the grid's. */
export function move(selection: Selection, key: Key, size: GridSize): Selection | null {
  if (size.rows === 0 || size.columns === 0) return null;
  const { cursor, anchor } = selection;
  if (key.key === ' ' && key.shift)
    return { anchor: { row: anchor.row, column: 0 }, cursor: { row: cursor.row, column: size.columns - 1 } };
  if (key.key.toLowerCase() === 'a' && key.command)
    return { anchor: { row: 0, column: 0 }, cursor: { row: size.rows - 1, column: size.columns - 1 } };
  const to = target(cursor, key, size);
  if (to === null) return null;
  const spot = { row: within(to.row, size.rows), column: within(to.column, size.columns) };
  return { anchor: key.shift ? anchor : spot, cursor: spot };
}

/** The selection as first and last rows and columns, both inside. */
export function boundsOf({ anchor, cursor }: Selection): { top: number; bottom: number; left: number; right: number } {
  return {
    top: Math.min(anchor.row, cursor.row),
    bottom: Math.max(anchor.row, cursor.row),
    left: Math.min(anchor.column, cursor.column),
    right: Math.max(anchor.column, cursor.column),
  };
}

/** True where a cell is selected. */
export function isSelected(selection: Selection, row: number, column: number): boolean {
  const { top, bottom, left, right } = boundsOf(selection);
  return row >= top && row <= bottom && column >= left && column <= right;
}
