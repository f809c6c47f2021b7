import type { TableFormat } from '../../protocol/ask-panel.ts';
import { toSeparated } from '../../protocol/cell-text.ts';
import type { JsonCell } from '../../protocol/value.ts';

/** Column names without repeats, as keys of an object: the second `name` is `name_2`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; used.has(unique); number += 1) {
      const next = `${name}_${number}`;
      if (!taken.has(next)) unique = next;
    }
    used.add(unique);
    return unique;
  });
}

/** A cell as JSON text: integers with all their digits, whatever reads them; blobs in hexadecimal. */
function jsonCell(cell: JsonCell): string {
  if (cell === null || typeof cell !== 'object') return JSON.stringify(cell);
  if ('int' in cell) return cell.int;
  if ('real' in cell) return JSON.stringify(cell.real);
  return JSON.stringify('hex' in cell ? cell.hex : cell.text);
}

/** Rows as a JSON array of objects, one a line. */
function toJsonText(columns: readonly string[], rows: readonly (readonly JsonCell[])[]): string {
  const keys = uniqueNames(columns).map((name) => JSON.stringify(name));
  const lines = rows.map((row) => {
    const members = keys.map((key, index) => `${key}: ${jsonCell(row[index] ?? null)}`);
    return `  { ${members.join(', ')} }`;
  });
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`;
}

/** A result as text in a format, with its column names. */
export function tableText(
  columns: readonly string[],
  rows: readonly (readonly JsonCell[])[],
  format: TableFormat,
): string {
  if (format === 'json') return toJsonText(columns, rows);
  return toSeparated(columns, rows, format === 'csv' ? ',' : '\t');
}
