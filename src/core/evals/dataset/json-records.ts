import { scanArray } from './json-elements.ts';
import type { LinedRecord } from './lined-record.ts';
import type { Problems } from './problems.ts';

/** The elements of a JSON list with the lines that they begin on. An element that cannot be parsed is a problem. */
export function* readJsonList(text: string, problems: Problems): Generator<LinedRecord> {
  if (text.trimStart()[0] !== '[') {
    problems.add(firstLine(text), 'the file does not begin with "[": it is no JSON list');
    return;
  }
  for (const { start, end, line } of scanArray(text, problems)) {
    const parsed = parse(text.slice(start, end), line, problems);
    if (parsed !== null) yield parsed;
  }
}

/** One JSON object a line; blank lines are skipped. */
export function* readJsonLines(text: string, problems: Problems): Generator<LinedRecord> {
  if (text.trimStart()[0] === '[') {
    problems.add(firstLine(text), 'the file is a JSON list, not one object a line');
    return;
  }
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const content = text.slice(start, end).trim();
    start = end + 1;
    line++;
    if (content === '') continue;
    const parsed = parse(content, line, problems);
    if (parsed !== null) yield parsed;
  }
}

function parse(json: string, line: number, problems: Problems): LinedRecord | null {
  try {
    return { value: JSON.parse(json), line };
  } catch (error) {
    problems.add(...placeOf(error, json, line));
    return null;
  }
}

/** Line and words of a parser's error, where it names a position that is where the fault is. */
function placeOf(error: unknown, json: string, line: number): [number, string] {
  const said = error instanceof Error ? error.message : String(error);
  const position = Number(/at position (\d+)/.exec(said)?.[1] ?? 0);
  const reason = said
    .replace(/ in JSON at position \d+.*$|, (?:\.\.\.)?".*" is not valid JSON$|\(line.*\)$/s, '')
    .trim();
  const comma = /,\s*$/.test(json) ? ': a comma stands at its end' : `: ${reason}`;
  return [line + json.slice(0, position).split('\n').length - 1, `this is not valid JSON${comma}`];
}

/** The line, from 1, on which anything stands. */
function firstLine(text: string): number {
  return text.slice(0, Math.max(0, text.search(/\S/))).split('\n').length;
}
