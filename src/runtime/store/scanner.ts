import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { groupBy } from '../../core/schema/group.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import { listableValues } from '../../core/schema/lines1-schema.ts';
import type { ColumnValues, Table } from '../../protocol/catalog.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { Cell } from '../../protocol/value.ts';
import { schemaCancelled } from '../catalog-errors.ts';
import { numberOf } from '../schema-query.ts';
import {
  countsSql,
  isProbed,
  MOST_VALUES,
  PROBED_ROWS,
  probesSql,
  type ScanColumn,
  toColumnValues,
  valuesSql,
} from './scan-columns.ts';

/** Queries of a scan that run at the same time. */
const PARALLEL = 2;
/** Columns of small tables that share a query: a round trip costs more than they do. */
const BATCH = 40;
const SMALL_ROWS = 20_000;
/** Virtual tables and those without rowid are taken for large. */
const UNKNOWN_ROWS = PROBED_ROWS + 1;
/** `SELECT … UNION ALL …` takes 500 arms. */
const MOST_ARMS = 400;
/** One day: no limit as far as a person can tell, and short enough for a timer. */
const UNLIMITED_MS = 86_400_000;
/** What is left of a budget and too short to begin a query in. */
const TOO_SHORT_MS = 5;

export interface ScanOutcome {
  found: Map<ScanColumn, ColumnValues>;
  /** Columns that the time budget, or the memory of a child, did not suffice for. */
  gaveUp: ScanColumn[];
  /** Columns that could not be read now but perhaps later: the file was locked. */
  postponed: ScanColumn[];
}

/** Scans the text values of columns, small tables first, until all are done or the time is up. */
export class Scanner {
  readonly #sandbox: Sandbox;
  readonly #db: string;
  readonly #signal: CancelSignal | undefined;
  readonly #endsAt: number;
  /** Ends the queries that run: when the time is up, when the caller cancels, when one query fails. */
  readonly #stop = new AbortController();
  readonly #outcome: ScanOutcome = { found: new Map(), gaveUp: [], postponed: [] };

  /** @param budgetMs wall-clock time from now; null: no limit */
  constructor(sandbox: Sandbox, db: string, budgetMs: number | null, signal: CancelSignal | undefined) {
    this.#sandbox = sandbox;
    this.#db = db;
    this.#signal = signal;
    this.#endsAt = budgetMs === null ? Number.POSITIVE_INFINITY : performance.now() + budgetMs;
  }

  /** @throws AppError where the file is the matter, or `signal` aborts (`cancelled`) */
  async scan(columns: readonly ScanColumn[]): Promise<ScanOutcome> {
    const stop = () => this.#stop.abort();
    if (this.#signal?.aborted) throw schemaCancelled(this.#db);
    this.#signal?.addEventListener('abort', stop, { once: true });
    // The limit of a query begins when a child takes it up; this one counts the wait for a child as well.
    const timer = Number.isFinite(this.#endsAt) ? setTimeout(stop, Math.max(0, this.#left())) : undefined;
    try {
      await this.#scanAll(columns);
      return this.#outcome;
    } finally {
      clearTimeout(timer);
      this.#signal?.removeEventListener('abort', stop);
    }
  }

  async #scanAll(columns: readonly ScanColumn[]): Promise<void> {
    const rows = await this.#tableRows(new Set(columns.map(({ table }) => table)));
    const rowsOf = ({ table }: ScanColumn) => rows.get(table) ?? UNKNOWN_ROWS;
    const sorted = columns.toSorted((a, b) => rowsOf(a) - rowsOf(b));
    await this.#each(
      chunks(
        sorted.filter((column) => rowsOf(column) <= SMALL_ROWS),
        BATCH,
      ),
      (batch) => this.#read(batch),
    );
    const large = sorted.filter((column) => rowsOf(column) > SMALL_ROWS);
    await this.#probe(large.filter((column) => isProbed(column, rowsOf(column))));
    const rest = large.filter((column) => !this.#outcome.found.has(column));
    await this.#each(chunks(rest, 1), (batch) => this.#read(batch));
  }

  /** About how many rows the tables have, by their largest rowid; none of those that do not tell. */
  async #tableRows(tables: ReadonlySet<Table>): Promise<Map<Table, number>> {
    // Without a limit the order does not matter, and all tables may share queries.
    if (this.#endsAt === Number.POSITIVE_INFINITY) return new Map([...tables].map((table) => [table, 0]));
    const asked = [...tables].filter(({ type, withoutRowid }) => type === 'table' && !withoutRowid);
    const rows = new Map<Table, number>();
    await this.#each(chunks(asked, MOST_ARMS), async (batch) => {
      if (this.#isOver()) return;
      const arms = batch.map((table, position) => {
        const rowid = rowidName(table);
        return `SELECT ${position}, ${rowid === null ? 0 : `max(${rowid})`} FROM ${quoteIdentifier(table.name)}`;
      });
      const result = await this.#query(arms.map((arm) => `SELECT * FROM (${arm})`).join(' UNION ALL '));
      for (const [position, largest] of result.rows) {
        const table = batch[numberOf(position)];
        if (table) rows.set(table, numberOf(largest));
      }
    });
    return rows;
  }

