import { estimateTokens } from '../../schema/lines1.ts';
import { countOf } from '../../signals/describe.ts';
import { parseQuery } from '../../sql/ast/parse-query.ts';
import type { Query } from '../../sql/ast/query.ts';
import { queriesIn } from '../../sql/ast/walk.ts';

/** What a small model cannot learn from: bounds beyond which a pair is left out; null: none. */
export interface PairBounds {
  /** Joins of the answer, those of its subqueries included. */
  joins: number | null;
  /** Characters of the answer. */
  answer: number | null;
  /** Tokens of the prompt, estimated (`estimateTokens`). */
  prompt: number | null;
}

function joinsIn(query: Query): number {
  const own = query.arms.reduce(
    (sum, { core }) => sum + (core.kind === 'select' ? (core.from?.joins.length ?? 0) : 0),
    0,
  );
  return queriesIn(query).reduce((sum, inner) => sum + joinsIn(inner), own);
}

/** Which bound a pair exceeds, as a clause; null where it exceeds none. */
export function tooHard(user: string, sql: string, bounds: PairBounds): string | null {
  const { joins, answer, prompt } = bounds;
  if (answer !== null && sql.length > answer) return `its query has ${sql.length} characters`;
  const tokens = prompt === null ? 0 : estimateTokens(user);
  if (prompt !== null && tokens > prompt) return `its prompt has about ${tokens} tokens`;
  const { query } = joins === null ? { query: null } : parseQuery(sql);
  const count = query === null ? 0 : joinsIn(query);
  return joins !== null && count > joins ? `its query has ${countOf(count, 'join')}` : null;
}
