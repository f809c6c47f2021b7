import type { Table } from '../../../protocol/catalog.ts';
import { plainIdentifier } from '../../schema/identifiers.ts';
import { literalOf } from '../trace/literal.ts';
import { storedColumns, type TableRow } from './table-rows.ts';

/**
 * The statements that make a database of some tables, views and rows, parents before those that refer to them where the
 * order of `tables` has them so. A value that has no literal (bytes that are no text) becomes NULL.
 * @param keysHold whether every foreign key names a row; else they must not be enforced
 */
export function scriptOf(
  tables: readonly Table[],
  views: readonly Table[],
  rows: readonly TableRow[],
  keysHold: boolean,
): string {
  const create = ({ sql }: Table) => (sql === null ? [] : [`${sql.trim()};`]);
  const inserts = tables.flatMap((table) => {
    const own = rows.filter((row) => row.table === table);
    return own.length === 0 ? [] : [insertOf(table, own)];
  });
  const pragma = keysHold ? [] : ['PRAGMA foreign_keys = OFF;'];
  return [...pragma, ...tables.flatMap(create), ...views.flatMap(create), ...inserts].join('\n');
}

function insertOf(table: Table, rows: readonly TableRow[]): string {
  const columns = storedColumns(table).map(plainIdentifier).join(', ');
  const values = rows.map(({ cells }) => `  (${cells.map((cell) => literalOf(cell) ?? 'NULL').join(', ')})`);
  return `INSERT INTO ${plainIdentifier(table.name)} (${columns}) VALUES\n${values.join(',\n')};`;
}
