import type { Catalog } from '../../../protocol/catalog.ts';
import type { CommonTable, Query } from '../../sql/ast/query.ts';
import { foldName } from '../../sql/tokens.ts';
import type { OuterRow, Renderer } from './render.ts';

/** Where a query stands that is to be planned: what its text can refer to. */
export interface Place {
  readonly catalog: Catalog;
  readonly renderer: Renderer;
  /** The common table expressions in sight, the outermost first. */
  readonly tables: readonly CommonTable[];
  readonly outer: OuterRow | null;
  /** Common table expressions and names of views that have a nested trace: each is traced where it is first named. */
  readonly traced: Set<object | string>;
  /** Names of the views around, to stop at one that holds itself. */
  readonly views: readonly string[];
}

/** The place inside a query: its common table expressions are in sight, too. */
export function inside(place: Place, query: Query): Place {
  const own = query.with?.items ?? [];
  if (own.length === 0) return place;
  const names = new Set(own.map(({ name }) => foldName(name.text)));
  const outer = place.tables.filter(({ name }) => !names.has(foldName(name.text)));
  return { ...place, tables: [...outer, ...own] };
}

/** `WITH …` for a query that is run at this place, a space behind it; '' where nothing is in sight. */
export function withText({ tables, outer, renderer }: Place): string {
  const definitions = [
    ...(outer?.definitions ?? []),
    ...tables.map(({ range }) => renderer.render(range, null, outer, { aliases: 'keep', outer: 'scalar' })),
  ];
  return definitions.length === 0 ? '' : `WITH ${definitions.join(', ')} `;
}
