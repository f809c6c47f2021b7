import type { Catalog, Table } from '../../../protocol/catalog.ts';
import { quoteIdentifier } from '../../schema/identifiers.ts';
import { tokensOf } from '../../sql/tokens.ts';
import type { SchemaNames } from './schema-names.ts';

function asOther(table: Table, names: SchemaNames): string {
  const shown = table.columns.filter(({ hidden }) => !hidden);
  const other = shown.map(({ name }) => quoteIdentifier(names.column(table.name, name)));
  const own = shown.map(({ name }) => quoteIdentifier(name));
  const head = `${quoteIdentifier(names.table(table.name))}(${other.join(', ')})`;
  return `${head} AS (SELECT ${own.join(', ')} FROM main.${quoteIdentifier(table.name)})`;
}

/**
 * A query over other names as one that runs on the database as it is: the tables stand in front of it as common table
 * expressions of those names. What it means there is what the query means in the schema that has them.
 *
 * @param tables the tables that the query needs, by their own names
 */
export function underNames(sql: string, catalog: Catalog, names: SchemaNames, tables: ReadonlySet<string>): string {
  const needed = catalog.tables.filter(({ name }) => tables.has(name.toLowerCase()));
  if (needed.length === 0) return sql;
  const heads = needed.map((table) => asOther(table, names)).join(', ');
  const [first, second] = tokensOf(sql);
  if (first?.kind !== 'WITH') return `WITH ${heads} ${sql}`;
  const start = second?.kind === 'RECURSIVE' ? second : first;
  return `${sql.slice(0, start.end)} ${heads},${sql.slice(start.end)}`;
}
