import { quoteText } from '../../schema/identifiers.ts';
import type { Expr } from '../../sql/ast/query.ts';
import { textOf } from '../../sql/ast/source.ts';
import { columnNamesIn, visitExpressions, withoutParentheses } from '../../sql/ast/walk.ts';
import { tableOf } from '../../sql/scope/resolve.ts';
import type { Reference, Resolution } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';

/**
 * The form of an expression: a text that two expressions share where they mean the same by name, whatever their aliases,
 * case of names, white space and parentheses. A subquery is `(?)`: its own parts are compared apart.
 * @param instead forms of nodes inside it, as if they were replaced
 */
export function formOf(node: Expr, names: Resolution, instead?: ReadonlyMap<Expr, string>): string {
  const replaced = instead?.get(node);
  if (replaced !== undefined) return replaced;
  const form = (inner: Expr) => formOf(inner, names, instead);
  switch (node.type) {
    case 'ParenthesizedExpr': {
      const inner = withoutParentheses(node);
      return inner === node ? `(${node.exprs.map(form).join(',')})` : form(inner);
    }
    case 'Id':
    case 'QualifiedExpr':
      return referenceForm(names.reference(node), textOf(names.sql, node.span), names);
    case 'NumericLiteral':
      return numberForm(node.value);
    case 'StringLiteral':
      return quoteText(node.value);
    case 'FunctionCallStarExpr':
      return `${foldName(node.name.name)}(*)`;
    case 'FunctionCallExpr':
      return callForm(foldName(node.name.name), (node.args ?? []).map(form), node.distinctness === 'Distinct');
    case 'BinaryExpr':
      return binaryForm(node.op, form(node.left), form(node.right));
    case 'LikeExpr':
      return `${form(node.lhs)} ${node.not ? 'Not' : ''}${node.op} ${form(node.rhs)}`;
    case 'InListExpr':
      return `${form(node.lhs)} ${node.not ? 'NotIn' : 'In'} (${(node.rhs ?? []).map(form).sort().join(',')})`;
    case 'InSelectExpr':
      return `${form(node.lhs)} ${node.not ? 'NotIn' : 'In'} (?)`;
    case 'BetweenExpr':
      return `${form(node.lhs)} ${node.not ? 'NotBetween' : 'Between'} ${form(node.start)},${form(node.end)}`;
    case 'IsNullExpr':
      return binaryForm('Is', form(node.expr), 'null');
    case 'NotNullExpr':
      return binaryForm('IsNot', form(node.expr), 'null');
    case 'NullLiteral':
      return 'null';
    case 'SubqueryExpr':
      return '(?)';
    case 'ExistsExpr':
      return 'exists(?)';
    case 'UnaryExpr':
      return `${node.op}(${form(node.expr)})`;
    case 'CastExpr':
      return `cast(${form(node.expr)})`;
    default:
      return textOf(names.sql, node.span).toLowerCase().replaceAll(/\s+/g, ' ');
  }
}

/** The form of a number as written. */
export function numberForm(value: string): string {
  const number = Number(value);
  return Number.isSafeInteger(number) || !/^\d+$/.test(value) ? String(number) : value;
}

/** The form of a column of a table; null stands for what is no table. */
export function columnForm(table: string | null, column: string): string {
  return `${table === null ? '?' : foldName(table)}.${foldName(column)}`;
}

/** The form of a function call with the forms of its arguments. */
export function callForm(name: string, args: readonly string[], distinct: boolean): string {
  return `${name}(${distinct ? 'distinct ' : ''}${args.join(',')})`;
}

const SYMMETRIC: ReadonlySet<string> = new Set(['Equals', 'NotEquals', 'And', 'Or', 'Add', 'Multiply']);

/** The form of a binary expression with the forms of its operands; those of a symmetric operator are sorted. */
export function binaryForm(operator: string, left: string, right: string): string {
  const sides = SYMMETRIC.has(operator) ? [left, right].sort() : [left, right];
  return `(${sides.join(` ${operator} `)})`;
}

function referenceForm(reference: Reference, written: string, names: Resolution): string {
  switch (reference.kind) {
    case 'column':
      return columnForm(tableOf(reference.source.relation), reference.column);
    case 'alias': {
      const { item } = reference.output;
      return item.kind === 'expression' ? formOf(item.expression.node, names) : written;
    }
    case 'text':
      return quoteText(reference.text);
    default:
      return foldName(written);
  }
}

/**
 * The words of an expression, subqueries left out: its columns, literals, functions and operators, each as a feature of its
 * own. They give an edit credit for what it brings nearer even where the whole expression still differs.
 */
export function wordsOf(node: Expr, names: Resolution): string[] {
  const words: string[] = columnNamesIn(node).map((column) => wordOf(formOf(column, names)));
  visitExpressions(node, (inner) => {
    const own = ownWords(inner);
    words.push(...own);
  });
  return words;
}

function ownWords(node: Expr): string[] {
  switch (node.type) {
    case 'NumericLiteral':
      return [wordOf(numberForm(node.value))];
    case 'StringLiteral':
      return [wordOf(quoteText(node.value))];
    case 'FunctionCallStarExpr':
      return [`${foldName(node.name.name)}()`];
    case 'FunctionCallExpr':
      return [`${foldName(node.name.name)}()`, ...(node.distinctness === 'Distinct' ? [DISTINCT_INSIDE] : [])];
    case 'CastExpr':
      return ['cast()'];
    case 'BinaryExpr':
      return node.op === 'And' ? [] : [operatorWord(node.op)];
    case 'LikeExpr':
      return [operatorWord(`${node.not ? 'Not' : ''}${node.op}`)];
    case 'InListExpr':
    case 'InSelectExpr':
      return [operatorWord(node.not ? 'NotIn' : 'In')];
    case 'BetweenExpr':
      return [operatorWord(node.not ? 'NotBetween' : 'Between')];
    case 'IsNullExpr':
      return [operatorWord('Is')];
    case 'NotNullExpr':
      return [operatorWord('IsNot')];
    default:
      return [];
  }
}

/** Word of DISTINCT inside an aggregate. */
export const DISTINCT_INSIDE = 'distinct inside';

/** The word of a column or literal by its form. */
export function wordOf(form: string): string {
  return `word ${form}`;
}

/** The word of an operator. */
export function operatorWord(operator: string): string {
  return `op ${operator}`;
}
