import type * as z from 'zod/mini';
import { LedgerLine } from '../../protocol/ledger.ts';

/** What the text of one line turned out to be. `prev` is what a line that is an object says of the line before. */
export type ParsedLine =
  | { kind: 'line'; line: LedgerLine; prev: string | null }
  /** An object that this version does not take as a line; `reason` is a sentence without its subject. */
  | { kind: 'foreign'; reason: string; prev: unknown }
  /** No JSON object at all: a torn line, an empty one, a note that somebody wrote. */
  | { kind: 'no_json'; reason: string };

const BYTE_ORDER_MARK = '\uFEFF';

function firstIssue(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  return `does not have the form of a line${place === '' ? '' : `: its field ${place} is missing or wrong`}`;
}

/** Reads the text of one line, without its line end. */
export function parseLine(text: string): ParsedLine {
  if (text.trim() === '') return { kind: 'no_json', reason: 'is empty' };
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    return { kind: 'no_json', reason: 'is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'no_json', reason: 'is not a JSON object' };
  const prev = 'prev' in value ? value.prev : undefined;
  const version = 'v' in value ? value.v : undefined;
  if (typeof version === 'number' && version > 1)
    return { kind: 'foreign', reason: `was written by a newer version of this program (format ${version})`, prev };
  const parsed = LedgerLine.safeParse(value);
  if (!parsed.success) return { kind: 'foreign', reason: firstIssue(parsed.error), prev };
  return { kind: 'line', line: parsed.data, prev: parsed.data.prev };
}
