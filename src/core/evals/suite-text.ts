import { SuiteLine } from '../../protocol/dataset.ts';

/** A line of a suite file that can be read. */
export interface SuiteEntry {
  /** From 0. */
  index: number;
  line: SuiteLine;
}

/** The lines of a suite file that can be read; others are the user's to put right. */
export function suiteEntries(text: string): SuiteEntry[] {
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const line = parsedLine(raw);
    return line === null ? [] : [{ index, line }];
  });
}

function parsedLine(raw: string): SuiteLine | null {
  try {
    const parsed = SuiteLine.safeParse(JSON.parse(raw.replace(/^\uFEFF/, '')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** An id that no entry has: the name with the next free number, e.g. `chinook-3`. */
export function freeId(entries: readonly SuiteEntry[], name: string): string {
  const taken = new Set(entries.map(({ line }) => line.id));
  let number = entries.length + 1;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

/** The last entry that asks the same of the same database; undefined where there is none. */
export function sameQuestion(entries: readonly SuiteEntry[], wanted: SuiteLine): SuiteEntry | undefined {
  const plain = (text: string) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  return entries.findLast(
    ({ line }) => line.database === wanted.database && plain(line.question) === plain(wanted.question),
  );
}

/** The text of a line, its fields in the order of the documentation, evidence only where there is some. */
export function suiteLineText({ id, database, question, evidence, sql, difficulty }: SuiteLine): string {
  const fields = { id, database, question, evidence: evidence || undefined, sql, difficulty };
  return JSON.stringify(fields);
}

/** What is put behind the text of a suite file to add a line: with the line end before it that is missing, in the file's kind. */
export function appendix(text: string, line: SuiteLine): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text === '' || text.endsWith('\n') ? '' : end;
  return `${before}${suiteLineText(line)}${end}`;
}
