/**
 * The records of a CSV text (RFC 4180): fields may be quoted, quotes inside are doubled, lines end in LF or CRLF. An
 * unclosed quote takes the rest of the text; an empty line is no record.
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const field = /(?:"((?:[^"]|"")*)(?:"|$)([^,\r\n]*)|([^,\r\n]*))(,|\r\n|\n|\r|$)/y;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (!match) break;
    const [, quoted, behind, plain, end] = match;
    record.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"') + (behind ?? ''));
    if (end === ',' && field.lastIndex < text.length) continue;
    if (end === ',') record.push('');
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  }
  return records;
}
