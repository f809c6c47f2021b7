import type { Catalog, Table } from '../../../protocol/catalog.ts';
import type { Cell } from '../../../protocol/value.ts';
import { rowKey } from '../../score/rows.ts';
import { strictKey } from '../../score/strict-ex.ts';
import { foldName } from '../../sql/tokens.ts';

/** A row of a table that is to be minimised. */
export interface TableRow {
  readonly table: Table;
  /** null for a table without rowid. */
  readonly rowid: Cell;
  /** Cells of `storedColumns`, in their order. */
  readonly cells: readonly Cell[];
}

/** The columns whose values are stored: neither generated nor hidden. */
export function storedColumns(table: Table): string[] {
  return table.columns.filter(({ generated, hidden }) => generated === null && !hidden).map(({ name }) => name);
}

/** What rows refer to. */
export interface Parents {
  /** For each row the rows that its foreign keys name, by their places in the list. */
  readonly of: readonly (readonly number[])[];
  /** Rows of which a key names a row that is not there. */
  readonly broken: ReadonlySet<number>;
}

/** Finds what the foreign keys of rows name. */
export function parentsOf(rows: readonly TableRow[]): Parents {
  const parents: number[][] = rows.map(() => []);
  const broken = new Set<number>();
  const byTable = new Map<Table, number[]>();
  for (const [place, { table }] of rows.entries()) {
    const places = byTable.get(table) ?? [];
    places.push(place);
    byTable.set(table, places);
  }
  for (const [table, children] of byTable)
    for (const { toTable, from, to } of keysOf(table)) {
      const target = [...byTable.keys()].find(({ name }) => foldName(name) === foldName(toTable));
      const keyIn = target === undefined ? null : reader(target, to);
      const known = target === undefined ? [] : (byTable.get(target) ?? []);
      const places = new Map(known.map((place) => [keyIn?.(rows[place]) ?? null, place]));
      const ownKey = reader(table, from);
      for (const child of children) {
        const key = ownKey(rows[child]);
        const parent = key === null ? undefined : places.get(key);
        if (key !== null && parent === undefined) broken.add(child);
        if (parent !== undefined && parent !== child) parents[child]?.push(parent);
      }
    }
  return { of: parents, broken };
}

/** For each row the rows that name it. */
export function dependentsOf(parents: readonly (readonly number[])[]): number[][] {
  const dependents: number[][] = parents.map(() => []);
  for (const [child, own] of parents.entries()) for (const parent of own) dependents[parent]?.push(child);
  return dependents;
}

/** Tables that foreign keys of tables name, and those that theirs name, which are not among them. */
export function parentTables(tables: readonly Table[], catalog: Catalog): Table[] {
  const found: Table[] = [];
  const all = [...tables];
  for (let index = 0; index < all.length; index++)
    for (const { toTable } of keysOf(all[index])) {
      const target = catalog.tables.find(({ name }) => foldName(name) === foldName(toTable));
      if (target === undefined || target.type !== 'table' || all.includes(target)) continue;
      all.push(target);
      found.push(target);
    }
  return found;
}

/** Tables in an order in which each stands behind those that it refers to, as far as they do not refer to each other. */
export function parentsFirst(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  const open = new Set<Table>();
  const visit = (table: Table) => {
    if (ordered.includes(table) || open.has(table)) return;
    open.add(table);
    for (const { toTable } of keysOf(table)) {
      const target = tables.find(({ name }) => foldName(name) === foldName(toTable));
      if (target !== undefined) visit(target);
    }
    ordered.push(table);
  };
  for (const table of tables) visit(table);
  return ordered;
}

interface Key {
  toTable: string;
  from: string[];
  to: string[];
}

/** The foreign keys of a table; one that points nowhere has an empty `toTable`. */
function keysOf(table: Table | undefined): Key[] {
  const keys = new Map<number, Key>();
  for (const { id, from, target } of table?.foreignKeys ?? []) {
    const key = keys.get(id) ?? { toTable: target?.toTable ?? '', from: [], to: [] };
    key.from.push(target?.column ?? from);
    key.to.push(target?.toColumn ?? '');
    keys.set(id, key);
  }
  return [...keys.values()];
}

/** Reads the key of a table's rows by some columns; null where a part of it is NULL, which names nothing. */
function reader(table: Table, columns: readonly string[]): (row: TableRow | undefined) => string | null {
  const stored = storedColumns(table).map(foldName);
  const places = columns.map((name) => stored.indexOf(foldName(name)));
  return (row) => {
    const cells = places.map((place) => row?.cells[place] ?? null);
    return cells.includes(null) ? null : rowKey(cells.map(asNumber), strictKey);
  };
}

/** A key column of text may name one of integers: SQLite compares them by the parent's affinity. */
function asNumber(cell: Cell): Cell {
  return typeof cell === 'string' && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
}
