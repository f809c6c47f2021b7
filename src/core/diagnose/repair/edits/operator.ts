import type { Operator } from 'sqlite3-parser';
import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Expr, Range } from '../../../sql/ast/query.ts';
import { between, endOf, textOf } from '../../../sql/ast/source.ts';
import { visitExpressions } from '../../../sql/ast/walk.ts';
import { type ChangeParts, type Move, single } from '../change.ts';
import { type RepairContext, slotDelta } from '../context.ts';
import type { Slot } from '../features.ts';
import { binaryForm, formOf, operatorWord } from '../forms.ts';
import { parenthesesMoves } from './parentheses.ts';

/** Operators of SQL by the parser's names. */
const COMPARISONS: Partial<Record<Operator, string>> = {
  Equals: '=',
  NotEquals: '<>',
  Less: '<',
  LessEquals: '<=',
  Greater: '>',
  GreaterEquals: '>=',
};
const ARITHMETIC: Partial<Record<Operator, string>> = { Add: '+', Subtract: '-', Multiply: '*', Divide: '/' };
const IDENTITY: Partial<Record<Operator, string>> = { Is: 'IS', IsNot: 'IS NOT' };
/** Texts that people write for a missing value. */
const NOTHING = /^(?:|null|none|n\/a)$/i;
const LOGIC: Partial<Record<Operator, string>> = { And: 'AND', Or: 'OR' };

/**
 * Other operators: of comparisons, AND for OR, LIKE for =, IS for = before NULL, a division that keeps fractions, and NOT
 * before IN, LIKE, BETWEEN, EXISTS or NULL; IS NULL for a text that stands for nothing; parentheses around an OR.
 */
export function operatorMoves(context: RepairContext): Move[] {
  return context.places.flatMap(({ slots, block }) => [
    ...slots.flatMap((slot) => {
      const moves: Move[] = [];
      visitExpressions(slot.expression.node, (node) => void moves.push(...movesAt(node, slot, context)));
      return moves;
    }),
    ...[block.where, block.having].flatMap((condition) =>
      condition === null
        ? []
        : [...conjunctionMoves(condition.expression.node, context), ...parenthesesMoves(condition, context)],
    ),
  ]);
}

function movesAt(node: Expr, slot: Slot, context: RepairContext): Move[] {
  switch (node.type) {
    case 'BinaryExpr':
      return binaryMoves(node, slot, context);
    case 'LikeExpr':
      return node.op === 'Like' ? likeMoves(node, slot, context) : [];
    case 'InListExpr':
    case 'InSelectExpr':
      return inMoves(node, slot, context);
    case 'BetweenExpr':
      return [negation(node, node.lhs, node.not, 'BETWEEN', ['Between', 'NotBetween'], slot, context)];
    case 'IsNullExpr':
    case 'NotNullExpr':
      return [nullMove(node, slot, context)];
    default:
      return [];
  }
}

type Binary = Extract<Expr, { type: 'BinaryExpr' }>;

function binaryMoves(node: Binary, slot: Slot, context: RepairContext): Move[] {
  const table = [COMPARISONS, ARITHMETIC, IDENTITY].find((operators) => operators[node.op] !== undefined);
  if (node.op === 'Or') return [swap(node, 'And', LOGIC, 3, slot, context)];
  if (table === undefined) return [];
  const others = Object.keys(table).filter((operator) => operator !== node.op) as Operator[];
  const moves = others.map((operator) => swap(node, operator, table, 2, slot, context));
  const right = node.right.type;
  if (node.op === 'Equals' && right === 'StringLiteral') moves.push(toWord(node, 'LIKE', 'Like', slot, context));
  if (node.op === 'Equals' && right === 'SubqueryExpr') moves.push(toWord(node, 'IN', 'In', slot, context));
  if (node.op === 'NotEquals' && right === 'SubqueryExpr') moves.push(toWord(node, 'NOT IN', 'NotIn', slot, context));
  if (node.op === 'Equals' && right === 'NullLiteral') moves.push(swap(node, 'Is', IDENTITY, 1, slot, context));
  if (node.op === 'NotEquals' && right === 'NullLiteral') moves.push(swap(node, 'IsNot', IDENTITY, 1, slot, context));
  if (node.right.type === 'StringLiteral' && NOTHING.test(node.right.value))
    moves.push(...nullTest(node, slot, context));
  if (node.op === 'Divide') moves.push(...realDivision(node, slot, context));
  return moves;
}

function swap(
  node: Binary,
  operator: Operator,
  table: Partial<Record<Operator, string>>,
  prior: number,
  slot: Slot,
  context: RepairContext,
): Move {
  const [left, right] = [formOf(node.left, context.names), formOf(node.right, context.names)];
  const form = binaryForm(operator, left, right);
  return replaced(node, operatorRange(node.left, node.right, context), table[operator] ?? '', form, prior, {
    words: [node.op, operator],
    slot,
    context,
  });
}

/** `IS NULL` for `= ''`, and `IS NOT NULL` for `<> ''`. */
function nullTest(node: Binary, slot: Slot, context: RepairContext): Move[] {
  if (node.op !== 'Equals' && node.op !== 'NotEquals') return [];
  const [after, word] = node.op === 'Equals' ? ['IS NULL', 'Is'] : ['IS NOT NULL', 'IsNot'];
  const range = tokensBetween(endOf(rangeOf(node.left)), endOf(rangeOf(node)), context.text);
  const form = binaryForm(word, formOf(node.left, context.names), 'null');
  return [replaced(node, range, after, form, 3, { words: [node.op, word], slot, context })];
}

