import { parseCsv } from './csv.ts';
import { nameKey } from './identifiers.ts';
import { collapseSpaces } from './words.ts';

/**
 * Column meanings from the CSV that BIRD ships for a table (`database_description/<table>.csv`, with the fields
 * `original_column_name`, `column_name`, `column_description`, `value_description`).
 * @returns text by `nameKey` of the column; columns of which nothing is said are left out
 */
export function parseDescriptions(csv: string): Map<string, string> {
  const [header, ...records] = parseCsv(csv.replace(/^\uFEFF/, ''));
  const titles = (header ?? []).map((title) => title.trim().toLowerCase());
  const read = (record: readonly string[], title: string) =>
    collapseSpaces(record[titles.indexOf(title)] ?? '').replace(/\s*[.;:]$/, '');
  const meanings = new Map<string, string>();
  for (const record of records) {
    const column = read(record, 'original_column_name');
    const words = read(record, 'column_name');
    const description = read(record, 'column_description') || (nameKey(words) === nameKey(column) ? '' : words);
    const meaning = [description, read(record, 'value_description')].filter((part) => part !== '').join('. ');
    if (column !== '' && meaning !== '') meanings.set(nameKey(column), meaning);
  }
  return meanings;
}
