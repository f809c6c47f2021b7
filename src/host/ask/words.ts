import { countOf, kindInWords, shapeInWords, uncheckedInWords } from '../../core/signals/describe.ts';
import type { ActualShape, Signals } from '../../protocol/ask.ts';

function actualInWords({ rows, truncated, columns }: ActualShape): string {
  const count = `${truncated ? 'more than ' : ''}${countOf(rows, 'row')}`;
  const kinds = columns.map(({ name, kind }) => `${name}: ${kindInWords(kind)}`);
  return `${count} with ${countOf(columns.length, 'column')} (${kinds.join('; ')})`;
}

/** The expected and the actual shape of an answer in words, with what was not compared; null where unknown. */
export function shapesInWords({ expected, actual, agrees }: Signals): {
  expected: string | null;
  actual: string | null;
} {
  const open = expected === null || agrees !== true ? null : uncheckedInWords(expected);
  return {
    expected: expected === null ? null : shapeInWords(expected),
    actual: actual === null ? null : [actualInWords(actual), open].filter((part) => part !== null).join('. '),
  };
}
