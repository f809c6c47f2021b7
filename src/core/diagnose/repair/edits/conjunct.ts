import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Condition, Expr, Range } from '../../../sql/ast/query.ts';
import { between, endOf } from '../../../sql/ast/source.ts';
import { withoutParentheses } from '../../../sql/ast/walk.ts';
import { type Change, type ChangeParts, change, type Move, RANKS, single } from '../change.ts';
import { columnText, holdsNumbers, type Place, type RepairContext } from '../context.ts';
import { type Area, slotFeature } from '../features.ts';
import { binaryForm, formOf, operatorWord, wordOf, wordsOf } from '../forms.ts';
import { COUNT_ROWS } from './aggregate.ts';
import { inParentheses } from './parentheses.ts';

const OPERATORS = [
  ['=', 'Equals', 3],
  ['>', 'Greater', 5],
  ['<', 'Less', 5],
  ['>=', 'GreaterEquals', 5],
  ['<=', 'LessEquals', 5],
  ['<>', 'NotEquals', 5],
] as const;

/** One operand of AND or OR left out, and one simple condition, `column operator literal`, added. */
export function conjunctMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) => [
    ...dropMoves(place.block.where, 'where', context),
    ...dropMoves(place.block.having, 'having', context),
    ...addMoves(place, context),
    ...addHaving(place, context),
  ]);
}

function dropMoves(condition: Condition | null, area: Area, context: RepairContext): Move[] {
  if (condition === null) return [];
  const { names, text } = context;
  const drop = (node: Expr, range: Range, isOperand: boolean): Move =>
    single(isOperand ? 3 : 2, {
      kind: 'conjunct',
      range,
      after: '',
      drops: [
        ...(isOperand ? [operatorWord('Or')] : [slotFeature(area, formOf(node, names))]),
        ...wordsOf(node, names),
      ],
    });
  const inside = (node: Expr): Move[] => {
    const inner = withoutParentheses(node);
    if (inner.type !== 'BinaryExpr' || (inner.op !== 'And' && inner.op !== 'Or')) return [];
    const { left, right, op } = inner;
    return [
      // From the left operand up to the right one, or from the left one's end to the right one's.
      drop(left, between(left.span.offset, right.span.offset), op === 'Or'),
      drop(right, between(endOf(rangeOf(left)), endOf(rangeOf(right))), op === 'Or'),
      ...inside(left),
      ...inside(right),
    ];
  };
  const root = condition.expression.node;
  const start = text.endBefore(condition.range.offset);
  return [drop(root, between(start, endOf(condition.range)), false), ...inside(root)];
}

/** Where and how the conditions of a block are extended. */
export interface AddedAt {
  offset: number;
  before: string;
  /** The condition that is there in parentheses: behind its OR, AND would bind to the last operand alone. */
  with: Change[];
}

/** What the conditions of a block may be extended by, behind `end`. */
export function added(condition: Condition | null, keyword: string, end: number, context: RepairContext): AddedAt {
  if (condition === null) return { offset: end, before: ` ${keyword} `, with: [] };
  const { node, range } = condition.expression;
  const isOr = node.type === 'BinaryExpr' && node.op === 'Or';
  const wrapped = isOr ? [inParentheses(range.offset, endOf(range), context)] : [];
  return { offset: endOf(condition.range), before: ' AND ', with: wrapped };
}

/** A condition more, behind those that are there. */
export function extended(spot: AddedAt, prior: number, parts: ChangeParts): Move {
  return { changes: [...spot.with, change(parts)], prior: prior + 3 * spot.with.length };
}

function addMoves(place: Place, context: RepairContext): Move[] {
  const { block, columns } = place;
  if (block.from === null) return [];
  const spot = added(block.where, 'WHERE', endOf(block.from.range), context);
  const used = new Set(place.slots.flatMap(({ expression }) => wordsOf(expression.node, context.names)));
  const literals = context.gold.literals.filter(({ text }) => !used.has(wordOf(text)));
  return columns.flatMap((column) => {
    const name = columnText(place, column);
    const make = (condition: string, form: string, words: string[], prior: number) =>
      extended(spot, prior, {
        kind: 'conjunct',
        range: { offset: spot.offset, length: 0 },
        after: spot.before + condition,
        rank: RANKS.where,
        gains: [slotFeature('where', form), wordOf(column.form), ...words],
      });
    return [
      ...literals.flatMap(({ text, isNumber }) =>
        OPERATORS.filter(([operator]) => isNumber || operator === '=' || operator === '<>').map(
          ([operator, word, prior]) =>
            make(
              `${name} ${operator} ${text}`,
              binaryForm(word, column.form, text),
              [operatorWord(word), wordOf(text)],
              prior + (isNumber === holdsNumbers(column.kind) ? 0 : 3),
            ),
        ),
      ),
      ...literals
        .filter(({ text }) => text.includes('%'))
        .flatMap(({ text }) => [
          make(`${name} LIKE ${text}`, `${column.form} Like ${text}`, [operatorWord('Like'), wordOf(text)], 3),
          make(
            `${name} NOT LIKE ${text}`,
            `${column.form} NotLike ${text}`,
            [operatorWord('NotLike'), wordOf(text)],
            5,
          ),
        ]),
      make(`${name} IS NOT NULL`, binaryForm('IsNot', column.form, 'null'), [operatorWord('IsNot')], 6),
    ];
  });
}

function addHaving({ block }: Place, context: RepairContext): Move[] {
  if (block.groupBy === null) return [];
  const spot = added(block.having, 'HAVING', endOf(block.groupBy.range), context);
  return context.gold.literals
    .filter(({ isNumber }) => isNumber)
    .flatMap(({ text }) =>
      OPERATORS.map(([operator, word, prior]) =>
        extended(spot, prior + 1, {
          kind: 'conjunct',
          range: { offset: spot.offset, length: 0 },
          after: `${spot.before}${COUNT_ROWS.text} ${operator} ${text}`,
          rank: RANKS.having,
          gains: [
            slotFeature('having', binaryForm(word, COUNT_ROWS.form, text)),
            ...COUNT_ROWS.words,
            operatorWord(word),
            wordOf(text),
          ],
        }),
      ),
    );
}
