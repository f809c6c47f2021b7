import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Expr } from '../../../sql/ast/query.ts';
import { textOf } from '../../../sql/ast/source.ts';
import { type Call, callsIn, withoutParentheses } from '../../../sql/ast/walk.ts';
import { isAggregateCall } from '../../../sql/scope/functions.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Move, single } from '../change.ts';
import { columnText, holdsNumbers, type Place, type RepairContext, slotDelta } from '../context.ts';
import type { Slot } from '../features.ts';
import { callForm, DISTINCT_INSIDE, formOf, wordOf } from '../forms.ts';

const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max'] as const;

/** An aggregate as it could be written instead. */
interface Written {
  text: string;
  form: string;
  words: readonly string[];
  prior: number;
}

/** Another aggregate function, COUNT(*) for COUNT(column) and back, and an aggregate put around a column or taken away. */
export function aggregateMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) =>
    place.slots
      .filter(({ area }) => area === 'item' || area === 'having' || area === 'order')
      .flatMap((slot) => [
        ...callsIn(slot.expression.node)
          .filter(isAggregateCall)
          .flatMap((call) => callMoves(call, slot, place, context)),
        ...wrapMoves(slot, place, context),
      ]),
  );
}

function callMoves(call: Call, slot: Slot, place: Place, context: RepairContext): Move[] {
  const own = formOf(call, context.names);
  const old = wordsOfCall(call, context);
  const alternatives = call.type === 'FunctionCallStarExpr' ? aggregatesOf(place) : forArgument(call, context);
  const seen = new Set([own]);
  return alternatives
    .filter(({ form }) => !seen.has(form) && seen.add(form))
    .map((written) => moveTo(call, written, old, slot, context));
}

function moveTo(node: Expr, written: Written, old: readonly string[], slot: Slot, context: RepairContext): Move {
  const { drops, gains } = slotDelta(slot, node, written.form, context.names);
  return single(written.prior, {
    kind: 'aggregate',
    range: rangeOf(node),
    after: written.text,
    drops: [...drops, ...old],
    gains: [...gains, ...written.words],
  });
}

function wordsOfCall(call: Call, { names }: RepairContext): string[] {
  const name = `${foldName(call.name.name)}()`;
  if (call.type === 'FunctionCallStarExpr') return [name];
  const args = (call.args ?? []).map((argument) => wordOf(formOf(argument, names)));
  return [name, ...args, ...(call.distinctness === 'Distinct' ? [DISTINCT_INSIDE] : [])];
}

function write(
  name: string,
  { text, form }: { text: string; form: string },
  distinct: boolean,
  prior: number,
): Written {
  return {
    text: `${name.toUpperCase()}(${distinct ? 'DISTINCT ' : ''}${text})`,
    form: callForm(name, [form], distinct),
    words: [`${name}()`, wordOf(form), ...(distinct ? [DISTINCT_INSIDE] : [])],
    prior,
  };
}

/** What an aggregate of columns of a block can be. */
export function aggregatesOf(place: Place): Written[] {
  return place.columns.flatMap((column) => {
    const own = { text: columnText(place, column), form: column.form };
    const numbers = holdsNumbers(column.kind) && !column.key ? 4 : 7;
    return [
      write('count', own, false, 5),
      write('count', own, true, column.key ? 2 : 3),
      ...FUNCTIONS.slice(1).map((name) => write(name, own, false, numbers)),
    ];
  });
}

export const COUNT_ROWS: Written = { text: 'COUNT(*)', form: 'count(*)', words: ['count()'], prior: 2 };

function forArgument(call: Extract<Call, { type: 'FunctionCallExpr' }>, { names, sql }: RepairContext): Written[] {
  const [argument] = call.args ?? [];
  if (argument === undefined) return [];
  const text = textOf(sql, argument.span);
  const form = formOf(argument, names);
  const isDistinct = call.distinctness === 'Distinct';
  const own = { text, form };
  return [
    ...FUNCTIONS.map((name) => write(name, own, isDistinct, 2)),
    write('count', own, true, 3),
    COUNT_ROWS,
    { text, form, words: [wordOf(form)], prior: 4 },
  ];
}

/** An aggregate around an item that is a bare column. */
function wrapMoves(slot: Slot, place: Place, context: RepairContext): Move[] {
  const node = withoutParentheses(slot.expression.node);
  if (node.type !== 'Id' && node.type !== 'QualifiedExpr') return [];
  const { names, sql } = context;
  if (names.reference(node).kind !== 'column') return [];
  const form = formOf(node, names);
  const text = textOf(sql, node.span);
  const prior = place.block.groupBy === null ? 5 : 4;
  const own = { text, form };
  return [
    ...FUNCTIONS.map((name) => write(name, own, false, prior)),
    write('count', own, true, prior),
    { ...COUNT_ROWS, prior },
  ].map((written) => moveTo(node, written, [wordOf(form)], slot, context));
}
