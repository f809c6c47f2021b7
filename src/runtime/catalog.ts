import { resolve } from 'node:path';
import type { CancelSignal, Sandbox } from '../core/ports.ts';
import {
  assembleCatalog,
  type ColumnRow,
  type ForeignKeyRow,
  type IndexRow,
  type ListedTable,
  type SchemaObject,
} from '../core/schema/assemble.ts';
import { quoteIdentifier, quoteText } from '../core/schema/identifiers.ts';
import type { Catalog } from '../protocol/catalog.ts';
import type { Cell } from '../protocol/value.ts';
import { countFailed, noSuchTable, schemaCancelled } from './catalog-errors.ts';
import { descriptionFolder, readDescriptions } from './descriptions.ts';
import { fingerprintOf, fingerprintOfPath } from './fingerprint.ts';
import { cellRows, numberOf, SchemaReader, textOf, textOrNull } from './schema-query.ts';

const NOT_INTERNAL = `lower(substr(s.name, 1, 7)) <> 'sqlite_'`;

const SCHEMA_VERSION = 'SELECT schema_version FROM pragma_schema_version';

const OBJECTS = `SELECT s.rowid, s.type, s.name, s.sql FROM sqlite_schema s
  WHERE s.type IN ('table', 'view') AND ${NOT_INTERNAL} ORDER BY s.rowid`;

const LISTED = `SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'`;

const FOREIGN_KEYS = `SELECT s.rowid, f.id, f.seq, f."from", f."table", f."to"
  FROM sqlite_schema s, pragma_foreign_key_list(s.name) f
  WHERE s.type = 'table' AND s.sql LIKE '%references%' AND ${NOT_INTERNAL} ORDER BY s.rowid, f.id, f.seq`;

const INDEXES = `SELECT s.rowid, l.name, l."unique", l.origin, l.partial, c.name
  FROM sqlite_schema s, pragma_index_list(s.name) l, pragma_index_xinfo(l.name) c
  WHERE s.type = 'table' AND s.rootpage > 0 AND c.key = 1 AND ${NOT_INTERNAL} ORDER BY s.rowid, l.seq, c.seqno`;

/** The columns of a table as one JSON text: a tenth of the time that a row for each takes to cross the processes. */
const COLUMNS_OF = (table: string) => `(SELECT
  json_group_array(json_array(c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden))
  FROM pragma_table_xinfo(${table}) c)`;

/** Columns of the ordinary tables, which SQLite has parsed with the schema and so can always tell. */
const TABLE_COLUMNS = `SELECT s.rowid, ${COLUMNS_OF('s.name')} FROM sqlite_schema s
  WHERE s.type = 'table' AND s.rootpage > 0 AND ${NOT_INTERNAL}`;

/** Columns of views and virtual tables, which it works out when asked: one that is broken fails the whole query. */
const DERIVED_COLUMNS = `SELECT s.rowid, ${COLUMNS_OF('s.name')} FROM sqlite_schema s
  WHERE (s.type = 'view' OR s.type = 'table' AND s.rootpage = 0) AND ${NOT_INTERNAL}`;

function columnsOfOne({ rowid, name }: SchemaObject): string {
  return `SELECT ${rowid}, ${COLUMNS_OF(quoteText(name))}`;
}

function toObject([rowid, type, name, sql]: Cell[]): SchemaObject {
  return { rowid: numberOf(rowid), type: textOf(type), name: textOf(name), sql: textOrNull(sql) };
}

function toListed([name, type, withoutRowid, strict]: Cell[]): ListedTable {
  return {
    name: textOf(name),
    type: textOf(type),
    withoutRowid: numberOf(withoutRowid) === 1,
    strict: numberOf(strict) === 1,
  };
}

function toColumns([rowid, list]: Cell[]): ColumnRow[] {
  const columns = cellRows(textOf(list)).map(([cid, name, declared, notNull, defaultSql, primaryKey, hidden]) => ({
    rowid: numberOf(rowid),
    cid: numberOf(cid),
    name: textOf(name),
    declared: textOf(declared),
    notNull: numberOf(notNull) === 1,
    defaultSql: textOrNull(defaultSql),
    primaryKey: numberOf(primaryKey),
    hidden: numberOf(hidden),
  }));
  // SQLite promises no order inside an aggregate, and asking for one takes three times as long.
  return columns.sort((a, b) => a.cid - b.cid);
}

function toForeignKey([rowid, id, seq, from, toTable, toColumn]: Cell[]): ForeignKeyRow {
  return {
    rowid: numberOf(rowid),
    id: numberOf(id),
    seq: numberOf(seq),
    from: textOf(from),
    toTable: textOf(toTable),
    toColumn: textOrNull(toColumn),
  };
}

