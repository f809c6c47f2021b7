import type { Expr, Expression, Range } from '../../sql/ast/query.ts';
import { between, endOf } from '../../sql/ast/source.ts';
import { withoutParentheses } from '../../sql/ast/walk.ts';
import type { OutputColumn, Source } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';
import { canonicalNames, type Instance } from './instances.ts';
import { canonical, type NameColumn, plain, rewrite, type Side, sourcesIn } from './side.ts';

/** A part of a block that can be taken over into a query put together of both: a condition, an item, a term. */
export interface Piece {
  readonly side: Side;
  /** In the side's text. */
  readonly range: Range;
  /** What it says, the same on both sides where they say the same. */
  readonly text: string;
  /** The expression in it; null for a column of a star. */
  readonly node: Expr | null;
  /** The FROM items that it refers to. */
  readonly sources: ReadonlySet<Source>;
  readonly render: (name: NameColumn) => string | null;
  /** The same form of a part of it. */
  readonly textAt: (range: Range) => string;
}

/** The pieces of a block. */
export interface Pieces {
  readonly side: Side;
  /** All joins are inner ones with ON, USING or nothing: their conditions stand among those of WHERE. */
  readonly flat: boolean;
  readonly conditions: readonly Piece[];
  readonly items: readonly Piece[];
  readonly group: readonly Piece[] | null;
  readonly having: readonly Piece[];
  readonly order: readonly Piece[] | null;
  /** `LIMIT …` as written, without case and white space; null without. */
  readonly limit: string | null;
}

/** @param joined the conditions of inner joins count as conditions of WHERE */
export function piecesOf(side: Side, instances: readonly Instance[], joined: boolean): Pieces {
  const { block, query } = side;
  const name = canonicalNames(instances, side.name);
  const piece = (expression: Expression): Piece => pieceOf(side, expression, name);
  const on = joined ? (block.from?.joins ?? []).flatMap((join) => join.on?.conjuncts ?? []).map(piece) : [];
  const isOwn = query.arms.length === 1;
  return {
    side,
    flat: joined,
    conditions: [...on, ...(joined ? usingPieces(side, name) : []), ...(block.where?.conjuncts ?? []).map(piece)],
    items: (side.scope.outputs ?? []).map((output) => itemPiece(side, output, name)),
    group:
      block.groupBy === null ? null : block.groupBy.items.map((term) => termPiece(side, term, 'GROUP BY', name, '')),
    having: (block.having?.conjuncts ?? []).map(piece),
    order:
      query.orderBy === null || !isOwn
        ? null
        : query.orderBy.items.map((item) => {
            const suffix = side.sql
              .slice(endOf(item.expression.range), endOf(item.range))
              .replace(/\bASC\b/i, '')
              .trim();
            return termPiece(side, item.expression, 'ORDER BY', name, suffix);
          }),
    limit: query.limit === null || !isOwn ? null : side.sql.slice(query.limit.range.offset, endOf(query.limit.range)),
  };
}

/** Whether all FROM items can be listed with the conditions of their joins beside those of WHERE. */
export function isFlat({ block }: Side): boolean {
  const isPlain = block.from?.first.kind !== 'join' && block.from?.first.kind !== 'function';
  return (
    isPlain &&
    (block.from?.joins ?? []).every(
      ({ kind, natural, item }) =>
        (kind === 'comma' || kind === 'inner' || kind === 'cross') &&
        !natural &&
        item.kind !== 'join' &&
        item.kind !== 'function',
    )
  );
}

const SYMMETRIC: ReadonlySet<string> = new Set(['Equals', 'NotEquals']);

function pieceOf(side: Side, { range, node }: Expression, name: NameColumn): Piece {
  const inner = withoutParentheses(node);
  const whole = canonical(side, range, name);
  let text = whole;
  if (inner.type === 'BinaryExpr' && SYMMETRIC.has(inner.op)) {
    const sides = [inner.left, inner.right].map(({ span }) =>
      canonical(side, between(span.offset, span.offset + span.length), name),
    );
    text = `${sides.sort().join(inner.op === 'Equals' ? ' = ' : ' != ')}`;
  }
  return {
    side,
    range,
    text,
    node: inner,
    sources: sourcesIn(side, range),
    render: (as) => rewrite(side, range, as),
    textAt: (part) => canonical(side, part, name),
  };
}

function itemPiece(side: Side, { item, star }: OutputColumn, name: NameColumn): Piece {
  if (item.kind === 'expression') return pieceOf(side, item.expression, name);
  const text = star === null ? '*' : (name(star.source, star.column) ?? '?');
  return {
    side,
    range: item.range,
    text: plain(text),
    node: null,
    sources: new Set(star === null ? [] : [star.source]),
    render: (as) => (star === null ? null : as(star.source, star.column)),
    textAt: () => plain(text),
  };
}

/** A term of GROUP BY or ORDER BY; one that names a result column stands for what that is. */
function termPiece(
  side: Side,
  term: Expression,
  clause: 'GROUP BY' | 'ORDER BY',
  name: NameColumn,
  suffix: string,
): Piece {
  const index = side.resolution.outputOf(term.node, side.scope, clause);
  const output = index === null ? undefined : side.scope.outputs?.[index];
  const base = output === undefined ? pieceOf(side, term, name) : itemPiece(side, output, name);
  const behind = suffix === '' ? '' : ` ${suffix}`;
  const isNumber = (sql: string) => /^\s*\d+\s*$/.test(sql);
  return {
    ...base,
    range: between(term.range.offset, endOf(term.range)),
    text: `${base.text}${behind.toLowerCase()}`,
    render: (as) => {
      const sql = base.render(as);
      return sql === null ? null : `${isNumber(sql) ? `(${sql}) + 0` : sql}${behind}`;
    },
  };
}

/** `USING (a)` as the condition that it stands for. */
function usingPieces(side: Side, name: NameColumn): Piece[] {
  return (side.block.from?.joins ?? []).flatMap((join) => {
    const own = side.scope.sources.find(({ item }) => item === join.item);
    const { using } = join;
    if (using === null || own === undefined) return [];
    return using.columns.flatMap((column): Piece[] => {
      const key = foldName(column.text);
      const before = side.scope.sources.slice(0, side.scope.sources.indexOf(own));
      const other = before.find(({ columns }) => columns?.some((known) => foldName(known) === key));
      if (other === undefined) return [];
      const condition = (as: NameColumn) => {
        const sides = [as(other, column.text), as(own, column.text)];
        return sides.includes(null) ? null : sides.sort().join(' = ');
      };
      return [
        {
          side,
          range: using.range,
          text: plain(condition(name) ?? ''),
          node: null,
          sources: new Set([other, own]),
          render: condition,
          textAt: () => plain(condition(name) ?? ''),
        },
      ];
    });
  });
}
