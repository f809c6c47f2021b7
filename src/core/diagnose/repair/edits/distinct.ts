import { rangeOf } from '../../../sql/ast/build-expression.ts';
import { endOf, textOf } from '../../../sql/ast/source.ts';
import { callsIn } from '../../../sql/ast/walk.ts';
import { isAggregateCall } from '../../../sql/scope/functions.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Move, single } from '../change.ts';
import { type Place, type RepairContext, slotDelta } from '../context.ts';
import { DISTINCT, type Slot } from '../features.ts';
import { callForm, DISTINCT_INSIDE, formOf } from '../forms.ts';

/** DISTINCT added or taken away, behind SELECT and inside an aggregate. */
export function distinctMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) => [
    blockMove(place, context),
    ...place.slots.flatMap((slot) => insideMoves(slot, context)),
  ]);
}

function blockMove({ block, arm }: Place, { sql }: RepairContext): Move {
  const { distinct, itemsRange } = block;
  const prior = arm === null ? 4 : 1;
  const items = textOf(sql, itemsRange);
  const shown = `SELECT ${items.length > 40 ? '…' : items}`;
  const marked = shown.replace('SELECT', 'SELECT DISTINCT');
  if (distinct?.kind === 'DISTINCT')
    return single(prior, {
      kind: 'distinct',
      range: { offset: distinct.range.offset, length: itemsRange.offset - distinct.range.offset },
      after: '',
      drops: [DISTINCT],
      shown: { before: marked, after: shown },
    });
  const range = distinct?.range ?? { offset: itemsRange.offset, length: 0 };
  const after = distinct === null ? 'DISTINCT ' : 'DISTINCT';
  return single(prior, { kind: 'distinct', range, after, gains: [DISTINCT], shown: { before: shown, after: marked } });
}

function insideMoves(slot: Slot, { sql, text, names }: RepairContext): Move[] {
  return callsIn(slot.expression.node)
    .filter(isAggregateCall)
    .flatMap((call) => {
      const argument = call.type === 'FunctionCallExpr' && call.args?.length === 1 ? call.args[0] : undefined;
      if (argument === undefined || call.type !== 'FunctionCallExpr') return [];
      const isDistinct = call.distinctness === 'Distinct';
      const form = callForm(foldName(call.name.name), [formOf(argument, names)], !isDistinct);
      const { drops, gains } = slotDelta(slot, call, form, names);
      const before = textOf(sql, call.span);
      const start = isDistinct ? text.before(argument.span.offset).offset : argument.span.offset;
      const at = start - call.span.offset;
      const rest = argument.span.offset - call.span.offset;
      const after = isDistinct ? '' : 'DISTINCT ';
      return [
        single(2, {
          kind: 'distinct',
          range: { offset: start, length: endOf(rangeOf(call)) - start - (before.length - rest) },
          after,
          drops: isDistinct ? [...drops, DISTINCT_INSIDE] : drops,
          gains: isDistinct ? gains : [...gains, DISTINCT_INSIDE],
          shown: { before, after: before.slice(0, at) + after + before.slice(rest) },
        }),
      ];
    });
}
