import { type AstNode, type Expr, type FunctionCallExpr, type FunctionCallStarExpr, traverse } from 'sqlite3-parser';
import type { Condition, Core, Expression, From, FromItem, Query } from './query.ts';

/** A function call as the parser has it. */
export type Call = FunctionCallExpr | FunctionCallStarExpr;

/** A column name as the parser has it: bare or with its table. */
export type ColumnName = Extract<Expr, { type: 'Id' | 'QualifiedExpr' }>;

/**
 * Visits an expression and all expressions in it, parents first. Subqueries are visited as nodes but not entered; names
 * of functions are not visited.
 */
export function visitExpressions(root: Expr, visit: (node: Expr) => void): void {
  traverse(root, {
    enter(node, parent) {
      if (node.type === 'Select') return 'skip';
      if (!isFunctionName(node, parent) && isExpression(node)) visit(node);
      return 'continue';
    },
  });
}

/** The column names that stand in an expression itself, not in its subqueries. */
export function columnNamesIn(root: Expr): ColumnName[] {
  const found: ColumnName[] = [];
  visitExpressions(root, (node) => {
    if (node.type === 'Id' || node.type === 'QualifiedExpr') found.push(node);
  });
  return found;
}

/** The function calls in an expression itself, not in its subqueries, outer before inner. */
export function callsIn(root: Expr): Call[] {
  const found: Call[] = [];
  visitExpressions(root, (node) => {
    if (node.type === 'FunctionCallExpr' || node.type === 'FunctionCallStarExpr') found.push(node);
  });
  return found;
}

/** All expressions that a SELECT block holds itself, in order of the text: items, ON, function arguments, WHERE … */
export function expressionsOf(core: Core): Expression[] {
  if (core.kind === 'values') return core.rows.flat();
  const { items, from, where, groupBy, having, windows } = core;
  return [
    ...items.flatMap((item) => (item.kind === 'expression' ? [item.expression] : [])),
    ...(from === null ? [] : fromExpressions(from)),
    ...conditionExpressions(where),
    ...(groupBy?.items ?? []),
    ...conditionExpressions(having),
    ...(windows?.definitions.flatMap(({ terms }) => terms) ?? []),
  ];
}

function conditionExpressions(condition: Condition | null): Expression[] {
  return condition === null ? [] : [condition.expression];
}

function fromExpressions(from: From): Expression[] {
  const ofItem = (item: FromItem): readonly Expression[] => {
    if (item.kind === 'function') return item.args;
    return item.kind === 'join' ? fromExpressions(item.from) : [];
  };
  return [
    ...ofItem(from.first),
    ...from.joins.flatMap(({ item, on }) => [...ofItem(item), ...conditionExpressions(on)]),
  ];
}

/** The items of a FROM clause in order; a parenthesised join is one item. */
export function fromItems(from: From | null): FromItem[] {
  return from === null ? [] : [from.first, ...from.joins.map(({ item }) => item)];
}

/** The queries that stand directly in a query: common table expressions, FROM-subqueries, expression subqueries. */
export function queriesIn(query: Query): Query[] {
  const inItem = (item: FromItem): Query[] => {
    if (item.kind === 'subquery') return [item.query];
    return item.kind === 'join' ? fromItems(item.from).flatMap(inItem) : [];
  };
  const own = (core: Core) => [
    ...(core.kind === 'select' ? fromItems(core.from).flatMap(inItem) : []),
    ...expressionsOf(core).flatMap(({ subqueries }) => subqueries.map((subquery) => subquery.query)),
  ];
  return [
    ...(query.with?.items.map((item) => item.query) ?? []),
    ...query.arms.flatMap(({ core }) => own(core)),
    ...tailExpressions(query).flatMap(({ subqueries }) => subqueries.map((subquery) => subquery.query)),
  ];
}

/** The expressions of a query's ORDER BY and LIMIT. */
export function tailExpressions({ orderBy, limit }: Query): Expression[] {
  return [
    ...(orderBy?.items.map(({ expression }) => expression) ?? []),
    ...(limit === null ? [] : [limit.count, ...(limit.offset === null ? [] : [limit.offset])]),
  ];
}

/** What stands in parentheses around one expression. */
export function withoutParentheses(node: Expr): Expr {
  const inner = node.type === 'ParenthesizedExpr' && node.exprs.length === 1 ? node.exprs[0] : undefined;
  return inner === undefined ? node : withoutParentheses(inner);
}

function isFunctionName(node: AstNode, parent: AstNode | undefined): boolean {
  return (parent?.type === 'FunctionCallExpr' || parent?.type === 'FunctionCallStarExpr') && parent.name === node;
}

const OTHERS: ReadonlySet<string> = new Set(['Id', 'Literal']);

function isExpression(node: AstNode): node is Expr {
  return node.type.endsWith('Expr') || node.type.endsWith('Literal') || OTHERS.has(node.type);
}
