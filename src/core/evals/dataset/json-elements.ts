import type { Problems } from './problems.ts';

/** Where one element of a JSON array stands in the text: offsets in UTF-16 units, `line` from 1. */
export interface Element {
  start: number;
  end: number;
  line: number;
}

const [LF, CR, TAB, SPACE, QUOTE, COMMA, BACKSLASH] = [10, 13, 9, 32, 0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Walks over a JSON text, counting lines. */
class Cursor {
  readonly text: string;
  at = 0;
  line = 1;

  constructor(text: string) {
    this.text = text;
  }

  /** The code of the next character that is no white space; NaN at the end. */
  skipSpace(): number {
    for (; ; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === LF) this.line++;
      else if (code !== SPACE && code !== CR && code !== TAB) return code;
    }
  }

  /** Moves behind the text that begins here. @returns false where it does not end on its line */
  skipText(): boolean {
    for (this.at++; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === BACKSLASH) this.at++;
      else if (code === LF) return false;
      else if (code === QUOTE) {
        this.at++;
        return true;
      }
    }
    return false;
  }
}

/**
 * The elements of the array that a JSON text is, each with its place; they are not parsed. What is wrong between them
 * (a comma too many or missing, an end that is missing) is a problem with its line; the scan goes on where it can.
 */
export function scanArray(text: string, problems: Problems): Element[] {
  const cursor = new Cursor(text);
  const elements: Element[] = [];
  cursor.skipSpace();
  cursor.at++;
  let comma: number | null = null;
  for (;;) {
    const code = cursor.skipSpace();
    if (Number.isNaN(code)) {
      problems.add(cursor.line, 'the file ends before the closing "]" of the list: it is cut off');
      return elements;
    }
    if (code === CLOSE_LIST) {
      if (comma !== null) problems.add(comma, 'a comma stands before the closing "]"');
      cursor.at++;
      if (!Number.isNaN(cursor.skipSpace())) problems.add(cursor.line, 'text stands behind the closing "]"');
      return elements;
    }
    if (code === COMMA) {
      if (comma !== null || elements.length === 0) problems.add(cursor.line, 'a comma without an item before it');
      comma = cursor.line;
      cursor.at++;
      continue;
    }
    if (elements.length > 0 && comma === null) problems.add(cursor.line, 'a comma is missing before this item');
    comma = null;
    const element = scanValue(cursor, problems);
    if (element === null) return elements;
    elements.push(element);
  }
}

/** One value with all that is nested in it; null, with a problem, where its end cannot be found. */
function scanValue(cursor: Cursor, problems: Problems): Element | null {
  const { at: start, line } = cursor;
  const open: number[] = [];
  for (;;) {
    const code = cursor.skipSpace();
    if (Number.isNaN(code)) {
      problems.add(line, 'this item has no end: a closing bracket is missing, or the file is cut off');
      return null;
    }
    if (code === QUOTE) {
      if (!cursor.skipText()) {
        problems.add(cursor.line, 'a text is not closed by a quote on its line');
        return null;
      }
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      open.push(code + 2);
      cursor.at++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      const expected = open.pop();
      if (expected !== code) {
        const instead = expected === undefined ? 'an item' : `"${String.fromCharCode(expected)}"`;
        problems.add(cursor.line, `"${String.fromCharCode(code)}" stands where ${instead} is expected`);
        return null;
      }
      cursor.at++;
    } else if (open.length > 0) cursor.at++;
    else skipPlain(cursor);
    if (open.length === 0) return { start, end: cursor.at, line };
  }
}

/** Moves behind a number or a word that stands by itself. */
function skipPlain(cursor: Cursor): void {
  const plain = /[^\s,[\]{}"]*/y;
  plain.lastIndex = cursor.at;
  cursor.at += Math.max(1, plain.exec(cursor.text)?.[0].length ?? 0);
}
