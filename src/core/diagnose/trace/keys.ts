import { quoteIdentifier } from '../../schema/identifiers.ts';
import { tableOf } from '../../sql/scope/resolve.ts';
import type { Source } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';
import type { KeyPlan } from './plan.ts';

const ROWID_NAMES = ['rowid', '_rowid_', 'oid'];

/** The keys of the sources of one block. An alias that stands twice cannot be told apart: only the first has a key. */
export function sourceKeys(sources: readonly Source[]): KeyPlan[] {
  const taken = new Set<string>();
  return sources.map((source) => {
    const alias = foldName(source.alias);
    const isHidden = taken.has(alias) || (alias === '' && sources.length > 1);
    taken.add(alias);
    return isHidden ? noKey(source) : keyOf(source);
  });
}

function noKey(source: Source): KeyPlan {
  return { alias: source.alias, table: tableOf(source.relation), kind: 'none', columns: [], expressions: [] };
}

function keyOf(source: Source): KeyPlan {
  const { alias, relation } = source;
  const table = tableOf(relation);
  if (relation.kind === 'table') {
    if (relation.table.withoutRowid) {
      const parts = relation.table.columns.filter(({ primaryKey }) => primaryKey > 0);
      const columns = parts.toSorted((a, b) => a.primaryKey - b.primaryKey).map(({ name }) => name);
      return { alias, table, kind: 'primary_key', columns, expressions: columns.map((name) => columnSql(alias, name)) };
    }
    const names = new Set(relation.table.columns.map(({ name }) => foldName(name)));
    const rowid = ROWID_NAMES.find((name) => !names.has(name));
    if (rowid !== undefined)
      return { alias, table, kind: 'rowid', columns: ['rowid'], expressions: [columnSql(alias, rowid)] };
  }
  const columns = source.columns ?? [];
  if (columns.length === 0) return noKey(source);
  return { alias, table, kind: 'values', columns, expressions: columns.map((name) => columnSql(alias, name)) };
}

/** A column by the name of its source. */
export function columnSql(alias: string, column: string): string {
  return alias === '' ? quoteIdentifier(column) : `${quoteIdentifier(alias)}.${quoteIdentifier(column)}`;
}

/** Whether a key tells every row of its table from the others, and stays the same in other queries. */
export function isStable({ kind }: KeyPlan): boolean {
  return kind === 'rowid' || kind === 'primary_key' || kind === 'group';
}

/**
 * One SQL value that is different for different keys, and NULL where an outer join found no row. `quote()` writes each
 * value so that the places where one ends and the next begins are certain.
 */
export function keyValueSql({ kind, expressions }: KeyPlan): string | null {
  const [first, ...rest] = expressions;
  if (first === undefined) return null;
  if (rest.length === 0 && kind !== 'values') return first;
  const text = expressions.map((expression) => `quote(${expression})`).join(` || ',' || `);
  const isThere = expressions.map((expression) => `${expression} IS NOT NULL`).join(' OR ');
  return `CASE WHEN ${isThere} THEN ${text} END`;
}
