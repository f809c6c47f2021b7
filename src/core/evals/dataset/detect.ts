import { type DatasetFormat, SUITE_ENDING } from '../../../protocol/dataset.ts';
import { csvRecords } from '../../schema/csv.ts';
import { asRawItem, type RawItem } from './fields.ts';
import { scanArray } from './json-elements.ts';
import { Problems } from './problems.ts';

/** What a file is: a dataset of a format, or something else that people have in its place, named for a message. */
export type Detected = { format: DatasetFormat } | { other: string };

/**
 * The form of a file by its name and the beginning of its content.
 * @param text whole, or its first 64 KB or more @param name of the file
 */
export function detectFormat(text: string, name: string): Detected {
  const first = firstRecord(text);
  const other = first === null ? null : otherKind(first);
  if (other !== null) return { other };
  if (name.endsWith(SUITE_ENDING)) return { format: 'suite' };
  switch (text.trimStart()[0]) {
    case '[':
      return { format: first !== null && ('SQL' in first || 'evidence' in first) ? 'bird' : 'spider' };
    case '{':
      return detectLines(text, first);
    default:
      return detectPlain(text, name);
  }
}

function detectLines(text: string, first: RawItem | null): Detected {
  if (first !== null) return { format: 'database' in first && !('db_id' in first) ? 'suite' : 'jsonl' };
  const whole = parsedObject(text);
  if (whole === null) return { format: 'jsonl' };
  const found = Object.keys(whole).slice(0, 6).join(', ');
  return { other: otherKind(whole) ?? `one JSON object (${found}), not a list of items` };
}

function detectPlain(text: string, name: string): Detected {
  const header =
    csvRecords(text.slice(0, 65_536))
      .next()
      .value?.fields.map((field) => field.trim()) ?? [];
  if (header.includes('db_id') || name.toLowerCase().endsWith('.csv')) return { format: 'csv' };
  if (/^\s*(select|with)\b/i.test(text))
    return { other: 'a file with a query on each line: predictions, or golds without their questions' };
  return { other: 'neither JSON, JSON lines nor CSV with a header' };
}

/** The first object of a JSON list or of JSON lines; null where there is none that can be read. */
function firstRecord(text: string): RawItem | null {
  const begin = text.search(/\S/);
  if (text[begin] === '{') return parsedObject(text.slice(begin).split('\n', 1)[0] ?? '');
  if (text[begin] !== '[') return null;
  const [element] = scanArray(text.slice(0, begin + 1_000_000), new Problems());
  return element === undefined ? null : parsedObject(text.slice(element.start, element.end));
}

function parsedObject(text: string): RawItem | null {
  try {
    return asRawItem(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What an object belongs to if it is no item of a dataset; null where it may be one. */
function otherKind(record: RawItem): string | null {
  const has = (...names: string[]) => names.every((name) => Object.hasOwn(record, name));
  if (has('table_names_original') || has('table_names', 'column_names'))
    return "descriptions of schemas (Spider's tables.json), without questions";
  if (has('outcome', 'verdict')) return 'the answers of a run (items.jsonl)';
  if (has('official_ex') || has('gold_status', 'pred_status')) return 'verdicts of "sql-agent score"';
  if (has('kind', 'run_id', 'prev')) return 'a ledger';
  if (has('splits', 'seed')) return 'a file of splits, which belongs to a dataset';
  if (!has('question') && ['pred', 'predicted', 'prediction'].some((name) => has(name)))
    return 'predictions; "sql-agent score --pairs" scores them';
  const [key, value] = Object.entries(record)[0] ?? [];
  if (typeof value === 'string' && value.includes('\t----- bird -----\t'))
    return 'predictions in BIRD\'s form; "sql-agent score --pairs" scores them';
  if (key?.split('|').length === 3) return 'meanings of columns, without questions';
  return null;
}

/**
 * True where a file that nobody named is worth reading as a dataset: its first record has a question or a database.
 * @param text the file's first 64 KB or more
 */
export function resemblesDataset(text: string, name: string): boolean {
  const detected = detectFormat(text, name);
  if ('other' in detected) return false;
  if (detected.format === 'suite') return true;
  const first = firstRecord(text);
  if (first !== null) return 'question' in first || 'db_id' in first;
  if (detected.format === 'csv') return /(^|,)\s*"?(db_id|question)\b/.test(text.split('\n', 1)[0] ?? '');
  // A first record that is broken: only names that promise a dataset are taken at their word.
  return /\.jsonl$|^(train|dev|test|mini_dev)\b.*\.json$/i.test(name);
}
