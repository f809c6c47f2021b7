import type { Pair } from '../../protocol/score.ts';
import { asRawItem, kindOf, type RawItem } from './dataset/fields.ts';
import { readJsonLines } from './dataset/json-records.ts';
import { parseDataset } from './dataset/parse.ts';
import { Problems } from './dataset/problems.ts';

/** A file as it was read: its name and its text without a byte order mark. */
export interface TextFile {
  name: string;
  text: string;
}

/** `pairs`: our JSON lines. `bird`: one JSON object, an answer a key. `lines`: Spider's, one query a line. */
export type PairsForm = 'pairs' | 'bird' | 'lines';

/** Predictions beside their golds, in the order of the file, with all that is wrong with them. */
export interface ParsedPairs {
  form: PairsForm;
  pairs: Pair[];
  problems: Problems;
}

/** What stands between query and database in BIRD's files of predictions. */
const BIRD_SEPARATOR = '\t----- bird -----\t';

/** The form of a file of predictions, by its content. */
export function formOfPairs(text: string): PairsForm {
  const begin = text.trimStart();
  if (!begin.startsWith('{')) return 'lines';
  const [line = ''] = begin.split('\n', 1);
  const first = objectIn(line);
  const whole = first === null || !('pred' in first || 'gold' in first) ? objectIn(text) : null;
  return whole === null ? 'pairs' : 'bird';
}

/**
 * Reads predictions and golds. Pairs with problems are left in, incomplete; a file with problems is not to be used.
 * @param gold the file of golds, which the published forms need and ours does not
 */
export function parsePairs(file: TextFile, gold: TextFile | null): ParsedPairs {
  const form = formOfPairs(file.text);
  const problems = new Problems();
  if (file.text.trim() === '') {
    problems.add(null, 'the file is empty');
    return { form, pairs: [], problems };
  }
  return { form, pairs: pairsOf(form, file, gold, problems), problems };
}

function pairsOf(form: PairsForm, file: TextFile, gold: TextFile | null, problems: Problems): Pair[] {
  if (form === 'pairs') {
    if (gold !== null) problems.add(null, `each line holds its gold already, so that ${gold.name} is not needed`);
    return readOwn(file.text, problems);
  }
  if (form === 'lines' && isJsonList(file.text)) {
    problems.add(
      null,
      'this is a JSON list, as a dataset is, and holds no predictions: a dataset is named with --gold',
    );
    return [];
  }
  if (gold === null) {
    const what = form === 'bird' ? "these are predictions in BIRD's form" : 'this is no JSON but one query a line';
    problems.add(null, `${what}: name the file of the golds with --gold`);
    return [];
  }
  const golds = readGolds(gold, problems);
  const preds = form === 'bird' ? readBird(file.text, problems) : readLines(file.text);
  return problems.count > 0 ? [] : beside(preds, golds, gold.name, problems);
}

/** A prediction, and what its file says of its database; null where it says nothing. */
interface Prediction {
  id: string;
  pred: string;
  db_id: string | null;
}

type Gold = Pick<Pair, 'gold' | 'db_id'>;

