import type { Range } from '../../../sql/ast/query.ts';
import { between, endOf } from '../../../sql/ast/source.ts';

/** What to take out of a comma-separated list so that the item at `index` is gone; null where it is the only one. */
export function rangeWithout(items: readonly { readonly range: Range }[], index: number): Range | null {
  const [item, before, after] = [items[index], items[index - 1], items[index + 1]];
  if (item === undefined) return null;
  if (before !== undefined) return between(endOf(before.range), endOf(item.range));
  return after === undefined ? null : between(item.range.offset, after.range.offset);
}
