import type { EditKind } from '../../../../protocol/diagnosis.ts';
import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Expr } from '../../../sql/ast/query.ts';
import { textOf } from '../../../sql/ast/source.ts';
import { columnNamesIn, visitExpressions } from '../../../sql/ast/walk.ts';
import { isAggregateCall } from '../../../sql/scope/functions.ts';
import type { Reference } from '../../../sql/scope/scope.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Move, single } from '../change.ts';
import { areAlike, type BlockColumn, columnText, type Place, type RepairContext, slotDelta } from '../context.ts';
import type { Area, Slot } from '../features.ts';
import { formOf, wordOf } from '../forms.ts';

const KINDS: Record<Area, EditKind> = {
  item: 'column',
  where: 'column',
  having: 'column',
  on: 'join',
  group: 'group_by',
  order: 'order_by',
};

/** Another column of the same block in place of one, and a column in place of a function of it (TRIM, CAST, ROUND …). */
export function columnMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) =>
    place.slots.flatMap((slot) => [...otherColumns(slot, place, context), ...unwrapped(slot, context)]),
  );
}

function otherColumns(slot: Slot, place: Place, context: RepairContext): Move[] {
  const { names } = context;
  return columnNamesIn(slot.expression.node).flatMap((node) => {
    const reference = names.reference(node);
    if (reference.kind === 'text' || reference.kind === 'boolean') return [];
    const own = reference.kind === 'column' ? columnOf(reference, place) : null;
    const old = formOf(node, names);
    return place.columns
      .filter((column) => column !== own)
      .map((column) => {
        const delta = slotDelta(slot, node, column.form, names);
        return single(priorOf(own, column, slot.area), {
          kind: KINDS[slot.area],
          range: rangeOf(node),
          after: columnText(place, column),
          drops: [...delta.drops, wordOf(old)],
          gains: [...delta.gains, wordOf(column.form)],
          shown: shownOf(slot, node, columnText(place, column), context),
        });
      });
  });
}

function columnOf(reference: Extract<Reference, { kind: 'column' }>, { columns }: Place): BlockColumn | null {
  const { source, column } = reference;
  return columns.find((one) => one.source === source && foldName(one.name) === foldName(column)) ?? null;
}

/** The same name in another table is likeliest, then keys for keys, then columns of the like type. */
function priorOf(own: BlockColumn | null, column: BlockColumn, area: Area): number {
  if (own === null) return 5;
  if (foldName(own.name) === foldName(column.name)) return 2;
  if (!areAlike(own.kind, column.kind)) return 7;
  return own.key === column.key ? 4 : area === 'on' ? 6 : 5;
}

/** The smallest comparison or call around a column says more than its name. */
function shownOf(slot: Slot, node: Expr, made: string, { sql }: RepairContext) {
  const whole = slot.expression.range;
  const before = textOf(sql, whole);
  if (slot.area === 'item' || before.length > 80) return null;
  const at = node.span.offset - whole.offset;
  return { before, after: before.slice(0, at) + made + before.slice(at + node.span.length) };
}

function unwrapped(slot: Slot, { names, sql }: RepairContext): Move[] {
  const moves: Move[] = [];
  visitExpressions(slot.expression.node, (node) => {
    const inner = innerOf(node);
    if (inner === null) return;
    const delta = slotDelta(slot, node, formOf(inner, names), names);
    const word =
      node.type === 'CastExpr' ? 'cast()' : `${(node.type === 'FunctionCallExpr' && foldName(node.name.name)) || ''}()`;
    moves.push(
      single(3, {
        kind: KINDS[slot.area],
        range: rangeOf(node),
        after: textOf(sql, inner.span),
        drops: [...delta.drops, word],
        gains: delta.gains,
      }),
    );
  });
  return moves;
}

/** The first argument of a scalar function or a CAST. */
function innerOf(node: Expr): Expr | null {
  if (node.type === 'CastExpr') return node.expr;
  if (node.type !== 'FunctionCallExpr' || isAggregateCall(node)) return null;
  return node.args?.[0] ?? null;
}
