import type { Column, Table } from '../../protocol/catalog.ts';
import { nameKey } from '../schema/identifiers.ts';
import { joinedName, splitWords } from './words.ts';

/** A way to join one table with another. */
export interface Join {
  /** Position of the other table. */
  to: number;
  /** True where this table refers to the other one, false where the other one refers to this. */
  toParent: boolean;
}

export interface Joins {
  /** By position of the table; one for each other table. */
  of: Join[][];
  /** For each table the names of its columns that refer to another table. */
  references: Set<string>[];
}

/** Names of primary keys that say nothing about the table they are the key of. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(
  'code date description id index key name no number row rowid status time title type uuid value year'.split(' '),
);

/**
 * The ways to join tables: declared foreign keys, broken ones too as long as the table exists, and those that names
 * imply: a column named as the only primary key of one other table, or as that table and `id`.
 */
export function joinsOf(tables: readonly Table[]): Joins {
  const byPosition = tables.map(() => new Map<number, Join>());
  const references = tables.map(() => new Set<string>());
  const connect = (from: number, column: string, to: number): void => {
    if (from === to) return;
    references[from]?.add(nameKey(column));
    if (!byPosition[from]?.has(to)) byPosition[from]?.set(to, { to, toParent: true });
    if (!byPosition[to]?.has(from)) byPosition[to]?.set(from, { to: from, toParent: false });
  };
  const positions = new Map(tables.map(({ name }, position) => [nameKey(name), position]));
  for (const [from, table] of tables.entries())
    for (const key of table.foreignKeys) {
      const to = positions.get(nameKey(key.toTable));
      if (to !== undefined) connect(from, key.from, to);
    }
  const owners = keyOwners(tables);
  for (const [from, table] of tables.entries())
    for (const { name } of table.columns) {
      const to = references[from]?.has(nameKey(name)) ? undefined : (owners.get(joinedName(name)) ?? null);
      if (typeof to === 'number') connect(from, name, to);
    }
  return { of: byPosition.map((joins) => [...joins.values()]), references };
}

/** The table whose rows a column of some name refers to; null where two tables could be meant. */
function keyOwners(tables: readonly Table[]): Map<string, number | null> {
  const owners = new Map<string, number | null>();
  const claim = (name: string, position: number): void => {
    const owner = owners.get(name);
    owners.set(name, owner === undefined || owner === position ? position : null);
  };
  for (const [position, table] of tables.entries()) {
    const key = onlyKey(table);
    if (key === null) continue;
    const name = joinedName(key.name);
    if (!PLAIN_KEYS.has(name)) claim(name, position);
    else for (const alias of namesOfReference(table.name, name)) claim(alias, position);
  }
  return owners;
}

function onlyKey(table: Table): Column | null {
  const keys = table.columns.filter(({ primaryKey }) => primaryKey > 0);
  return keys.length === 1 ? (keys[0] ?? null) : null;
}

/** `customersid` and `customerid` for the key `id` of `Customers`. */
function namesOfReference(table: string, key: string): Set<string> {
  const words = splitWords(table);
  const last = words.at(-1) ?? '';
  const singular = [...words.slice(0, -1), last.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')].join('');
  return new Set([`${words.join('')}${key}`, `${singular}${key}`]);
}
