import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Expr, From, Join, Range } from '../../../sql/ast/query.ts';
import { between, endOf, textOf } from '../../../sql/ast/source.ts';
import type { ColumnName } from '../../../sql/ast/walk.ts';
import { withoutParentheses } from '../../../sql/ast/walk.ts';
import { tableOf } from '../../../sql/scope/resolve.ts';
import type { Source } from '../../../sql/scope/scope.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Change, change, type Move, single } from '../change.ts';
import { type BlockColumn, columnsDelta, columnText, type Place, type RepairContext } from '../context.ts';
import { type Feature, fromFeature, LEFT_JOIN, slotFeature } from '../features.ts';
import { formOf, wordsOf } from '../forms.ts';
import { isWithin, renamed, usesOf } from './references.ts';

/** Joins that go together. */
const MOST_REMOVED = 3;

/** A FROM item that goes, and the text that goes with it. */
interface Removed {
  readonly join: Join;
  readonly source: Source;
  readonly range: Range;
  /** What stays of the range. */
  readonly after: string;
}

/**
 * A join left out, with the joins that hang on it. Columns of its table are named by columns that its condition sets equal
 * to them, or by those of the same name in another table.
 */
export function joinRemovals(context: RepairContext): Move[] {
  return context.places.flatMap((place) => {
    const from = place.block.from;
    if (from === null) return [];
    const starts = from.joins.flatMap((join) => joinAt(join, place, context));
    return [...starts, ...firstItem(from, place, context)].flatMap((start) => removal(start, place, context));
  });
}

function joinAt(join: Join, { scope }: Place, { text }: RepairContext): Removed[] {
  const source = scope.sources.find(({ item }) => item === join.item);
  const range = between(text.endBefore(join.range.offset), endOf(join.range));
  return source === undefined ? [] : [{ join, source, range, after: '' }];
}

/** The first item goes with the condition by which the second hangs on it. */
function firstItem({ first, joins: [join] }: From, { scope }: Place, { sql }: RepairContext): Removed[] {
  const source = scope.sources.find(({ item }) => item === first);
  if (join === undefined || source === undefined || join.kind === 'left') return [];
  const range = between(first.range.offset, endOf(join.range));
  return [{ join, source, range, after: textOf(sql, join.item.range) }];
}

function removal(start: Removed, place: Place, context: RepairContext): Move[] {
  const { names } = context;
  const removed = [start];
  const renames: { node: ColumnName; column: BlockColumn }[] = [];
  for (let index = 0; index < removed.length; index++) {
    const one = removed[index];
    if (one === undefined || removed.length > MOST_REMOVED) return [];
    for (const { node, column } of usesOf(one.source, names)) {
      if (removed.some(({ join }) => isWithin(rangeOf(node), join.range))) continue;
      const stays = ({ source: kept }: BlockColumn) => removed.every(({ source }) => source !== kept);
      const hanging = place.block.from?.joins.find((join) => isWithin(rangeOf(node), join.range));
      const other = hanging === undefined ? namesake(column, place, stays) : null;
      const equal = equalColumn(one, column, place, context) ?? other;
      if (equal !== null && stays(equal)) renames.push({ node, column: equal });
      else if (hanging === undefined) return [];
      else removed.push(...joinAt(hanging, place, context));
    }
  }
  const kept = renames.filter(({ node }) => removed.every(({ join }) => !isWithin(rangeOf(node), join.range)));
  return [{ changes: [...removalChanges(removed, kept, place, context), ...kept.map(rename(place))], prior: 2 }];
}

function rename(place: Place): (use: { node: ColumnName; column: BlockColumn }) => Change {
  return ({ node, column }) => renamed(node, columnText(place, column), place);
}

function removalChanges(
  removed: readonly Removed[],
  renames: readonly { node: ColumnName; column: BlockColumn }[],
  place: Place,
  { names }: RepairContext,
): Change[] {
  const instead = new Map<Expr, string>(renames.map(({ node, column }) => [node, column.form]));
  const { drops, gains } = columnsDelta(place.slots, instead, names);
  return removed.map(({ join, source, range, after }, index) => {
    const lost: Feature[] = (join.on?.conjuncts ?? []).flatMap(({ node }) => [
      slotFeature('on', formOf(node, names)),
      ...wordsOf(node, names),
    ]);
    const own = [...lost, fromFeature(tableOf(source.relation)), ...(join.kind === 'left' ? [LEFT_JOIN] : [])];
    const isFirst = index === 0;
    return change({
      kind: 'join',
      range,
      after,
      drops: isFirst ? [...own, ...drops] : own,
      gains: isFirst ? gains : [],
    });
  });
}

function namesake(column: string, { columns }: Place, stays: (column: BlockColumn) => boolean): BlockColumn | null {
  return columns.find((other) => stays(other) && foldName(other.name) === foldName(column)) ?? null;
}

/** The column of another table that a join's condition sets equal to a column of `source`. */
function equalColumn(
  { join, source }: Removed,
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
