import { plainIdentifier } from '../../../schema/identifiers.ts';
import { endOf, textOf } from '../../../sql/ast/source.ts';
import { columnNamesIn, withoutParentheses } from '../../../sql/ast/walk.ts';
import { tableOf } from '../../../sql/scope/resolve.ts';
import type { Source } from '../../../sql/scope/scope.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Move, RANKS, single } from '../change.ts';
import { type Place, type RepairContext, slotDelta } from '../context.ts';
import { slotFeature } from '../features.ts';
import { binaryForm, columnForm, formOf, operatorWord, wordOf, wordsOf } from '../forms.ts';
import { linksOf } from '../links.ts';
import { added, extended } from './conjunct.ts';

/** The keys of a link between two tables of a block in place of a join's equality. */
export function joinConditions(context: RepairContext): Move[] {
  const { names, sql } = context;
  return context.places.flatMap((place) =>
    place.slots
      .filter(({ area }) => area === 'on')
      .flatMap((slot) => {
        const { node, range } = slot.expression;
        const equality = withoutParentheses(node);
        if (equality.type !== 'BinaryExpr' || equality.op !== 'Equals') return [];
        const old = formOf(node, names);
        return pairsOf(place, context)
          .filter(({ form }) => form !== old)
          .map(({ text, form, words, prior }) => {
            const { drops, gains } = slotDelta(slot, node, form, names);
            return single(prior, {
              kind: 'join',
              range,
              after: text,
              drops: [...drops, ...wordsOf(node, names).filter((word) => word.startsWith('word'))],
              gains: [...gains, ...words],
              shown: { before: `ON ${textOf(sql, range)}`, after: `ON ${text}` },
            });
          });
      }),
  );
}

/** Tables that stand in FROM without a condition: columns of theirs set equal in WHERE. */
export function joinsInWhere(context: RepairContext): Move[] {
  return context.places.flatMap((place) => {
    const { from, where } = place.block;
    const isLoose = from?.joins.some(({ on, using, natural }) => on === null && using === null && !natural) ?? false;
    const spot = from === null || !isLoose ? null : added(where, 'WHERE', endOf(from.range), context);
    if (spot === null) return [];
    return pairsOf(place, context)
      .filter(({ sources }) => !areTied(sources, place, context))
      .map(({ text, form, words, prior }) => {
        const asOn = slotFeature('on', form);
        return extended(spot, prior, {
          kind: 'join',
          range: { offset: spot.offset, length: 0 },
          after: spot.before + text,
          rank: RANKS.where,
          gains: [context.gold.has.has(asOn) ? asOn : slotFeature('where', form), operatorWord('Equals'), ...words],
        });
      });
  });
}

/** Whether a condition of a block compares columns of two of its tables. */
function areTied(sources: readonly Source[], { slots }: Place, { names }: RepairContext): boolean {
  return slots.some(({ area, expression }) => {
    if (area !== 'on' && area !== 'where') return false;
    const used = columnNamesIn(expression.node).map((node) => {
      const reference = names.reference(node);
      return reference?.kind === 'column' ? reference.source : null;
    });
    return sources.every((source) => used.includes(source));
  });
}

function pairsOf({ scope }: Place, context: RepairContext) {
  const named = ({ alias }: Source, column: string) => `${plainIdentifier(alias)}.${plainIdentifier(column)}`;
  return scope.sources.flatMap((source, index) => {
    const table = tableOf(source.relation);
    if (table === null) return [];
    return linksOf(context, table).flatMap((link) =>
      scope.sources.slice(index + 1).flatMap((other) => {
        const otherTable = tableOf(other.relation);
        if (otherTable === null || foldName(otherTable) !== foldName(link.otherTable)) return [];
        const forms = [columnForm(table, link.column), columnForm(otherTable, link.otherColumn)] as const;
        return [
          {
            text: `${named(source, link.column)} = ${named(other, link.otherColumn)}`,
            form: binaryForm('Equals', ...forms),
            words: forms.map(wordOf),
            prior: link.declared ? 2 : 4,
            sources: [source, other],
          },
        ];
      }),
    );
  });
}
