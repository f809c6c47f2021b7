import type { EditKind } from '../../../../protocol/diagnosis.ts';
import { rangeOf } from '../../../sql/ast/build-expression.ts';
import type { Range } from '../../../sql/ast/query.ts';
import { endOf } from '../../../sql/ast/source.ts';
import type { ColumnName } from '../../../sql/ast/walk.ts';
import type { Reference, Resolution, Source } from '../../../sql/scope/scope.ts';
import { type Change, change } from '../change.ts';
import type { Place } from '../context.ts';

/** A column name in the text that means a column of some source. */
export interface Use {
  readonly node: ColumnName;
  readonly column: string;
}

/** Where the columns of a source are named, in its block and in subqueries. */
export function usesOf(source: Source, names: Resolution): Use[] {
  return [...names.names()].flatMap(([node, reference]) =>
    reference.kind === 'column' && reference.source === source ? [{ node, column: reference.column }] : [],
  );
}

/** The names in a block that carry no table although they mean a column. */
export function bareUses({ scope }: Place, names: Resolution): { use: Use; source: Source }[] {
  return [...names.names()].flatMap(([node, reference]) =>
    node.type === 'Id' && isColumnOf(reference, scope)
      ? [{ use: { node, column: reference.column }, source: reference.source }]
      : [],
  );
}

function isColumnOf(reference: Reference, scope: Place['scope']): reference is Extract<Reference, { kind: 'column' }> {
  return reference.kind === 'column' && reference.depth === 0 && reference.scope.core === scope.core;
}

/** Whether a range lies in another. */
export function isWithin(inner: Range, outer: Range): boolean {
  return inner.offset >= outer.offset && endOf(inner) <= endOf(outer);
}

/** A name replaced, as an edit that another one needs; its kind is that of the clause it stands in. */
export function renamed(node: ColumnName, after: string, { block, query }: Place): Change {
  return change({ kind: kindAt(rangeOf(node), block, query), range: rangeOf(node), after });
}

function kindAt(range: Range, block: Place['block'], query: Place['query']): EditKind {
  const isIn = (clause: { readonly range: Range } | null) => clause !== null && isWithin(range, clause.range);
  if (isIn(query.orderBy)) return 'order_by';
  if (isIn(block.groupBy)) return 'group_by';
  return isIn(block.from) ? 'join' : 'column';
}
