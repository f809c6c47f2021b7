/** A place in a text: line and column from 1, columns in UTF-16 units. */
export interface LinePlace {
  readonly line: number;
  readonly column: number;
}

/** Finds lines and columns of offsets in one text, and offsets of lines. */
export class LineStarts {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  placeOf(offset: number): LinePlace {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  /** The offset of a place; one beyond the text is its end. */
  offsetOf({ line, column }: LinePlace): number {
    const start = this.#starts[line - 1];
    return start === undefined ? this.#length : Math.min(start + column - 1, this.#length);
  }
}
