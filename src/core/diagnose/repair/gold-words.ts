import { quoteText } from '../../schema/identifiers.ts';
import type { Query } from '../../sql/ast/query.ts';
import { expressionsOf, queriesIn, tailExpressions, visitExpressions } from '../../sql/ast/walk.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import { type Feature, featuresOf } from './features.ts';
import { formOf, numberForm } from './forms.ts';

/** A literal of the gold, one token. */
export interface Literal {
  /** As SQL: `'text'` or a number. */
  readonly text: string;
  readonly isNumber: boolean;
}

/**
 * All that the search knows of the gold query: single literals, and its bag of features, by which edits are put in order.
 * No generator of edits sees its text or its tree, so that none can copy a part of it.
 */
export interface GoldWords {
  readonly literals: readonly Literal[];
  readonly features: readonly Feature[];
  /** The same as a set, to ask whether the gold has something. */
  readonly has: ReadonlySet<Feature>;
  /** Forms of the first block's items, in order. */
  readonly items: readonly string[];
}

/** Where the gold cannot be parsed: nothing is known of it but its rows. */
export const NO_WORDS: GoldWords = { literals: [], features: [], has: new Set(), items: [] };

/** What the search may know of a gold. */
export function goldWords(query: Query, names: Resolution): GoldWords {
  const features = featuresOf(query, names);
  const first = query.arms[0]?.core;
  const items = first?.kind === 'select' ? first.items : [];
  return {
    literals: literalsOf(query, names),
    features,
    has: new Set(features),
    items: items.map((item) => (item.kind === 'star' ? '*' : formOf(item.expression.node, names))),
  };
}

function literalsOf(query: Query, names: Resolution): Literal[] {
  const found = new Map<string, Literal>();
  const visit = (inner: Query) => {
    for (const { node } of [...inner.arms.flatMap(({ core }) => expressionsOf(core)), ...tailExpressions(inner)])
      visitExpressions(node, (expression) => {
        if (expression.type === 'NumericLiteral') {
          const text = numberForm(expression.value);
          found.set(text, { text, isNumber: true });
        } else if (expression.type === 'StringLiteral') {
          const text = quoteText(expression.value);
          found.set(text, { text, isNumber: false });
        } else if (expression.type === 'Id') {
          const reference = names.reference(expression);
          if (reference.kind !== 'text') return;
          const text = quoteText(reference.text);
          found.set(text, { text, isNumber: false });
        }
      });
    for (const nested of queriesIn(inner)) visit(nested);
  };
  visit(query);
  return [...found.values()];
}
