import type { ExpectedShape, Signals } from '../../protocol/ask.ts';
import type { JsonQueryResult } from '../../protocol/query.ts';
import { actualShape } from './actual-shape.ts';
import { compareShapes } from './compare.ts';
import { duplicateRows } from './duplicates.ts';

/**
 * The signals on the result of a query. Of a query that failed only the expected shape is known.
 *
 * @param result null where there was no query
 */
export function signalsOf(expected: ExpectedShape | null, result: JsonQueryResult | null): Signals {
  const ran = result?.status === 'ok' ? result : null;
  const actual = ran && actualShape(ran);
  return { duplicates: ran && duplicateRows(ran.rows), expected, actual, ...compareShapes(expected, actual) };
}
