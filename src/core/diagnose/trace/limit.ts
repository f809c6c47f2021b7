import type { Expression, Limit } from '../../sql/ast/query.ts';
import type { CountPlan } from './plan.ts';

/**
 * How many rows a LIMIT keeps: worked out where its numbers are literals, else counted.
 * @param unlimited the query without its LIMIT
 * @param sql the query with it
 */
export function limitCount({ count, offset }: Limit, unlimited: string, sql: string): CountPlan {
  const kept = wholeNumber(count);
  const skipped = offset === null ? 0 : wholeNumber(offset);
  return kept === null || skipped === null
    ? { by: 'query', sql: `SELECT count(*) FROM (${sql})` }
    : { by: 'limit', count: kept, offset: skipped, unlimited };
}

function wholeNumber({ node }: Expression): number | null {
  return node.type === 'NumericLiteral' && /^\d{1,15}$/.test(node.value) ? Number(node.value) : null;
}
