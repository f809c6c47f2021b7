import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { appendFile, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ItemRecord } from '../../protocol/eval.ts';
import { errorCode } from '../model/storage.ts';
import { runUnwritable } from './eval-errors.ts';

/** Item records of a run, in the order of finishing. */
export const ITEMS_FILE = 'items.jsonl';
/** Lines that a resumed run took out of it: torn by a crash, or of items that are asked again. */
const ASIDE_FILE = 'items.aside.jsonl';

interface Line {
  text: string;
  /** null where the line is no record. */
  record: ItemRecord | null;
}

interface ItemsRead {
  lines: Line[];
  /** What stands behind the last line feed. */
  torn: string;
}

function parseRecord(text: string): ItemRecord | null {
  try {
    const parsed = ItemRecord.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function readLines(folder: string): Promise<ItemsRead> {
  const path = join(folder, ITEMS_FILE);
  let content: string;
  try {
    // Nobody may ever write to a pipe.
    content = (await stat(path)).isFIFO() ? '' : await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { lines: [], torn: '' };
    throw error;
  }
  const texts = content.split('\n');
  const torn = texts.pop() ?? '';
  return { lines: texts.map((text) => ({ text, record: parseRecord(text) })), torn };
}

/**
 * The records of a run's folder, the first of each item. `notes` says what was passed over. Nothing is changed.
 *
 * @param ids the items of the run; null: not known
 */
export async function readItems(
  folder: string,
  ids: ReadonlySet<string> | null = null,
): Promise<{ records: ItemRecord[]; notes: string[] }> {
  const { lines, torn } = await readLines(folder);
  const notes: string[] = [];
  const byId = new Map<string, ItemRecord>();
  for (const [index, { record }] of lines.entries()) {
    if (record === null) notes.push(`Line ${index + 1} of ${ITEMS_FILE} is no item record and is passed over.`);
    else if (ids?.has(record.id) === false)
      notes.push(
        `Line ${index + 1} of ${ITEMS_FILE} is of item ${record.id}, which the run does not have, and is passed over.`,
      );
    else if (byId.has(record.id))
      notes.push(`Line ${index + 1} of ${ITEMS_FILE} is a second record of item ${record.id} and is passed over.`);
    else byId.set(record.id, record);
  }
  if (torn !== '') notes.push(`The last line of ${ITEMS_FILE} is torn and is passed over.`);
  return { records: [...byId.values()], notes };
}

async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/**
 * Makes the file of a run ready to be appended to: what is no record, stands twice, is of an item that the run does not
 * have, or is to be asked again is moved to `items.aside.jsonl`. A crash meanwhile loses nothing.
 *
 * @param ids the items of the run @param isKept whether a finished item stays finished
 */
export async function repairItems(
  folder: string,
  ids: ReadonlySet<string>,
  isKept: (record: ItemRecord) => boolean,
): Promise<{ records: ItemRecord[]; notes: string[] }> {
  const { lines, torn } = await readLines(folder);
  const kept = new Map<string, { text: string; record: ItemRecord }>();
  const aside: string[] = [];
  let again = 0;
  for (const { text, record: found } of lines) {
    const record = found !== null && ids.has(found.id) ? found : null;
    if (record !== null && !kept.has(record.id) && isKept(record)) kept.set(record.id, { text, record });
    else aside.push(text);
    if (record !== null && !isKept(record)) again += 1;
  }
  if (torn !== '') aside.push(torn);
  const records = [...kept.values()].map(({ record }) => record);
  if (aside.length === 0) return { records, notes: [] };
  await appendFile(join(folder, ASIDE_FILE), aside.map((text) => `${text}\n`).join(''), { flush: true });
  await replaceFile(join(folder, ITEMS_FILE), [...kept.values()].map(({ text }) => `${text}\n`).join(''));
  return { records, notes: asideNotes(aside.length - again, again) };
}

function asideNotes(unreadable: number, again: number): string[] {
  const lines = (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`;
  return [
    ...(unreadable > 0
      ? [`${lines(unreadable)} of ${ITEMS_FILE}, torn, twice there or of no item of the run, moved to ${ASIDE_FILE}.`]
      : []),
    ...(again > 0 ? [`${lines(again)} of items without an answer moved to ${ASIDE_FILE}; they are asked again.`] : []),
  ];
}

/** Appends item records, each as one complete line in one write. */
export class ItemsFile {
  readonly #path: string;
  readonly #file: number;
  #count: number;

  /** @param count records that are there already. @throws AppError `disk_full`, `run_unwritable` */
  constructor(folder: string, count: number) {
    this.#path = join(folder, ITEMS_FILE);
    this.#count = count;
    try {
      this.#file = openSync(this.#path, 'a');
    } catch (error) {
      throw runUnwritable(folder, count, error);
    }
  }

  /** @throws AppError `disk_full`, `run_unwritable`: the record is not there, and what was there is whole */
  append(record: ItemRecord): void {
    const before = fstatSync(this.#file).size;
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    try {
      const written = writeSync(this.#file, line);
      // A disk that fills up takes a part; the next write says why.
      if (written < line.length) writeSync(this.#file, line, written);
      this.#count += 1;
    } catch (error) {
      this.#takeBack(before);
      throw runUnwritable(dirname(this.#path), this.#count, error);
    }
  }

  #takeBack(size: number): void {
    try {
      ftruncateSync(this.#file, size);
    } catch {
      // Whoever reads next passes a torn line over.
    }
  }

  close(): void {
    try {
      fsyncSync(this.#file);
    } catch {
      // What can be kept is kept.
    }
    closeSync(this.#file);
  }
}
