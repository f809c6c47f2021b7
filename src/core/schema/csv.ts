/** A record of a CSV text: `line` is where it begins, from 1; `isOpen` where a quote in it is never closed. */
export interface CsvRecord {
  fields: string[];
  line: number;
  isOpen: boolean;
}

/**
 * The records of a CSV text (RFC 4180), one after the other: fields may be quoted, quotes inside are doubled, lines end
 * in LF or CRLF. An unclosed quote takes the rest of the text; an empty line is no record.
 */
export function* csvRecords(text: string): Generator<CsvRecord, undefined> {
  const field = /(?:"([^"]*(?:""[^"]*)*)("|$)([^,\r\n]*)|([^,\r\n]*))(,|\r\n|\n|\r|$)/y;
  let fields: string[] = [];
  let isOpen = false;
  let line = 1;
  let next = 1;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (!match) break;
    const [whole, quoted, quote, behind, plain, end] = match;
    fields.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"') + (behind ?? ''));
    if (quote === '') isOpen = true;
    next += lineEnds(whole);
    if (end === ',' && field.lastIndex < text.length) continue;
    if (end === ',') fields.push('');
    if (fields.length > 1 || fields[0] !== '') yield { fields, line, isOpen };
    fields = [];
    line = next;
  }
}

/** All records of a CSV text; see `csvRecords`. */
export function parseCsv(text: string): string[][] {
  return Array.from(csvRecords(text), ({ fields }) => fields);
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count++;
  }
  return count;
}
