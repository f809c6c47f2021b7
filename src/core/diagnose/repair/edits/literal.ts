import type { Cell } from '../../../../protocol/value.ts';
import { quoteText } from '../../../schema/identifiers.ts';
import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Expr } from '../../../sql/ast/query.ts';
import { visitExpressions, withoutParentheses } from '../../../sql/ast/walk.ts';
import { tableOf } from '../../../sql/scope/resolve.ts';
import type { Resolution } from '../../../sql/scope/scope.ts';
import { type Move, single } from '../change.ts';
import { type RepairContext, slotDelta } from '../context.ts';
import { formOf, numberForm, wordOf } from '../forms.ts';
import { nearestValues } from '../near.ts';

/** A literal of the prediction and the column it is compared with. */
export interface Compared {
  readonly node: Expr;
  readonly text: string;
  readonly isNumber: boolean;
  readonly column: { readonly table: string; readonly name: string } | null;
}

/** Other literals in conditions: single ones of the gold, values of the compared column that are near, numbers off by one. */
export function literalMoves(context: RepairContext): Move[] {
  const { names, places } = context;
  return places.flatMap(({ slots }) =>
    slots
      .filter(({ area }) => area === 'where' || area === 'having' || area === 'on')
      .flatMap((slot) =>
        comparedLiterals(slot.expression.node, names).flatMap((literal) => {
          const old = formOf(literal.node, names);
          return alternatives(literal, context).map(({ text, prior }) =>
            single(prior, {
              kind: 'literal',
              range: rangeOf(literal.node),
              after: text,
              ...withWords(slotDelta(slot, literal.node, text, names), old, text),
            }),
          );
        }),
      ),
  );
}

function withWords(delta: { drops: string[]; gains: string[] }, old: string, made: string) {
  return { drops: [...delta.drops, wordOf(old)], gains: [...delta.gains, wordOf(made)] };
}

/** The literals of an expression, each with the column it is compared with. */
export function comparedLiterals(root: Expr, names: Resolution): Compared[] {
  const partners = new Map<Expr, Expr>();
  const found: Compared[] = [];
  const pair = (column: Expr, ...literals: Expr[]) => {
    for (const literal of literals) partners.set(literal, withoutParentheses(column));
  };
  visitExpressions(root, (node) => {
    if (node.type === 'BinaryExpr') {
      pair(node.left, node.right);
      pair(node.right, node.left);
    } else if (node.type === 'LikeExpr') pair(node.lhs, node.rhs);
    else if (node.type === 'InListExpr') pair(node.lhs, ...(node.rhs ?? []));
    else if (node.type === 'BetweenExpr') pair(node.lhs, node.start, node.end);
    const literal = literalAt(node, names);
    if (literal !== null) found.push({ node, ...literal, column: columnAt(partners.get(node), names) });
  });
  return found;
}

function literalAt(node: Expr, names: Resolution): { text: string; isNumber: boolean } | null {
  if (node.type === 'NumericLiteral') return { text: numberForm(node.value), isNumber: true };
  if (node.type === 'StringLiteral') return { text: quoteText(node.value), isNumber: false };
  if (node.type !== 'Id') return null;
  const reference = names.reference(node);
  return reference.kind === 'text' ? { text: quoteText(reference.text), isNumber: false } : null;
}

function columnAt(node: Expr | undefined, names: Resolution): Compared['column'] {
  if (node === undefined || (node.type !== 'Id' && node.type !== 'QualifiedExpr')) return null;
  const reference = names.reference(node);
  if (reference.kind !== 'column') return null;
  const table = tableOf(reference.source.relation);
  return table === null ? null : { table, name: reference.column };
}

function alternatives(literal: Compared, context: RepairContext): { text: string; prior: number }[] {
  const found = new Map<string, number>();
  const add = (text: string, prior: number) => {
    if (text !== literal.text && !found.has(text)) found.set(text, prior);
  };
  for (const { text, isNumber } of context.gold.literals) add(text, isNumber === literal.isNumber ? 2 : 4);
  if (literal.isNumber) numbersNear(literal.text).forEach((text) => void add(text, 3));
  else textsNear(literal, context).forEach((text) => void add(text, 3));
  return [...found].map(([text, prior]) => ({ text, prior }));
}

function numbersNear(text: string): string[] {
  const number = Number(text);
  const steps = Number.isSafeInteger(number) ? [number + 1, number - 1] : [];
  return [...steps.map(String), quoteText(text)];
}

function textsNear({ text, column }: Compared, { valuesOf }: RepairContext): string[] {
  const inner = text.slice(1, -1).replaceAll("''", "'");
  const asNumber = /^-?\d+(\.\d+)?$/.test(inner) ? [inner] : [];
  const values: readonly Cell[] = column === null ? [] : (valuesOf(column.table, column.name) ?? []);
  const texts = values.filter((value) => typeof value === 'string');
  return [...asNumber, ...nearestValues(inner, texts).map(quoteText)];
}
