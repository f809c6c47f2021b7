import type { Column, Table } from '../../protocol/catalog.ts';
import { nameKey } from '../schema/identifiers.ts';
import type { IndexedName } from './names.ts';
import { joinWords, splitWords } from './words.ts';

/** Which tables can be joined, by their positions. */
export interface Joins {
  /** For each table the others that it refers to or that refer to it. */
  of: number[][];
  /** For each table the names, as spelled, of its columns that refer to another table. */
  references: Set<string>[];
}

/** Names of primary keys that say nothing about the table they are the key of. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(
  'code date description id index key name no number row rowid status time title type uuid value year'.split(' '),
);

/**
 * The ways to join tables: declared foreign keys, broken ones too as long as the table exists, and those that names
 * imply: a column named as the only primary key of one other table, or as that table and `id`.
 * @param visible the columns of each table that are not hidden
 */
export function joinsOf(tables: readonly Table[], visible: readonly (readonly IndexedName[])[]): Joins {
  const neighbours = tables.map(() => new Set<number>());
  const references = tables.map(() => new Set<string>());
  const connect = (from: number, column: string, to: number): void => {
    if (from === to) return;
    references[from]?.add(column);
    neighbours[from]?.add(to);
    neighbours[to]?.add(from);
  };
  const positions = new Map(tables.map(({ name }, position) => [nameKey(name), position]));
  for (const [from, { columns, foreignKeys }] of tables.entries())
    for (const key of foreignKeys) {
      const to = positions.get(nameKey(key.toTable));
      const column = columns.find(({ name }) => nameKey(name) === nameKey(key.from));
      if (to !== undefined) connect(from, column?.name ?? key.from, to);
    }
  const owners = keyOwners(tables);
  for (const [from, columns] of visible.entries())
    for (const { name, joined } of columns) {
      const to = owners.get(joined) ?? null;
      if (to !== null && !references[from]?.has(name)) connect(from, name, to);
    }
  return { of: neighbours.map((others) => [...others]), references };
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
    const name = joinWords(key.name, splitWords(key.name));
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