function toIndex([rowid, name, unique, origin, partial, column]: Cell[]): IndexRow {
  return {
    rowid: numberOf(rowid),
    name: textOf(name),
    unique: numberOf(unique) === 1,
    origin: textOf(origin),
    partial: numberOf(partial) === 1,
    column: textOrNull(column),
  };
}

interface DerivedColumns {
  columns: ColumnRow[];
  problems: Map<number, string>;
}

/** Columns of views and virtual tables: all at once, or, where one is broken, one by one. */
async function readDerivedColumns(reader: SchemaReader, objects: SchemaObject[]): Promise<DerivedColumns> {
  const problems = new Map<number, string>();
  const together = await reader.try(DERIVED_COLUMNS);
  if (Array.isArray(together)) return { columns: together.flatMap(toColumns), problems };
  const columns: ColumnRow[] = [];
  for (const object of objects) {
    const rows = await reader.try(columnsOfOne(object));
    if (Array.isArray(rows)) columns.push(...rows.flatMap(toColumns));
    else problems.set(object.rowid, rows.message ?? rows.code ?? rows.status);
  }
  return { columns, problems };
}

async function readOnce(reader: SchemaReader, db: string): Promise<Catalog> {
  const meanings = readDescriptions(db);
  const objects = (await reader.rows(OBJECTS)).map(toObject);
  const tableColumns = (await reader.rows(TABLE_COLUMNS)).flatMap(toColumns);
  const withColumns = new Set(tableColumns.map(({ rowid }) => rowid));
  const derived = await readDerivedColumns(
    reader,
    objects.filter(({ rowid }) => !withColumns.has(rowid)),
  );
  return assembleCatalog({
    objects,
    listed: (await reader.rows(LISTED)).map(toListed),
    columns: [...tableColumns, ...derived.columns],
    foreignKeys: (await reader.rows(FOREIGN_KEYS)).map(toForeignKey),
    indexes: (await reader.rows(INDEXES)).map(toIndex),
    problems: derived.problems,
    meanings: await meanings,
  });
}

const MAX_READS = 3;

/**
 * Reads the schema of a database through the sandbox. One broken view, virtual table or foreign key is named in the
 * catalog and hides nothing else.
 * @param db absolute path of the file
 * @throws AppError where the file is no database, its schema does not parse, or `signal` aborts (`cancelled`)
 */
export async function readCatalog(sandbox: Sandbox, db: string, signal?: CancelSignal): Promise<Catalog> {
  if (signal?.aborted) throw schemaCancelled(db);
  const reader = new SchemaReader(sandbox, db, signal);
  const version = async () => numberOf((await reader.rows(SCHEMA_VERSION))[0]?.[0]);
  for (let read = 1; ; read += 1) {
    const before = await version();
    const catalog = await readOnce(reader, db);
    // Another process may change the schema between our queries.
    if (read === MAX_READS || (await version()) === before) return catalog;
  }
}

/** Keeps the catalogs of the databases that were read, until their files change. */
export class CatalogCache {
  readonly #kept = new Map<string, { state: string; catalog: Catalog }>();

  /** The catalog of a database, read again only where size or time of the file, its log or its descriptions changed. */
  async read(sandbox: Sandbox, db: string, signal?: CancelSignal): Promise<Catalog> {
    const path = resolve(db);
    const state = await this.#stateOf(path);
    const kept = this.#kept.get(path);
    if (kept?.state === state) return kept.catalog;
    const catalog = await readCatalog(sandbox, path, signal);
    // A file that was written meanwhile is read again next time.
    if ((await this.#stateOf(path)) === state) this.#kept.set(path, { state, catalog });
    return catalog;
  }

  async #stateOf(path: string): Promise<string> {
    const states = await Promise.all([fingerprintOf(path), fingerprintOfPath(descriptionFolder(path))]);
    return states.join('|');
  }
}

/**
 * Number of rows of a table or view. It reads the whole table: seconds for a large one.
 * @throws AppError where there is no such table, the query fails or `signal` aborts (`cancelled`)
 */
export async function countRows(sandbox: Sandbox, db: string, table: string, signal?: CancelSignal): Promise<number> {
  const sql = `SELECT count(*) FROM ${quoteIdentifier(table)}`;
  const result = await sandbox.query({ db, sql }, signal);
  if (result.status === 'ok') return numberOf(result.rows[0]?.[0]);
  if (result.status === 'cancelled') throw schemaCancelled(db);
  const exists = await sandbox.query(
    { db, sql: `SELECT 1 FROM sqlite_schema WHERE name = ${quoteText(table)} COLLATE NOCASE` },
    signal,
  );
  if (exists.status === 'ok' && exists.rows.length === 0) throw noSuchTable(db, table);
  throw countFailed(db, table, result.code ?? result.status, result.message ?? result.status);
}
