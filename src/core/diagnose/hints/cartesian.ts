import type { Hint } from '../../../protocol/diagnosis.ts';
import type { Block, Expression, Join, Range } from '../../sql/ast/query.ts';
import { endOf } from '../../sql/ast/source.ts';
import { columnNamesIn } from '../../sql/ast/walk.ts';
import { blocksOf, type HintContext, hintAt, said } from './context.ts';

/** Joins without a condition, in ON or in WHERE, that ties their rows to those before: every row with every row. */
export function cartesianProducts(context: HintContext): Hint[] {
  return blocksOf(context.query).flatMap((block) =>
    (block.from?.joins ?? []).flatMap((join) => {
      const stage = context.stages.find(
        ({ plan }) =>
          plan.clause === 'JOIN' && plan.range.offset === join.range.offset && plan.join?.cartesian === true,
      );
      const rows = stage?.trace.rowCount ?? 0;
      const before = stage?.siblings[stage.siblings.indexOf(stage) - 1]?.trace.rowCount ?? 0;
      // One row beside every row (of a total, say) is how that is written.
      // A table-valued function reads what stands before it.
      if (join.item.kind === 'function') return [];
      if (stage === undefined || before <= 1 || rows <= before || isTied(context, block, join)) return [];
      const sentence = `${said(context.sql, join.item.range)} is joined without a condition: each of ${before} rows stands beside each of ${rows / before}.`;
      return [hintAt(context, 'cartesian_product', join.range, sentence, { before, rows })];
    }),
  );
}

/** Whether a condition reads a joined item and something beside it, or a subquery that may. */
function isTied({ names }: HintContext, block: Block, join: Join): boolean {
  const joined = names.scopeOf(block).sources.filter(({ item }) => isWithin(item.range, join.item.range));
  const ties = ({ node, subqueries }: Expression): boolean => {
    const sides = columnNamesIn(node).map((name) => {
      const reference = names.reference(name);
      return reference.kind === 'column' && joined.includes(reference.source);
    });
    return sides.some((isInside) => isInside) && (sides.some((isInside) => !isInside) || subqueries.length > 0);
  };
  const later = (block.from?.joins ?? []).flatMap(({ on }) => on?.conjuncts ?? []);
  return [...(block.where?.conjuncts ?? []), ...later].some(ties);
}

function isWithin(inner: Range, outer: Range): boolean {
  return inner.offset >= outer.offset && endOf(inner) <= endOf(outer);
}
