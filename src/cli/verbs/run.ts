import { resolve } from 'node:path';
import { type QueryResult, toJsonResult } from '../../protocol/query.ts';
import { toJsonRows } from '../../protocol/value.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { printFailure } from '../query-failure.ts';
import { renderTable } from '../table.ts';
import {
  EXIT,
  type ExitCode,
  fileWord,
  integerOption,
  type Output,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent run DB "SQL" [options]

Runs one statement that reads, in a process of its own, and prints its rows. Nothing is written, no other file is
opened, and the query is stopped when its time is over.

Arguments:
  DB               a SQLite file
  "SQL"            one SELECT, VALUES, WITH, EXPLAIN or reading PRAGMA

Options:
  --timeout-ms N   time limit in milliseconds (default 30000)
  --max-rows N     most rows to print (default 1000)
  --json           one JSON object: status, code, message, position, columns, origins, rows, truncated, ms, touched, notes

Status: ok, rejected (not a single reading statement), error, timeout, oom (too much memory). Exit code 0 only for ok.

Examples:
  sql-agent run chinook.sqlite "SELECT Name FROM Artist LIMIT 3"
  sql-agent run chinook.sqlite "PRAGMA table_xinfo(Album)" --json`;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [db, sql, ...rest] = args.positionals;
  if (db === undefined || sql === undefined || rest.length > 0)
    throw new UsageError('run takes a database and one SQL text: sql-agent run DB "SQL".');
  const timeoutMs = integerOption(args, 'timeout-ms', 1, 86_400_000) ?? 30_000;
  const maxRows = integerOption(args, 'max-rows', 0, 10_000_000) ?? 1_000;
  const pool = new SandboxPool({ children: 1, spares: 0 });
  try {
    const request = { db: resolve(context.cwd, fileWord(db, 'The name of the database')), sql, timeoutMs, maxRows };
    const result = await pool.query(request, context.signal);
    if (context.out.jsonMode) context.out.json(toJsonResult(result));
    else print(context.out, sql, result);
    return exitCode(result);
  } finally {
    await pool.dispose();
  }
}

function exitCode({ status }: QueryResult): ExitCode {
  if (status === 'ok') return EXIT.ok;
  return status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
}

function print(out: Output, sql: string, result: QueryResult): void {
  if (result.status === 'ok') {
    out.line(renderTable(result.columns, toJsonRows(result.rows), out.width));
    const rows = result.rows.length === 1 ? '1 row' : `${result.rows.length} rows`;
    out.line(`\n${rows}${result.truncated ? ', and more that were cut off' : ''}, ${duration(result.ms)}`);
  } else {
    printFailure(out, sql, result);
  }
  for (const note of result.notes) out.log(`note: ${note}`);
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** `sql-agent run`: one reading statement in the sandbox. */
export const verb: Verb = {
  name: 'run',
  summary: 'run one reading SQL statement on a database',
  help: HELP,
  options: { 'timeout-ms': { type: 'string' }, 'max-rows': { type: 'string' } },
  run,
};
