import type { Catalog } from '../../../protocol/catalog.ts';
import type { Repair, SearchEffort } from '../../../protocol/diagnosis.ts';
import type { QueryResult } from '../../../protocol/query.ts';
import type { Cell } from '../../../protocol/value.ts';
import type { CancelSignal } from '../../ports.ts';
import type { Table } from '../../score/rows.ts';
import type { Query } from '../../sql/ast/query.ts';
import { endOf, Source } from '../../sql/ast/source.ts';
import { resolveQuery } from '../../sql/scope/resolve.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import { type Change, editsOf, replay } from './change.ts';
import { placesOf, type RepairContext } from './context.ts';
import { comparedLiterals } from './edits/literal.ts';
import { featuresOf } from './features.ts';
import { goldWords, NO_WORDS } from './gold-words.ts';
import { Guide } from './guide.ts';
import { movesOf } from './moves.ts';
import { type Match, type RepairBudget, RepairSearch, type SearchParts } from './search.ts';

/** A text with its tree. */
export interface ParsedSql {
  readonly sql: string;
  readonly query: Query;
}

/** What a repair is looked for with. */
export interface RepairParts extends SearchParts {
  readonly catalog: Catalog;
  readonly pred: ParsedSql;
  /** null where the gold cannot be parsed: then its rows alone lead the search. */
  readonly gold: ParsedSql | null;
  readonly goldResult: Table;
  /** Whether the order of rows counts. */
  readonly ordered: boolean;
  /** What the prediction gave; null where that is not known. */
  readonly predResult: QueryResult | null;
  /** Distinct values of a column, some thousands at most; null where they cannot be had. */
  values?(table: string, column: string): Promise<readonly Cell[] | null>;
}

/** Enough inside a diagnosis of many pairs. */
export const DEFAULT_BUDGET: RepairBudget = { queries: 400, ms: 1_500 };

/**
 * Looks for the smallest edits of the prediction that give the gold's rows: at most three, of the closed list of
 * `moves.ts`. Edits that lead towards what the gold is made of are tried first, then those that lead towards its rows.
 */
export async function findRepair(
  parts: RepairParts,
  budget: RepairBudget = DEFAULT_BUDGET,
  signal?: CancelSignal,
): Promise<{ repair: Repair | null; effort: SearchEffort }> {
  const { pred, gold, catalog } = parts;
  const names = resolveQuery(pred.query, pred.sql, catalog);
  const words = gold === null ? NO_WORDS : goldWords(gold.query, resolveQuery(gold.query, gold.sql, catalog));
  const places = placesOf(pred.query, names);
  const values = await valuesFor(places, names, parts);
  const context: RepairContext = {
    sql: pred.sql,
    text: new Source(pred.sql),
    query: pred.query,
    names,
    catalog,
    places,
    gold: words,
    valuesOf: (table, column) => values.get(`${table}\0${column}`) ?? null,
    goldRows: parts.goldResult.rows.length,
  };
  const task = {
    sql: pred.sql,
    moves: movesOf(context),
    guide: new Guide(words.features, featuresOf(pred.query, names)),
    gold: parts.goldResult,
    ordered: parts.ordered,
    widths: widthsOf(pred.query),
    pred: parts.predResult,
    isIdle: idleness(pred.query, parts.ordered),
  };
  const { match, effort } = await new RepairSearch(task, parts, budget, signal).find();
  return { repair: match === null ? null : repairOf(pred.sql, match), effort };
}

async function valuesFor(
  places: RepairContext['places'],
  names: Resolution,
  { values }: RepairParts,
): Promise<Map<string, readonly Cell[]>> {
  const found = new Map<string, readonly Cell[]>();
  if (values === undefined) return found;
  for (const { slots } of places)
    for (const { area, expression } of slots) {
      if (area === 'item' || area === 'group' || area === 'order') continue;
      for (const { column, isNumber } of comparedLiterals(expression.node, names)) {
        if (column === null || isNumber) continue;
        const key = `${column.table}\0${column.name}`;
        if (!found.has(key)) found.set(key, (await values(column.table, column.name)) ?? []);
      }
    }
  return found;
}

/** A star may grow with a join, so that no number is known of an arm that has one. */
function widthsOf(query: Query): (number | null)[] {
  return query.arms.map(({ core }) => {
    if (core.kind === 'values') return core.rows[0]?.length ?? null;
    return core.items.some(({ kind }) => kind === 'star') ? null : core.items.length;
  });
}

/** Where the order of rows does not count and none are cut, the outermost ORDER BY does nothing. */
function idleness({ arms, limit }: Query, ordered: boolean): (changes: readonly Change[]) => boolean {
  const end = endOf(arms.at(-1)?.range ?? { offset: 0, length: 0 });
  if (ordered || limit !== null) return () => false;
  return (changes) => changes.every(({ kind, range }) => kind === 'order_by' && range.offset >= end);
}

function repairOf(sql: string, { changes, sure }: Match): Repair {
  const edits = editsOf(sql, changes);
  const sentences = edits.map(({ sentence }) => sentence).join('; ');
  return {
    sql: replay(sql, edits),
    edits,
    certain: sure,
    sentence: sure ? `${sentences}.` : `${sentences}. The rows agree, perhaps by chance.`,
  };
}
