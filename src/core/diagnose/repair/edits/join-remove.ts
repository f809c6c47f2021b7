import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Expr, Join } from '../../../sql/ast/query.ts';
import { between, endOf, textOf } from '../../../sql/ast/source.ts';
import { withoutParentheses } from '../../../sql/scope/resolve.ts';
import type { Source } from '../../../sql/scope/scope.ts';
import { foldName } from '../../../sql/tokens.ts';
import { change, type Move, single } from '../change.ts';
import { type BlockColumn, columnsDelta, columnText, type Place, type RepairContext } from '../context.ts';
import { type Feature, fromFeature, LEFT_JOIN, slotFeature } from '../features.ts';
import { formOf, wordsOf } from '../forms.ts';
import { isWithin, renamed, usesOf } from './references.ts';

/** A join left out; columns of its table are named by the columns that its condition sets equal to them. */
export function joinRemovals(context: RepairContext): Move[] {
  return context.places.flatMap((place) => {
    const from = place.block.from;
    if (from === null) return [];
    const first = from.joins[0];
    return [
      ...from.joins.flatMap((join) => removal(join, join.item, join.range, '', place, context)),
      ...(first === undefined || first.kind === 'left'
        ? []
        : removal(
            first,
            from.first,
            between(from.first.range.offset, endOf(first.range)),
            textOf(context.sql, first.item.range),
            place,
            context,
          )),
    ];
  });
}

function removal(
  join: Join,
  item: Join['item'],
  range: Join['range'],
  after: string,
  place: Place,
  context: RepairContext,
): Move[] {
  const { names, text } = context;
  const source = place.scope.sources.find((one) => one.item === item);
  if (source === undefined) return [];
  const outside = usesOf(source, names).filter(({ node }) => !isWithin(rangeOf(node), join.range));
  const instead = new Map<Expr, string>();
  const others = [];
  for (const { node, column } of outside) {
    const equal = equalColumn(join, source, column, place, context);
    if (equal === null) return [];
    instead.set(node, equal.form);
    others.push(renamed(node, columnText(place, equal), place));
  }
  const { drops, gains } = columnsDelta(place.slots, instead, names);
  const lost: Feature[] = (join.on?.conjuncts ?? []).flatMap(({ node }) => [
    slotFeature('on', formOf(node, names)),
    ...wordsOf(node, names),
  ]);
  const table = source.relation.kind === 'table' || source.relation.kind === 'view' ? source.relation.table.name : null;
  const whole = after === '' ? between(text.endBefore(range.offset), endOf(range)) : range;
  const made = change({
    kind: 'join',
    range: whole,
    after,
    drops: [...drops, ...lost, fromFeature(table), ...(join.kind === 'left' ? [LEFT_JOIN] : [])],
    gains,
  });
  return [{ changes: [made, ...others], prior: 2 }];
}

/** The column of another table that a join's condition sets equal to a column of `source`. */
function equalColumn(
  join: Join,
  source: Source,
  column: string,
  place: Place,
  { names }: RepairContext,
): BlockColumn | null {
  for (const { node } of join.on?.conjuncts ?? []) {
    const equality = withoutParentheses(node);
    if (equality.type !== 'BinaryExpr' || equality.op !== 'Equals') continue;
    const sides = [equality.left, equality.right].map(withoutParentheses);
    const columns = sides.map((side) => {
      if (side.type !== 'Id' && side.type !== 'QualifiedExpr') return null;
      const reference = names.reference(side);
      return reference.kind === 'column' ? reference : null;
    });
    const at = columns.findIndex(
      (reference) => reference?.source === source && foldName(reference.column) === foldName(column),
    );
    const other = at < 0 ? null : columns[1 - at];
    if (!other || other.source === source) continue;
    const found = place.columns.find(
      (one) => one.source === other.source && foldName(one.name) === foldName(other.column),
    );
    if (found !== undefined) return found;
  }
  return null;
}

/** LEFT for an inner join and back. */
export function joinKinds(context: RepairContext): Move[] {
  return context.places.flatMap(({ block }) =>
    (block.from?.joins ?? []).flatMap(({ kind, natural, operator }) => {
      if (natural) return [];
      if (kind === 'left') return [single(2, { kind: 'join', range: operator, after: 'JOIN', drops: [LEFT_JOIN] })];
      return kind === 'inner'
        ? [single(4, { kind: 'join', range: operator, after: 'LEFT JOIN', gains: [LEFT_JOIN] })]
        : [];
    }),
  );
}
