import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Condition, Expr } from '../../../sql/ast/query.ts';
import { between, endOf, textOf } from '../../../sql/ast/source.ts';
import { visitExpressions } from '../../../sql/ast/walk.ts';
import { type Change, change, type Move } from '../change.ts';
import type { RepairContext } from '../context.ts';

/**
 * Parentheses around an OR beside an AND, which binds more tightly: `(a OR b) AND c` for `a OR b AND c`, and
 * `a AND (b OR c)` for `a AND b OR c`.
 */
export function parenthesesMoves(condition: Condition, context: RepairContext): Move[] {
  const moves: Move[] = [];
  visitExpressions(condition.expression.node, (node) => {
    if (node.type !== 'BinaryExpr' || node.op !== 'Or') return;
    const first = outermostOperand(node.right, 'left');
    if (first !== null) moves.push(wrapped(rangeOf(node).offset, endOf(rangeOf(first)), context));
    const last = outermostOperand(node.left, 'right');
    if (last !== null) moves.push(wrapped(rangeOf(last).offset, endOf(rangeOf(node)), context));
  });
  return moves;
}

/** The first or last operand of a chain of ANDs; null where there is none. */
function outermostOperand(node: Expr, side: 'left' | 'right'): Expr | null {
  if (node.type !== 'BinaryExpr' || node.op !== 'And') return null;
  return outermostOperand(node[side], side) ?? node[side];
}

function wrapped(start: number, end: number, context: RepairContext): Move {
  return { changes: [inParentheses(start, end, context)], prior: 3 };
}

/** A piece of the text in parentheses. */
export function inParentheses(start: number, end: number, { sql }: Pick<RepairContext, 'sql'>): Change {
  const range = between(start, end);
  return change({ kind: 'operator', range, after: `(${textOf(sql, range)})` });
}
