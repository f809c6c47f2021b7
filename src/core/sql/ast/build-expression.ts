import { type Expr, type Select, traverse } from 'sqlite3-parser';
import type { Condition, Expression, Query, Range, Subquery } from './query.ts';
import { between, endOf, type Source } from './source.ts';

/** What builds the query of a subquery: passed in, for queries and expressions hold each other. */
export type BuildQuery = (select: Select) => Query;

/** An expression with the subqueries that stand in it directly. */
export function buildExpression(node: Expr, buildQuery: BuildQuery): Expression {
  return { range: rangeOf(node), node, subqueries: subqueriesIn(node, buildQuery) };
}

/** The range of an expression of the parser's tree. */
export function rangeOf(node: Expr): Range {
  return { offset: node.span.offset, length: node.span.length };
}

function subqueriesIn(node: Expr, buildQuery: BuildQuery): Subquery[] {
  const found: Subquery[] = [];
  const note = (kind: Subquery['kind'], subquery: Expr, select: Select) => {
    found.push({ kind, range: rangeOf(subquery), node: subquery, query: buildQuery(select) });
  };
  traverse(node, {
    enter(inner) {
      // What stands left of IN is visited before the query of IN is: order of their places in the text.
      if (inner.type === 'Select') return 'skip';
      if (inner.type === 'SubqueryExpr') note('scalar', inner, inner.select);
      if (inner.type === 'ExistsExpr') note('exists', inner, inner.select);
      if (inner.type === 'InSelectExpr') note('in', inner, inner.rhs);
      return 'continue';
    },
  });
  return found;
}

/** A WHERE, HAVING or ON: its keyword is the token before its expression. */
export function buildCondition(node: Expr, source: Source, buildQuery: BuildQuery): Condition {
  const expression = buildExpression(node, buildQuery);
  const keyword = source.before(expression.range.offset);
  return {
    range: between(keyword.offset, endOf(expression.range)),
    expression,
    conjuncts: conjunctsOf(node).map((conjunct) => partOf(expression, conjunct)),
  };
}

/** A part of an expression; it shares the subqueries with the whole. */
function partOf(whole: Expression, node: Expr): Expression {
  if (node === whole.node) return whole;
  const range = rangeOf(node);
  const isInside = (inner: Range) => inner.offset >= range.offset && endOf(inner) <= endOf(range);
  return { range, node, subqueries: whole.subqueries.filter((subquery) => isInside(subquery.range)) };
}

/** The operands of an expression's outermost ANDs; parentheses are opened where an AND stands in them. */
function conjunctsOf(node: Expr): Expr[] {
  if (node.type === 'BinaryExpr' && node.op === 'And') return [...conjunctsOf(node.left), ...conjunctsOf(node.right)];
  const inner = node.type === 'ParenthesizedExpr' && node.exprs.length === 1 ? node.exprs[0] : undefined;
  if (inner === undefined) return [node];
  const opened = conjunctsOf(inner);
  return opened.length > 1 ? opened : [node];
}
