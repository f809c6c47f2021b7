import { DapSession } from '../../runtime/dap/session.ts';
import { serve } from '../../runtime/dap/stdio.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { EXIT, type ExitCode, UsageError, type Verb, type VerbArgs, type VerbContext } from '../verb.ts';

const HELP = `Usage: sql-agent dap

A debugger for queries: steps through the clauses of one SELECT, and of its gold beside it. It speaks the Debug Adapter
Protocol on standard input and output, for editors other than VS Code; VS Code needs no setup.

Launch arguments:
  program          path of a .sql file; "line" (from 1) chooses the query where the file holds several
  sql              the query itself, instead of program
  database         path of the SQLite file (default: the only one in the folder of the query)
  gold             the gold: SQL, or the path of a .sql file (default: query.gold.sql beside query.sql; "" for none)
  run, item        an item of an evaluation, instead of all of these; "results" is the folder of the ledger
  stopOnEntry      stop at the first clause (default true)
  timeoutMs        time limit of one query in milliseconds (default 30000)

Examples:
  sql-agent dap
  { "type": "sql-trace", "request": "launch", "program": "query.sql", "database": "chinook.sqlite" }`;

async function run({ cwd, env, signal, out }: VerbContext, args: VerbArgs): Promise<ExitCode> {
  if (args.positionals.length > 0) throw new UsageError('dap takes no arguments; the editor says what to debug.');
  if (out.jsonMode) throw new UsageError('dap speaks its own protocol on stdout; there is no --json.');
  const pool = new SandboxPool();
  const session = new DapSession({ sandbox: pool, cwd, env });
  try {
    await serve(session, process.stdin, process.stdout, signal);
    return signal.aborted ? EXIT.cancelled : EXIT.ok;
  } finally {
    session.dispose();
    await pool.dispose();
  }
}

/** `sql-agent dap`: the debugger over stdio. */
export const verb: Verb = {
  name: 'dap',
  summary: 'step through the clauses of a query from an editor (Debug Adapter Protocol)',
  help: HELP,
  options: {},
  run,
};