/** `a * 1.0 / b` for `a / b`, which drops the fraction where both are integers. */
function realDivision(node: Binary, slot: Slot, context: RepairContext): Move[] {
  const isReal = (side: Expr) => side.type === 'NumericLiteral' && !/^\d+$/.test(side.value);
  if (isReal(node.left) || isReal(node.right)) return [];
  const [left, right] = [formOf(node.left, context.names), formOf(node.right, context.names)];
  const form = binaryForm('Divide', binaryForm('Multiply', left, '1'), right);
  const words: [null, string] = [null, 'Multiply'];
  return [replaced(node, operatorRange(node.left, node.right, context), '* 1.0 /', form, 3, { words, slot, context })];
}

function toWord(node: Binary, text: string, word: string, slot: Slot, context: RepairContext): Move {
  const [left, right] = [formOf(node.left, context.names), formOf(node.right, context.names)];
  return replaced(node, operatorRange(node.left, node.right, context), text, `${left} ${word} ${right}`, 3, {
    words: [node.op, word],
    slot,
    context,
  });
}

/** The tokens between two operands: one operator, parentheses around the operands left out. */
function operatorRange(left: Expr, right: Expr, { text }: RepairContext): Range {
  return tokensBetween(endOf(rangeOf(left)), right.span.offset, text);
}

function tokensBetween(start: number, end: number, text: RepairContext['text']): Range {
  const tokens = text.slice(start, end);
  const [first, last] = [tokens[0], tokens.at(-1)];
  return first === undefined || last === undefined ? between(start, end) : between(first.offset, last.end);
}

function replaced(
  node: Expr,
  range: Range,
  after: string,
  form: string,
  prior: number,
  { words: [old, made], slot, context }: { words: [string | null, string]; slot: Slot; context: RepairContext },
): Move {
  const { drops, gains } = slotDelta(slot, node, form, context.names);
  const whole = rangeOf(node);
  const before = textOf(context.sql, whole);
  const at = range.offset - whole.offset;
  const parts: ChangeParts = {
    kind: 'operator',
    range,
    after,
    drops: old === null ? drops : [...drops, operatorWord(old)],
    gains: [...gains, operatorWord(made)],
    shown: { before, after: before.slice(0, at) + after + before.slice(at + range.length) },
  };
  return single(slot.area === 'on' ? prior + 6 : prior, parts);
}

/** Puts NOT before a word, or takes it away. */
function negation(
  node: Expr,
  left: Expr,
  isNegated: boolean,
  word: string,
  [plain, negative]: [string, string],
  slot: Slot,
  context: RepairContext,
): Move {
  const { names, text } = context;
  const tokens = text.slice(endOf(rangeOf(left)), endOf(rangeOf(node)));
  const at = tokens.findIndex((token) => token.text.toUpperCase() === word);
  const [first, last] = [tokens[isNegated ? at - 1 : at], tokens[at]];
  const range = first === undefined || last === undefined ? rangeOf(node) : between(first.offset, last.end);
  const old = isNegated ? negative : plain;
  const made = isNegated ? plain : negative;
  const form = formOf(node, names).replace(` ${old} `, ` ${made} `);
  return replaced(node, range, isNegated ? word : `NOT ${word}`, form, 3, { words: [old, made], slot, context });
}

function likeMoves(node: Extract<Expr, { type: 'LikeExpr' }>, slot: Slot, context: RepairContext): Move[] {
  const [left, right] = [formOf(node.lhs, context.names), formOf(node.rhs, context.names)];
  const operator = node.not ? 'NotEquals' : 'Equals';
  const range = operatorRange(node.lhs, node.rhs, context);
  const form = binaryForm(operator, left, right);
  const words: [string, string] = [node.not ? 'NotLike' : 'Like', operator];
  return [
    negation(node, node.lhs, node.not, 'LIKE', ['Like', 'NotLike'], slot, context),
    ...(node.escape === undefined
      ? [replaced(node, range, node.not ? '<>' : '=', form, 3, { words, slot, context })]
      : []),
  ];
}

function inMoves(
  node: Extract<Expr, { type: 'InListExpr' | 'InSelectExpr' }>,
  slot: Slot,
  context: RepairContext,
): Move[] {
  return [negation(node, node.lhs, node.not, 'IN', ['In', 'NotIn'], slot, context)];
}

function nullMove(
  node: Extract<Expr, { type: 'IsNullExpr' | 'NotNullExpr' }>,
  slot: Slot,
  context: RepairContext,
): Move {
  const isNull = node.type === 'IsNullExpr';
  const range = tokensBetween(endOf(rangeOf(node.expr)), endOf(rangeOf(node)), context.text);
  const form = binaryForm(isNull ? 'IsNot' : 'Is', formOf(node.expr, context.names), 'null');
  const words: [string, string] = isNull ? ['Is', 'IsNot'] : ['IsNot', 'Is'];
  return replaced(node, range, isNull ? 'IS NOT NULL' : 'IS NULL', form, 3, { words, slot, context });
}

/** OR for the ANDs of a condition; the conjuncts on both sides become one. */
function conjunctionMoves(node: Expr, context: RepairContext): Move[] {
  const moves: Move[] = [];
  visitExpressions(node, (inner) => {
    if (inner.type !== 'BinaryExpr' || inner.op !== 'And') return;
    const whole = rangeOf(inner);
    const range = operatorRange(inner.left, inner.right, context);
    const before = textOf(context.sql, whole);
    const at = range.offset - whole.offset;
    const after = `${before.slice(0, at)}OR${before.slice(at + range.length)}`;
    const gains = [operatorWord('Or')];
    moves.push(single(3, { kind: 'operator', range, after: 'OR', gains, shown: { before, after } }));
  });
  return moves;
}
