import { plainIdentifier } from '../../../schema/identifiers.ts';
import { textOf } from '../../../sql/ast/source.ts';
import { withoutParentheses } from '../../../sql/ast/walk.ts';
import { tableOf } from '../../../sql/scope/resolve.ts';
import type { Source } from '../../../sql/scope/scope.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Move, single } from '../change.ts';
import { type Place, type RepairContext, slotDelta } from '../context.ts';
import { binaryForm, columnForm, formOf, wordOf, wordsOf } from '../forms.ts';
import { linksOf } from '../links.ts';

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
          },
        ];
      }),
    );
  });
}
