import { resolve } from 'node:path';
import { planTrace } from '../../core/diagnose/trace/plan-query.ts';
import { runTrace } from '../../core/diagnose/trace/run.ts';
import { parseQuery } from '../../core/sql/ast/parse-query.ts';
import type { Trace } from '../../protocol/diagnose.ts';
import { toJsonResult } from '../../protocol/query.ts';
import { readCatalog } from '../../runtime/catalog.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { printFailure } from '../query-failure.ts';
import { sqlWord } from '../sql-word.ts';
import { renderTrace } from '../trace-view.ts';
import {
  EXIT,
  type ExitCode,
  fileWord,
  integerOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent trace DB SQL [options]

Shows how a query comes to its rows, clause by clause: FROM, each JOIN, WHERE, GROUP BY, HAVING, windows, SELECT,
DISTINCT, set operations, ORDER BY, LIMIT, each with the number of rows after it. Joins that multiply rows are marked, and
so are ties that LIMIT cuts through. Subqueries, WITH, views and the parts of a compound are traced, too.

Arguments:
  DB               a SQLite file
  SQL              one SELECT, VALUES or WITH in quotes, or a .sql file that holds it

Options:
  --timeout-ms N   time limit of the counting in milliseconds (default 30000)
  --max-keys N     with --json: most keys to list of each stage (default 100)
  --json           one JSON object: status, stages, complete, why. A stage has clause, label, range, sql (gives its rows),
                   rowCount, keys, distinct, fanout, growth, driving, multiplies, unstable, ties, notes, nested

Where a clause cannot be a step of its own, complete is false and why says so; nothing is guessed.

Examples:
  sql-agent trace chinook.sqlite "SELECT a.Name, count(*) FROM Artist a JOIN Album b USING (ArtistId) GROUP BY a.Name"`;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [file, word, ...rest] = args.positionals;
  if (file === undefined || word === undefined || rest.length > 0)
    throw new UsageError('trace takes a database and one SQL text or .sql file: sql-agent trace DB "SELECT …".');
  const sql = await sqlWord(word, context.cwd);
  const timeoutMs = integerOption(args, 'timeout-ms', 1, 86_400_000) ?? 30_000;
  const maxKeys = integerOption(args, 'max-keys', 0, 1_000_000) ?? 100;
  const pool = new SandboxPool({ children: 1, spares: 0 });
  try {
    const db = resolve(context.cwd, fileWord(file, 'The name of the database'));
    const { signal, out } = context;
    const catalog = await readCatalog(pool, db, signal);
    const { query, failure } = parseQuery(sql);
    const plan = query === null ? null : planTrace(query, sql, catalog);
    const options = { timeoutMs, maxKeys: out.jsonMode ? maxKeys : 0, signal };
    const trace = plan === null ? null : await runTrace(pool, db, plan, options);
    if (trace?.complete !== true) {
      // SQLite is the judge of what is valid: only a query that runs has a trace at all.
      const result = await pool.query({ db, sql, timeoutMs, maxRows: 1 }, signal);
      if (result.status !== 'ok' && result.status !== 'timeout') {
        if (out.jsonMode) out.json(toJsonResult(result));
        else printFailure(out, sql, result);
        return result.status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
      }
    }
    const shown = trace ?? untraced(sql, failure?.message ?? '');
    out.json({ status: 'ok', ...shown });
    out.line(renderTrace(shown, out.width));
    return EXIT.ok;
  } finally {
    await pool.dispose();
  }
}

/** SQLite runs a text that the parser does not know. */
function untraced(sql: string, message: string): Trace {
  const why = `The text cannot be taken apart: ${message}`;
  return { source: { kind: 'query', name: null }, text: sql, stages: [], complete: false, why, outer: null, ms: 0 };
}

/** `sql-agent trace`: a query clause by clause. */
export const verb: Verb = {
  name: 'trace',
  summary: 'show how a query comes to its rows, clause by clause',
  help: HELP,
  options: { 'timeout-ms': { type: 'string' }, 'max-keys': { type: 'string' } },
  run,
};
