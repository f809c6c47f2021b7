import type { Hint } from '../../../protocol/diagnosis.ts';
import { rangeOf } from '../../sql/ast/build-expression.ts';
import type { Expr, Query } from '../../sql/ast/query.ts';
import { expressionsOf, queriesIn, tailExpressions, visitExpressions, withoutParentheses } from '../../sql/ast/walk.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import { type HintContext, hintAt, said } from './context.ts';
import { holdsNumbers, numericTexts, textColumn } from './numeric-text.ts';
import { textOfLiteral } from './values.ts';

function expressionsIn(query: Query): Expr[] {
  const own = [...query.arms.flatMap(({ core }) => expressionsOf(core)), ...tailExpressions(query)].map(
    ({ node }) => node,
  );
  return [...own, ...queriesIn(query).flatMap(expressionsIn)];
}

/** Divisions of two integers, which drop the fraction. */
export function integerDivisions(context: HintContext): Hint[] {
  const { names, sql, query } = context;
  const hints: Hint[] = [];
  for (const root of expressionsIn(query))
    visitExpressions(root, (node) => {
      if (node.type !== 'BinaryExpr' || node.op !== 'Divide') return;
      if (!isInteger(node.left, names) || !isInteger(node.right, names)) return;
      const text = said(sql, rangeOf(node));
      const sentence = `${text} divides two integers: the fraction is dropped. Multiply one by 1.0 to keep it.`;
      hints.push(hintAt(context, 'integer_division', rangeOf(node), sentence));
    });
  return hints;
}

/** Whether an expression is an integer by what it is made of; false where in doubt. */
function isInteger(given: Expr, names: Resolution): boolean {
  const node = withoutParentheses(given);
  switch (node.type) {
    case 'NumericLiteral':
      return /^\d+$/.test(node.value);
    case 'Id':
    case 'QualifiedExpr': {
      const reference = names.reference(node);
      if (reference.kind !== 'column' || reference.source.relation.kind !== 'table') return false;
      const { table } = reference.source.relation;
      return table.columns.find(({ name }) => name === reference.column)?.kind === 'integer';
    }
    case 'FunctionCallStarExpr':
      return true;
    case 'FunctionCallExpr': {
      const name = node.name.name.toLowerCase();
      if (name === 'count' || name === 'length') return true;
      const [argument] = node.args ?? [];
      return /^(?:sum|min|max|abs)$/.test(name) && argument !== undefined && isInteger(argument, names);
    }
    case 'BinaryExpr':
      return /^(?:Add|Subtract|Multiply)$/.test(node.op) && isInteger(node.left, names) && isInteger(node.right, names);
    case 'CastExpr':
      return /^int/i.test(node.typeName?.name ?? '');
    default:
      return false;
  }
}

const ORDERED: ReadonlySet<string> = new Set(['Less', 'LessEquals', 'Greater', 'GreaterEquals']);

/** Texts compared with numbers by size, numbers with texts that are none, and text columns of numbers in order of text. */
export async function textsWithNumbers(context: HintContext): Promise<Hint[]> {
  const { names, sql, query, session } = context;
  const hints: Hint[] = [];
  const comparisons: Extract<Expr, { type: 'BinaryExpr' }>[] = [];
  for (const root of expressionsIn(query))
    visitExpressions(root, (node) => {
      if (node.type === 'BinaryExpr' && (ORDERED.has(node.op) || node.op === 'Equals')) comparisons.push(node);
    });
  for (const node of comparisons) {
    const [left, right] = [withoutParentheses(node.left), withoutParentheses(node.right)];
    const column = textColumn(left, names);
    const text = said(sql, rangeOf(node));
    if (column !== null && ORDERED.has(node.op) && isNumberLike(right, names)) {
      if (!(await holdsNumbers(session, column.table, column.column))) continue;
      const sentence = `${text} compares as text, for ${column.column} holds numbers as text: '9' is larger than '10' there.`;
      hints.push(hintAt(context, 'text_with_number', rangeOf(node), sentence, { column: column.column }));
    }
    const literal = textOfLiteral(right, names);
    if (literal !== null && isNumericColumn(left, names) && !Number.isFinite(Number(literal))) {
      const sentence = `${text} compares a column of numbers with a text that is none.`;
      hints.push(hintAt(context, 'text_with_number', rangeOf(node), sentence, { value: literal }));
    }
  }
  for (const { node, column } of await numericTexts(session, names, query))
    hints.push(
      hintAt(
        context,
        'text_with_number',
        rangeOf(node),
        `${said(sql, rangeOf(node))} goes by the order of texts, though ${column} holds numbers: '9' comes after '10'.`,
        { column },
      ),
    );
  return hints;
}

function isNumberLike(node: Expr, names: Resolution): boolean {
  const text = textOfLiteral(node, names);
  return node.type === 'NumericLiteral' || (text !== null && text.trim() !== '' && Number.isFinite(Number(text)));
}

function isNumericColumn(node: Expr, names: Resolution): boolean {
  if (node.type !== 'Id' && node.type !== 'QualifiedExpr') return false;
  const reference = names.reference(node);
  if (reference.kind !== 'column' || reference.source.relation.kind !== 'table') return false;
  const kind = reference.source.relation.table.columns.find(({ name }) => name === reference.column)?.kind;
  return kind === 'integer' || kind === 'real';
}
