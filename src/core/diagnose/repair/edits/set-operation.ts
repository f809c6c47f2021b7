import type { Query, SetOperator } from '../../../sql/ast/query.ts';
import { queriesIn } from '../../../sql/ast/walk.ts';
import { type Move, single } from '../change.ts';
import type { RepairContext } from '../context.ts';
import { setFeature } from '../features.ts';

const OPERATORS: readonly SetOperator[] = ['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'];

/** Another set operation between two arms. */
export function setOperationMoves(context: RepairContext): Move[] {
  const all = (query: Query): Query[] => [query, ...queriesIn(query).flatMap(all)];
  return all(context.query).flatMap(({ arms }) =>
    arms.flatMap(({ operator }) =>
      operator === null
        ? []
        : OPERATORS.filter((kind) => kind !== operator.kind).map((kind) =>
            single(1, {
              kind: 'set_operation',
              range: operator.range,
              after: kind,
              drops: [setFeature(operator.kind)],
              gains: [setFeature(kind)],
            }),
          ),
    ),
  );
}
