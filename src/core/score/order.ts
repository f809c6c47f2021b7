import type { OrderPolicy } from '../../protocol/score.ts';
import { tokensOf } from '../sql/tokens.ts';

/**
 * Whether the outermost query of a text has an ORDER BY. In SQLite's grammar every other one (of a subquery, a common
 * table expression, a window, an aggregate) stands in parentheses, and a bare ORDER is never a name.
 */
function hasOuterOrderBy(sql: string): boolean {
  let depth = 0;
  for (const { kind } of tokensOf(sql)) {
    if (kind === 'LP') depth++;
    if (kind === 'RP') depth--;
    if (kind === 'SEMI') break;
    if (kind === 'ORDER' && depth === 0) return true;
  }
  return false;
}

/** Whether the order of rows counts for `strict_ex`: never, always, or where the gold's outermost query has ORDER BY. */
export function isOrdered(goldSql: string, policy: OrderPolicy): boolean {
  return policy === 'always' || (policy === 'gold_order_by' && hasOuterOrderBy(goldSql));
}
