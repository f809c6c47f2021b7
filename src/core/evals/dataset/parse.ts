import type { DatasetFormat, Item } from '../../../protocol/dataset.ts';
import { readCsv } from './csv-records.ts';
import { detectFormat } from './detect.ts';
import { asRawItem, kindOf, readItem } from './fields.ts';
import { readJsonLines, readJsonList } from './json-records.ts';
import type { LinedRecord } from './lined-record.ts';
import { Problems } from './problems.ts';

/** What came of a file: its items with all problems found, or the name of what it is instead of a dataset. */
export type Parsed = { format: DatasetFormat; items: Item[]; problems: Problems } | { other: string };

/**
 * Reads the items of a dataset file. Items with problems are left in, incomplete; a dataset with problems is not to be
 * used.
 * @param text without a byte order mark @param options.format as the user forces it; null: by name and content
 */
export function parseDataset(text: string, options: { name: string; format: DatasetFormat | null }): Parsed {
  const detected = options.format === null ? detectFormat(text, options.name) : { format: options.format };
  if ('other' in detected) return detected;
  const { format } = detected;
  const problems = new Problems();
  const items: Item[] = [];
  for (const { value, line } of recordsOf(text, format, problems)) {
    const raw = asRawItem(value);
    if (raw === null) problems.add(line, `${kindOf(value)} stands where an item is expected`);
    else items.push(readItem(raw, format, { position: items.length, line }, problems));
  }
  if (items.length === 0 && problems.count === 0) problems.add(null, 'the file holds no items');
  findRepeatedIds(items, problems);
  return { format, items, problems };
}

function recordsOf(text: string, format: DatasetFormat, problems: Problems): Iterable<LinedRecord> {
  switch (format) {
    case 'bird':
    case 'spider':
      return readJsonList(text, problems);
    case 'csv':
      return readCsv(text, problems);
    default:
      return readJsonLines(text, problems);
  }
}

function findRepeatedIds(items: readonly Item[], problems: Problems): void {
  const lines = new Map<string, number>();
  for (const { id, line } of items) {
    const earlier = lines.get(id);
    if (id === '') continue;
    if (earlier === undefined) lines.set(id, line);
    else problems.add(line, `the id "${id}" is taken already, by the item on line ${earlier}`);
  }
}
