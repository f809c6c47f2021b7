import type { Column, ForeignKey, Table } from '../../protocol/catalog.ts';
import { groupBy } from './group.ts';
import { nameKey, plainIdentifier } from './identifiers.ts';

/** A foreign key as written: one entry for each column pair, in the order of `seq`. */
type Pairs = readonly ForeignKey[];

function columnNamed(table: Table, name: string): Column | undefined {
  const key = nameKey(name);
  return table.columns.find((column) => !column.hidden && nameKey(column.name) === key);
}

/** Columns of the primary key in the order of the key. */
function primaryKeyOf(table: Table): Column[] {
  return table.columns.filter(({ primaryKey }) => primaryKey > 0).sort((a, b) => a.primaryKey - b.primaryKey);
}

/** Whether these columns, in any order, are a key that SQLite accepts as the target of a foreign key. */
function areUnique(table: Table, columns: readonly string[]): boolean {
  const wanted = columns.map(nameKey).sort().join('\0');
  const primary = primaryKeyOf(table);
  // A primary key without an index is the rowid itself.
  if (primary.length === 1 && !table.indexes.some(({ origin }) => origin === 'pk'))
    if (nameKey(primary[0]?.name ?? '') === wanted) return true;
  return table.indexes.some(
    ({ unique, partial, columns: keys }) =>
      unique &&
      !partial &&
      keys.length === columns.length &&
      keys
        .map((key) => (key === null ? null : nameKey(key)))
        .sort()
        .join('\0') === wanted,
  );
}

function broken(pairs: Pairs, problem: string): ForeignKey[] {
  return pairs.map((pair) => ({ ...pair, target: null, problem }));
}

/** Target columns: those written, or, where none are, those of the primary key. A text says why there are none. */
function targetColumns(pairs: Pairs, target: Table): (Column | string)[] | string {
  if (pairs.some(({ toColumn }) => toColumn !== null))
    return pairs.map(({ toColumn }) =>
      toColumn === null
        ? `"${target.name}" is referenced by fewer columns than the key has.`
        : (columnNamed(target, toColumn) ?? `"${target.name}" has no column "${toColumn}".`),
    );
  const primary = primaryKeyOf(target);
  if (primary.length === 0) return `"${target.name}" has no primary key.`;
  if (primary.length === pairs.length) return primary;
  return `the key has ${count(pairs.length)}, the primary key of "${target.name}" ${count(primary.length)}.`;
}

function count(columns: number): string {
  return columns === 1 ? 'one column' : `${columns} columns`;
}

/** One foreign key with its target as the tables spell it, or with the reason why SQLite cannot follow it. */
function resolveKey(table: Table, pairs: Pairs, target: Table | undefined): ForeignKey[] {
  const toTable = pairs[0]?.toTable ?? '';
  if (!target) return broken(pairs, `there is no table "${toTable}".`);
  if (target.type === 'view') return broken(pairs, `"${target.name}" is a view; only tables can be referenced.`);
  if (target.problem !== null) return broken(pairs, `the columns of "${target.name}" cannot be read.`);
  const columns = targetColumns(pairs, target);
  if (typeof columns === 'string') return broken(pairs, columns);
  const names = columns.filter((column) => typeof column !== 'string').map(({ name }) => name);
  const isWhole = names.length === pairs.length;
  const notUnique =
    isWhole && !areUnique(target, names)
      ? `${names.map((name) => `"${target.name}"."${name}"`).join(', ')} ${names.length > 1 ? 'are' : 'is'} not unique.`
      : null;
  return pairs.map((pair, position) => {
    const from = columnNamed(table, pair.from);
    const to = columns[position];
    if (!from) return { ...pair, target: null, problem: `"${table.name}" has no column "${pair.from}".` };
    if (to === undefined || typeof to === 'string') return { ...pair, target: null, problem: to ?? null };
    return {
      ...pair,
      target: { column: from.name, toTable: target.name, toColumn: to.name },
      problem: notUnique,
    };
  });
}

/**
 * The tables again, each foreign key with its target. A key has a `problem` where SQLite could not enforce it
 * (https://sqlite.org/foreignkeys.html#fk_indexes); where its columns are not unique it has a `target` as well, since
 * it still says how to join.
 */
export function resolveForeignKeys(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [nameKey(table.name), table]));
  return tables.map((table) => {
    const groups = groupBy(table.foreignKeys, ({ id }) => id);
    const foreignKeys = [...groups.values()].flatMap((pairs) =>
      resolveKey(table, pairs, byName.get(nameKey(pairs[0]?.toTable ?? ''))),
    );
    return { ...table, foreignKeys };
  });
}

/** A sentence for each broken foreign key of the tables. */
export function foreignKeyProblems(tables: readonly Table[]): string[] {
  return tables.flatMap((table) =>
    [...groupBy(table.foreignKeys, ({ id }) => id).values()].flatMap((pairs) => {
      const reasons = [...new Set(pairs.map(({ problem }) => problem).filter((problem) => problem !== null))];
      const columns = pairs.map(({ from }) => plainIdentifier(from)).join(', ');
      return reasons.map((reason) => `Foreign key ${plainIdentifier(table.name)}(${columns}) is broken: ${reason}`);
    }),
  );
}
