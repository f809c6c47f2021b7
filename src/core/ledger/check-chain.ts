import type { ParsedLine } from './parse-line.ts';

/** A line with what the check needs of it. */
export interface ChainedLine {
  parsed: ParsedLine;
  /** SHA-256 of its bytes. */
  hash: string;
  /** A line feed ends it. */
  ended: boolean;
}

/** Something that is not as it was written. */
export interface LedgerProblem {
  /** Number from 1; null where it is about the whole ledger. */
  line: number | null;
  code: 'form' | 'torn' | 'chain' | 'head' | 'output';
  /** What it means, a sentence. */
  message: string;
}

function span(first: number, last: number): string {
  return first === last ? `line ${first} was` : `lines ${first} to ${last} were`;
}

/** Why line `number` does not follow the line before it as that stands; null where it does. */
function brokenLink(lines: readonly ChainedLine[], number: number, places: ReadonlyMap<string, number>): string | null {
  const { parsed } = lines[number - 1] ?? {};
  const before = lines[number - 2]?.hash ?? null;
  if (!parsed || parsed.kind === 'no_json' || parsed.prev === before) return null;
  const { prev } = parsed;
  if (prev === null)
    return `Line ${number} begins a chain of its own: it was put in by hand, or two ledgers were joined.`;
  if (typeof prev !== 'string') return `Line ${number} does not say which line it follows: it was put in by hand.`;
  if (number === 1) return 'Line 1 follows a line that is not here: lines before it were removed.';
  const followed = places.get(prev);
  if (followed === undefined)
    return `Line ${number} does not follow line ${number - 1} as it stands: line ${number - 1} was changed after it was written, or lines between the two were removed.`;
  if (followed > number) return `Line ${number} follows line ${followed}: the order of lines was changed.`;
  return `Line ${number} follows line ${followed}: ${span(followed + 1, number - 1)} put in by hand, or two copies of the ledger were merged.`;
}

/** What is wrong with the form of a line, by itself. */
function badForm({ parsed, ended }: ChainedLine, number: number): LedgerProblem | null {
  if (parsed.kind === 'line') return null;
  if (!ended && parsed.kind === 'no_json')
    return {
      line: number,
      code: 'torn',
      message: `Line ${number} is torn: its writer ended before the line did. The next line that is written moves it to a file beside the ledger.`,
    };
  return { line: number, code: 'form', message: `Line ${number} ${parsed.reason}.` };
}

/**
 * The problems of a ledger's lines by themselves and with each other. A changed or removed line shows in the line behind
 * it, so that the last line can be changed, and lines be cut off at the end, without a trace here: `checkHead` sees that.
 */
export function checkChain(lines: readonly ChainedLine[]): LedgerProblem[] {
  const places = new Map(lines.map(({ hash }, index) => [hash, index + 1]));
  return lines.flatMap((line, index) => {
    const form = badForm(line, index + 1);
    const link = brokenLink(lines, index + 1, places);
    const chain: LedgerProblem[] = link === null ? [] : [{ line: index + 1, code: 'chain', message: link }];
    return form === null ? chain : [form, ...chain];
  });
}

/**
 * Whether a hash that was noted earlier is that of the last line, or of one that others follow.
 *
 * @param noted hexadecimal digits: a whole hash, or its beginning
 * @returns a note, or the problem
 */
export function checkHead(lines: readonly ChainedLine[], noted: string): { note: string } | LedgerProblem {
  const place = lines.findLastIndex(({ hash }) => hash.startsWith(noted.toLowerCase()));
  if (place < 0)
    return {
      line: null,
      code: 'head',
      message: `No line has the hash ${noted} that was noted: lines at the end were cut off or changed since.`,
    };
  const later = lines.length - place - 1;
  if (later === 0) return { note: 'The last line is the one that was noted.' };
  return {
    note: `The line that was noted is line ${place + 1}; ${later === 1 ? 'one line was' : `${later} lines were`} written since.`,
  };
}
