import type { Database } from 'better-sqlite3';
import * as z from 'zod/mini';
import { RunRow } from '../../core/ledger/run-row.ts';
import type { StoreFile } from './store-file.ts';

/** A line that is not read as one. `reason` is a sentence without its subject. */
const LineProblem = z.object({ line: z.number(), reason: z.string() });
export type LineProblem = z.infer<typeof LineProblem>;

/** A run and its last line: its number from 1, where it begins in the file and how long it is, in bytes. */
export interface IndexedRun {
  line: number;
  start: number;
  length: number;
  row: RunRow;
}

/** How far a ledger is indexed. */
const Covered = z.object({ state: z.string(), size: z.number(), lines: z.number(), hash: z.string() });
export type Covered = z.infer<typeof Covered>;

/** What a list shows of a ledger: the newest runs, how many there are, and what could not be read. */
export interface IndexedList {
  runs: IndexedRun[];
  total: number;
  problems: LineProblem[];
}

/** Ledgers that are kept; the one asked for longest ago goes first. */
const MOST_LEDGERS = 50;

const Problems = z.array(LineProblem);
const Rows = z.array(RunRow);
const FileRow = z.object({ total: z.number(), problems: z.string() });

function list(database: Database, path: string, limit: number | null): IndexedList | null {
  const file: unknown = database
    .prepare(
      'SELECT problems, (SELECT count(*) FROM ledger_run WHERE file = id) AS total FROM ledger_file WHERE path = ?',
    )
    .get(path);
  if (file === undefined) return null;
  const { total, problems } = FileRow.parse(file);
  const found = database
    .prepare<[string, number], [number, number, number, string]>(
      `SELECT line, start, length, summary FROM ledger_run
      WHERE file = (SELECT id FROM ledger_file WHERE path = ?) ORDER BY line DESC LIMIT ?`,
    )
    .raw()
    .all(path, limit ?? -1);
  // One text for all: parsed apart, ten thousand take twice the time.
  const rows = Rows.parse(JSON.parse(`[${found.map(([, , , summary]) => summary).join(',')}]`));
  const runs = rows.flatMap((row, index) => {
    const [line, start, length] = found[index] ?? [];
    return line === undefined || start === undefined || length === undefined ? [] : [{ line, start, length, row }];
  });
  return { runs, total, problems: Problems.parse(JSON.parse(problems)) };
}

/** The runs of ledgers, so that a long one is listed without reading it. */
export class LedgerIndex {
  readonly #file: StoreFile;

  constructor(file: StoreFile) {
    this.#file = file;
  }

  /** How far a ledger is indexed; null where it is not. */
  covered(path: string): Covered | null {
    return this.#file.run((database) => {
      const row: unknown = database
        .prepare('SELECT state, size, lines, hash FROM ledger_file WHERE path = ?')
        .get(path);
      return row === undefined ? null : Covered.parse(row);
    }, null);
  }

  /** The newest runs of an indexed ledger. @param limit null: all. @returns null where the store has nothing of it */
  list(path: string, limit: number | null): IndexedList | null {
    return this.#file.run((database) => database.transaction(() => list(database, path, limit))(), null);
  }

  /**
   * Keeps what was read of a ledger.
   *
   * @param before what was indexed of it before and stays; null: all is new
   * @param runs the runs of the new lines, in the order of the file
   */
  save(
    path: string,
    before: Covered | null,
    next: Covered,
    found: { runs: IndexedRun[]; problems: LineProblem[] },
  ): void {
    this.#file.run((database) => {
      const write = database.transaction(() => {
        const kept = this.covered(path);
        // Another process has indexed it meanwhile: its index is as good.
        if (before !== null && kept?.hash !== before.hash) return;
        if (before === null) database.prepare('DELETE FROM ledger_file WHERE path = ?').run(path);
        writeLedger(database, path, next, found);
      });
      write.immediate();
    }, undefined);
  }
}

function writeLedger(
  database: Database,
  path: string,
  { state, size, lines, hash }: Covered,
  found: { runs: IndexedRun[]; problems: LineProblem[] },
): void {
  const { problems: known } = list(database, path, 0) ?? { problems: [] };
  const id: unknown = database
    .prepare(
      `INSERT INTO ledger_file (path, state, size, lines, hash, problems, used)
      VALUES ($path, $state, $size, $lines, $hash, $problems, unixepoch())
      ON CONFLICT (path) DO UPDATE SET state = $state, size = $size, lines = $lines, hash = $hash,
        problems = $problems, used = unixepoch()
      RETURNING id`,
    )
    .pluck()
    .get({ path, state, size, lines, hash, problems: JSON.stringify([...known, ...found.problems]) });
  const insert = database.prepare(
    'INSERT OR REPLACE INTO ledger_run (file, line, start, length, run_id, summary) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const { line, start, length, row } of found.runs)
    insert.run(id, line, start, length, row.run_id, JSON.stringify(row));
  database
    .prepare('DELETE FROM ledger_file WHERE id NOT IN (SELECT id FROM ledger_file ORDER BY used DESC, id DESC LIMIT ?)')
    .run(MOST_LEDGERS);
}
