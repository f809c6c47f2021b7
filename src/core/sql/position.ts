import type { Position } from '../../protocol/query.ts';

/** The place of a range in a text. `offset` and `length` in UTF-16 units. */
export function positionAt(sql: string, offset: number, length: number): Position {
  let line = 1;
  let lineStart = 0;
  for (let at = sql.indexOf('\n'); at >= 0 && at < offset; at = sql.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { offset, length, line, column: offset - lineStart + 1 };
}
