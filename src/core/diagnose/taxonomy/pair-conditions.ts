import type { Expr } from '../../sql/ast/query.ts';
import { visitExpressions } from '../../sql/ast/walk.ts';
import type { Piece } from './pieces.ts';

/** Conditions that stand for each other; null where one side has none. */
export interface PairedConditions {
  readonly gold: Piece | null;
  readonly pred: Piece | null;
}

/** Pairs the conditions that differ: those that share most of column, operator and value come together. */
export function pairConditions(gold: readonly Piece[], pred: readonly Piece[]): PairedConditions[] {
  const left = [...pred];
  const open: Piece[] = [];
  for (const piece of gold) {
    const at = left.findIndex(({ text }) => text === piece.text);
    if (at >= 0) left.splice(at, 1);
    else open.push(piece);
  }
  const pairs: PairedConditions[] = [];
  const scored = open
    .flatMap((one) => left.map((other) => ({ one, other, score: likeness(one, other) })))
    .filter(({ score }) => score >= LEAST)
    .sort((a, b) => b.score - a.score);
  const taken = new Set<Piece>();
  for (const { one, other } of scored) {
    if (taken.has(one) || taken.has(other)) continue;
    taken.add(one).add(other);
    pairs.push({ gold: one, pred: other });
  }
  return [
    ...pairs,
    ...open.filter((piece) => !taken.has(piece)).map((piece) => ({ gold: piece, pred: null })),
    ...left.filter((piece) => !taken.has(piece)).map((piece) => ({ gold: null, pred: piece })),
  ];
}

/** Conditions that share a column or a value are one condition said otherwise. */
const LEAST = 2;

function likeness(one: Piece, other: Piece): number {
  const columns = shared(columnWords(one), columnWords(other));
  // The value that a subquery asks for is another condition's.
  const isComparable = hasSubquery(one) === hasSubquery(other);
  const values = isComparable ? shared(valueWords(one), valueWords(other)) : 0;
  const sameKind = one.node?.type === other.node?.type ? 1 : 0;
  return columns * 2 + values * 2 + sameKind + (operatorOf(one) === operatorOf(other) ? 0.5 : 0);
}

function hasSubquery({ text }: Piece): boolean {
  return /\bselect\b/.test(text);
}

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((word) => other.has(word)).length;
}

/** Names with their table, and calls of aggregates, in a canonical text. */
function columnWords({ text }: Piece): Set<string> {
  const bare = text.replace(/'(?:[^']|'')*'/g, ' ');
  const names = bare.match(/[^\s()',]+ ?\. ?[^\s()',]+/g) ?? [];
  const calls = bare.match(/\b(?:count|sum|avg|total|min|max) \(/g) ?? [];
  return new Set([...names, ...calls].map((word) => word.replace(/ /g, '')));
}

function valueWords({ text }: Piece): Set<string> {
  const texts = text.match(/'(?:[^']|'')*'/g)?.map((word) => word.toLowerCase().replace(/[^\p{L}\p{N}']/gu, '')) ?? [];
  const numbers = text.replace(/'(?:[^']|'')*'/g, ' ').match(/(?<![\w.])\d+(?:\.\d+)?/g) ?? [];
  return new Set([...texts.filter((word) => word !== "''"), ...numbers]);
}

/** The operator of a condition in one word; '' for what has none. */
export function operatorOf({ node }: Piece): string {
  return node === null ? 'Equals' : operatorOfNode(node);
}

function operatorOfNode(node: Expr): string {
  switch (node.type) {
    case 'BinaryExpr':
      return node.op;
    case 'LikeExpr':
      return `${node.not ? 'Not' : ''}${node.op}`;
    case 'InListExpr':
    case 'InSelectExpr':
      return node.not ? 'NotIn' : 'In';
    case 'BetweenExpr':
      return node.not ? 'NotBetween' : 'Between';
    case 'IsNullExpr':
      return 'Is';
    case 'NotNullExpr':
      return 'IsNot';
    case 'UnaryExpr':
      return node.op;
    case 'ExistsExpr':
      return 'Exists';
    default:
      return '';
  }
}

/** The literals in an expression itself: texts without quotes, numbers as written. */
export function literalsIn(node: Expr | null): string[] {
  const found: string[] = [];
  if (node === null) return found;
  visitExpressions(node, (inner) => {
    if (inner.type === 'StringLiteral' || inner.type === 'NumericLiteral') found.push(inner.value);
  });
  return found;
}
