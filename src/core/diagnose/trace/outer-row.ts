import type { Query } from '../../sql/ast/query.ts';
import { type BlockText, joined } from './block.ts';
import { groupSql, tailOf } from './clauses.ts';
import { literalOf } from './literal.ts';
import type { KeyPlan, OuterKey, StageParts } from './plan.ts';
import { type OuterRow, referenceKey } from './render.ts';

/** The rows (or groups) of a block for each of which a correlated subquery in it is worked out. */
export interface OuterInput {
  readonly parts: StageParts;
  readonly keys: readonly KeyPlan[];
  readonly grouped: boolean;
}

/** A query that gives the keys of the outer rows in the block's own order. */
export function outerKeysSql({ parts, keys, grouped }: OuterInput): string {
  const [group] = keys;
  if (grouped && group !== undefined) return groupSql(parts, group);
  const expressions = keys.flatMap((key) => key.expressions);
  return joined([`${parts.with}SELECT ${expressions.length === 0 ? '1' : expressions.join(', ')}`, tailOf(parts)]);
}

/**
 * The outer row as a table of the columns that a correlated subquery refers to. As columns of a table they keep affinity
 * and collation, which a literal would lose.
 * @param row the row's keys; null: the first one
 */
export function outerRow(query: Query, text: BlockText, input: OuterInput, row: readonly OuterKey[] | null): OuterRow {
  const { renderer, outer } = text.place;
  const name = `outer_row_${(outer?.definitions.length ?? 0) + 1}`;
  const columns = new Map<string, string>();
  const expressions: string[] = [];
  for (const { node, reference } of renderer.resolution.outerOf(query)) {
    const key = referenceKey(reference);
    if (columns.has(key)) continue;
    columns.set(key, `${name}_${columns.size + 1}`);
    const range = { offset: node.span.offset, length: node.span.length };
    expressions.push(renderer.render(range, text.scope, outer, { aliases: 'expand', outer: 'join' }));
  }
  const chosen = row === null ? input.parts : restricted(input, row);
  const body = joined([`SELECT ${expressions.join(', ')}`, tailOf(chosen), 'LIMIT 1']);
  const definition = `${name}(${[...columns.values()].join(', ')}) AS (${body})`;
  return { name, definitions: [...(outer?.definitions ?? []), definition], columns };
}

function restricted({ parts, keys, grouped }: OuterInput, row: readonly OuterKey[]): StageParts {
  const conditions = row.flatMap(({ alias, key }) => {
    const plan = keys.find((candidate) => candidate.alias === alias);
    return (plan?.expressions ?? []).map((expression, index) => `${expression} IS ${literalOf(key[index] ?? null)}`);
  });
  if (conditions.length === 0) return parts;
  const also = conditions.join(' AND ');
  if (!grouped) return { ...parts, where: parts.where === null ? also : `(${parts.where}) AND ${also}` };
  const having = parts.having === '' ? '' : `(${parts.having.replace(/^HAVING /, '')}) AND `;
  return { ...parts, having: `HAVING ${having}${also}` };
}
