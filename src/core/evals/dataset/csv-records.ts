import { csvRecords } from '../../schema/csv.ts';
import { GOLD_FIELDS } from './fields.ts';
import type { LinedRecord } from './lined-record.ts';
import type { Problems } from './problems.ts';

/** The records of a CSV text as objects by the names of its header. An empty field is an absent one where it may be. */
export function* readCsv(text: string, problems: Problems): Generator<LinedRecord> {
  const records = csvRecords(text);
  const first = records.next();
  if (first.done) return;
  const header = first.value.fields.map((field) => field.trim());
  const missing = ['db_id', 'question'].filter((name) => !header.includes(name)).map((name) => `"${name}"`);
  const [gold = '', ...others] = GOLD_FIELDS.csv;
  if (!GOLD_FIELDS.csv.some((name) => header.includes(name))) missing.push(`"${gold}" (or ${others.join(', ')})`);
  if (missing.length > 0) {
    const [separator] = header.length === 1 ? (/[;\t]/.exec(header[0] ?? '') ?? []) : [];
    const hint =
      separator === undefined ? '' : `. Fields are parted by commas here, not by ${separator === ';' ? '";"' : 'tabs'}`;
    problems.add(first.value.line, `the header lacks ${missing.join(' and ')}; it has ${header.join(', ')}${hint}`);
    return;
  }
  for (const { fields, line, isOpen } of records) {
    if (isOpen) problems.add(line, 'a quote is opened here and never closed');
    else if (fields.length !== header.length)
      problems.add(line, `${fields.length} fields, but the header has ${header.length}`);
    else yield { value: asObject(header, fields), line };
  }
}

/** Fields that an item may lack. */
const OPTIONAL = new Set(['question_id', 'id', 'evidence', 'difficulty']);

function asObject(header: readonly string[], fields: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (const [index, name] of header.entries()) {
    const value = fields[index] ?? '';
    if (value !== '' || !OPTIONAL.has(name)) object[name] = value;
  }
  return object;
}
