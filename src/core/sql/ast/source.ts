import { type SqlToken, tokensOf } from '../tokens.ts';
import type { Range } from './query.ts';

/** The range between two offsets. */
export function between(start: number, end: number): Range {
  return { offset: start, length: end - start };
}

/** Where a range ends. */
export function endOf(range: Range): number {
  return range.offset + range.length;
}

/** The text of a range. */
export function textOf(sql: string, range: Range): string {
  return sql.slice(range.offset, range.offset + range.length);
}

/** A SQL text with its tokens, to find the keywords around a node: the parser keeps none of them. */
export class Source {
  readonly sql: string;
  readonly #tokens: SqlToken[];

  constructor(sql: string) {
    this.sql = sql;
    this.#tokens = tokensOf(sql);
  }

  /** The first token that starts at or behind an offset. @throws RangeError where there is none */
  from(offset: number): SqlToken {
    return this.#token(this.#indexFrom(offset));
  }

  /** The token `count` places before the one that starts at or behind an offset. @throws RangeError where there is none */
  before(offset: number, count = 1): SqlToken {
    return this.#token(this.#indexFrom(offset) - count);
  }

  /** Where the text before an offset ends, white space and comments left out. */
  endBefore(offset: number): number {
    return this.before(offset).end;
  }

  /** Tokens from one offset up to another. */
  slice(start: number, end: number): SqlToken[] {
    return this.#tokens.slice(this.#indexFrom(start), this.#indexFrom(end));
  }

  #token(index: number): SqlToken {
    const token = this.#tokens[index];
    if (token === undefined) throw new RangeError('no token there');
    return token;
  }

  #indexFrom(offset: number): number {
    let low = 0;
    let high = this.#tokens.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#token(middle).offset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