function isJsonList(text: string): boolean {
  if (!text.trimStart().startsWith('[')) return false;
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

function objectIn(text: string): RawItem | null {
  try {
    return asRawItem(JSON.parse(text));
  } catch {
    return null;
  }
}

function readOwn(text: string, problems: Problems): Pair[] {
  const lines = new Map<string, number>();
  const pairs: Pair[] = [];
  for (const { value, line } of readJsonLines(text, problems)) {
    const raw = asRawItem(value);
    if (raw === null) {
      problems.add(line, `${kindOf(value)} stands where a pair is expected`);
      continue;
    }
    const id = idOf(raw, line, problems);
    const earlier = lines.get(id);
    if (earlier === undefined) lines.set(id, line);
    else problems.add(line, `the id "${id}" is taken already, by the pair on line ${earlier}`);
    const pred = raw['pred'] === null ? '' : textOf(raw, 'pred', line, problems);
    pairs.push({ id, db_id: textOf(raw, 'db_id', line, problems), gold: textOf(raw, 'gold', line, problems), pred });
  }
  if (pairs.length === 0 && problems.count === 0) problems.add(null, 'the file holds no pairs');
  return pairs;
}

/** The id of a pair; the number of its line where it has none. */
function idOf(raw: RawItem, line: number, problems: Problems): string {
  const id = raw['id'] ?? line;
  if (typeof id === 'string' && id !== '') return id;
  if (typeof id === 'number') return String(id);
  problems.add(line, `field "id" is ${id === '' ? 'empty' : kindOf(id)}; it takes a text or a number`);
  return '';
}

function textOf(raw: RawItem, name: string, line: number, problems: Problems): string {
  const value = raw[name];
  if (typeof value === 'string') return value;
  const found = Object.keys(raw).slice(0, 12).join(', ') || 'nothing';
  const wrong = value === undefined ? `is missing; found ${found}` : `is ${kindOf(value)}, not a text`;
  problems.add(line, `field "${name}" ${wrong}`);
  return '';
}

/** BIRD's `{"0": "SQL\t----- bird -----\tdb_id"}`; a value that is no text is an answer that never came. */
function readBird(text: string, problems: Problems): Prediction[] {
  const whole = objectIn(text) ?? {};
  const entries = Object.entries(whole);
  if (entries.length === 0) problems.add(null, 'the file holds no predictions');
  return entries.map(([id, value]) => {
    if (typeof value !== 'string') return { id, pred: '', db_id: null };
    const at = value.lastIndexOf(BIRD_SEPARATOR);
    if (at < 0) return { id, pred: value, db_id: null };
    return { id, pred: value.slice(0, at), db_id: value.slice(at + BIRD_SEPARATOR.length).trim() };
  });
}

/** Lines of a text without the blank ones at its end. */
function linesOf(text: string): string[] {
  return text.trimEnd().split(/\r?\n/);
}

/** One query a line, its database behind a tab or not; a blank line is an answer that never came. */
function readLines(text: string): Prediction[] {
  return linesOf(text).map((line, index) => {
    const { query, db_id } = splitLine(line);
    return { id: String(index + 1), pred: query, db_id };
  });
}

/** A name of a database stands behind the last tab and holds no white space. */
function splitLine(line: string): { query: string; db_id: string | null } {
  const [, query, db_id] = /^(.*)\t([^\s'"();]+)\s*$/s.exec(line) ?? [];
  return query === undefined || db_id === undefined ? { query: line, db_id: null } : { query, db_id };
}

/** Golds as `SQL\tdb_id` lines, or of a dataset in any of its forms. */
function readGolds(file: TextFile, problems: Problems): Gold[] {
  if (/^\s*[[{]/.test(file.text) || /\.csv$/i.test(file.name)) return goldsOfDataset(file, problems);
  return linesOf(file.text).map((line, index) => {
    const { query, db_id } = splitLine(line);
    if (db_id === null) problems.add(index + 1, `${file.name} has no database behind a tab here: "SQL<tab>db_id"`);
    return { gold: query, db_id: db_id ?? '' };
  });
}

function goldsOfDataset({ name, text }: TextFile, problems: Problems): Gold[] {
  const parsed = parseDataset(text, { name, format: null });
  if ('other' in parsed) {
    problems.add(null, `${name} holds no golds but ${parsed.other}`);
    return [];
  }
  for (const problem of parsed.problems.inOrder) problems.add(problem.line, `${name}: ${problem.text}`);
  return parsed.items;
}

/** Predictions and golds are one beside the other, by their places. */
function beside(preds: readonly Prediction[], golds: readonly Gold[], name: string, problems: Problems): Pair[] {
  if (preds.length !== golds.length) {
    problems.add(null, `there are ${preds.length} predictions, but ${golds.length} golds in ${name}`);
    return [];
  }
  return preds.map(({ id, pred, db_id }, index) => {
    const gold = golds[index] ?? { gold: '', db_id: '' };
    if (db_id !== null && db_id !== gold.db_id)
      problems.add(null, `prediction ${id} is for the database ${db_id}, its gold in ${name} for ${gold.db_id}`);
    return { id, db_id: gold.db_id, gold: gold.gold, pred };
  });
}