  /** Finds the columns with too many values, which need not be read to their end. */
  async #probe(columns: readonly ScanColumn[]): Promise<void> {
    await this.#each(chunks(columns, 1), async (batch) => {
      if (this.#isOver()) return;
      const result = await this.#query(probesSql(batch));
      const [column] = batch;
      if (column && numberOf(result.rows[0]?.[1]) === 1)
        this.#outcome.found.set(column, {
          table: column.table.name,
          column: column.column.name,
          values: null,
          nonNull: null,
        });
    });
  }

  async #read(batch: ScanColumn[]): Promise<void> {
    if (this.#isOver()) return void this.#outcome.gaveUp.push(...batch);
    const values = await this.#query(valuesSql(batch), batch.length);
    if (values.status !== 'ok' || values.truncated) return this.#readFailed(batch, values);
    const byColumn = groupBy(values.rows, ([position]) => numberOf(position));
    const found = batch.map((column, position) => {
      const cells = (byColumn.get(position) ?? []).map((row): Cell => row[1] ?? null);
      return { column, values: toColumnValues(column, cells) };
    });
    const listable = found.filter((one) => listableValues(one.column.column, one.values) !== null);
    if (listable.length > 0) {
      const counts = await this.#query(countsSql(listable.map(({ column }) => column)));
      if (counts.status !== 'ok') return this.#readFailed(batch, counts);
      for (const [position, count] of counts.rows) {
        const one = listable[numberOf(position)];
        if (one) one.values.nonNull = numberOf(count);
      }
    }
    for (const { column, values: columnValues } of found) this.#outcome.found.set(column, columnValues);
  }

  /** Several columns: each alone. One: out of time or memory, or not readable at all, which is as good as no values. */
  async #readFailed(batch: ScanColumn[], result: QueryResult): Promise<void> {
    const [column] = batch;
    if (batch.length > 1) for (const one of batch) await this.#read([one]);
    else if (!column) return;
    else if (['timeout', 'cancelled', 'oom'].includes(result.status)) this.#outcome.gaveUp.push(column);
    else if (isBusy(result) || result.truncated) this.#outcome.postponed.push(column);
    else this.#outcome.found.set(column, toColumnValues(column, []));
  }

  #isOver(): boolean {
    return this.#left() < TOO_SHORT_MS || this.#stop.signal.aborted;
  }

  #left(): number {
    return this.#endsAt - performance.now();
  }

  async #query(sql: string, columns = 1): Promise<QueryResult> {
    const timeoutMs = Math.max(1, Math.min(UNLIMITED_MS, this.#left()));
    const maxRows = Math.max(MOST_ARMS, columns * (MOST_VALUES + 1));
    const result = await this.#sandbox.query({ db: this.#db, sql, timeoutMs, maxRows }, this.#stop.signal);
    if (this.#signal?.aborted) throw schemaCancelled(this.#db);
    return result;
  }

  /** Works through a list, some at a time; the first failure ends all. */
  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const queue = items.values();
    const worker = async () => {
      for (const item of queue) await work(item);
    };
    try {
      await Promise.all(Array.from({ length: PARALLEL }, worker));
    } catch (error) {
      this.#stop.abort();
      throw error;
    }
  }
}

function isBusy({ code }: QueryResult): boolean {
  return code !== null && /^SQLITE_(?:BUSY|LOCKED)/.test(code);
}

/** A name under which a table shows its rowid; null where its own columns hide all three. */
function rowidName(table: Table): string | null {
  const names = new Set(table.columns.map(({ name }) => name.toLowerCase()));
  return ['rowid', '_rowid_', 'oid'].find((name) => !names.has(name)) ?? null;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
