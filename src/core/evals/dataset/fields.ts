import type { DatasetFormat, Item } from '../../../protocol/dataset.ts';
import type { Problems } from './problems.ts';

/** One object of a dataset file, not yet checked. */
export type RawItem = Readonly<Record<string, unknown>>;

/** The names under which each format has the gold query, the usual one first. Spider's `sql` is a parsed form, no text. */
export const GOLD_FIELDS: Record<DatasetFormat, readonly string[]> = {
  bird: ['SQL', 'sql', 'gold', 'query'],
  spider: ['query', 'gold', 'SQL'],
  jsonl: ['gold', 'query', 'SQL', 'sql'],
  csv: ['gold', 'query', 'SQL', 'sql'],
  suite: ['sql'],
};

const ID_FIELDS = ['question_id', 'id'];

/** Reads the fields of one item and says what is wrong with them. */
class FieldReader {
  readonly raw: RawItem;
  readonly line: number;
  readonly problems: Problems;

  constructor(raw: RawItem, line: number, problems: Problems) {
    this.raw = raw;
    this.line = line;
    this.problems = problems;
  }

  /** A text that must be there and not blank, by the first of its names that the item has. */
  needed(names: readonly string[]): string {
    const name = names.find((candidate) => Object.hasOwn(this.raw, candidate));
    if (name === undefined) {
      const [first = '', ...others] = names;
      const found = Object.keys(this.raw).slice(0, 12).join(', ') || 'nothing';
      this.#add(`field "${first}"${others.length > 0 ? ` (or ${others.join(', ')})` : ''} is missing; found ${found}`);
      return '';
    }
    const value = this.raw[name];
    if (typeof value !== 'string') this.#add(`field "${name}" is ${kindOf(value)}, not a text`);
    else if (value.trim() === '') this.#add(`field "${name}" is empty`);
    else return value;
    return '';
  }

  /** A text that may be absent or null. */
  optional(name: string): string | null {
    const value = this.raw[name] ?? null;
    if (value === null || typeof value === 'string') return value;
    this.#add(`field "${name}" is ${kindOf(value)}, not a text`);
    return null;
  }

  /** A text or a whole number; null where there is none. */
  id(names: readonly string[]): string | null {
    const name = names.find((candidate) => (this.raw[candidate] ?? null) !== null);
    if (name === undefined) return null;
    const value = this.raw[name];
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    if (typeof value !== 'string') this.#add(`field "${name}" is ${kindOf(value)}, neither a text nor a whole number`);
    else if (value.trim() === '') this.#add(`field "${name}" is empty`);
    else if (/[\r\n]/.test(value)) this.#add(`field "${name}" has a line feed`);
    else return value;
    return null;
  }

  /** The folder of the item's database: one name, so that no item leads out of the root. */
  folderName(): string {
    const name = this.needed(['db_id']);
    if (name !== '' && !isFolderName(name)) this.#add(`field "db_id" is no name of a folder: ${JSON.stringify(name)}`);
    return name;
  }

  /** A suite's path of a database, relative to the suite file. */
  path(): string {
    const path = this.needed(['database']);
    if (/^[/\\]{2}|\0/.test(path)) this.#add(`field "database" is no path beside this file: ${JSON.stringify(path)}`);
    return path;
  }

  #add(text: string): void {
    this.problems.add(this.line, text);
  }
}

/** True for a name that stays in the folder it is looked up in. */
export function isFolderName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\:\0]/.test(name);
}

/** The item of one object; what is wrong with it is added to `problems`. @param position of the item, from 0 */
export function readItem(
  raw: RawItem,
  format: DatasetFormat,
  place: { position: number; line: number },
  problems: Problems,
): Item {
  const fields = new FieldReader(raw, place.line, problems);
  const database = format === 'suite' ? fields.path() : null;
  return {
    id: format === 'suite' ? fields.needed(['id']) : (fields.id(ID_FIELDS) ?? String(place.position)),
    db_id: database === null ? fields.folderName() : nameOfDatabase(database),
    question: fields.needed(['question']),
    evidence: fields.optional('evidence') ?? '',
    gold: fields.needed(GOLD_FIELDS[format]),
    difficulty: fields.optional('difficulty') || null,
    database,
    line: place.line,
  };
}

/** File name of a database without its ending. */
function nameOfDatabase(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return name.replace(/(?<=.)\.[^.]*$/, '');
}

/** What a JSON value is, for a message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What a value is if it is no object of fields; null where it is one. */
export function asRawItem(value: unknown): RawItem | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
