import { resolve } from 'node:path';
import type { Sandbox } from '../../core/ports.ts';
import { renderDdl } from '../../core/schema/ddl.ts';
import { estimateTokens, renderLines1 } from '../../core/schema/lines1.ts';
import type { Catalog } from '../../protocol/catalog.ts';
import { countRows, readCatalog } from '../../runtime/catalog.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { scannedValues } from '../scanned.ts';
import { renderSchemaTree } from '../schema-tree.ts';
import {
  EXIT,
  type ExitCode,
  fileWord,
  integerOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent schema DB [options]

Prints the tables and views of a SQLite file with columns, keys and indexes, and names what is broken.

Arguments:
  DB                  a SQLite file

Options:
  --counts            count the rows of every table and view, too
  --ddl               CREATE statements instead, with what the columns mean
  --prompt "question" the message that a local model would get (prompt format lines-1)
  --evidence T        a hint to go with the question of --prompt
  --scan-ms N         with --prompt: stop reading cell values after N milliseconds (default: no limit)
  --json              one JSON object: status and the catalog (tables, problems); with --counts also rows, with --ddl
                      also ddl; with --prompt status, system, user, stablePrefix, tokens (estimated), skipped

Examples:
  sql-agent schema chinook.sqlite
  sql-agent schema chinook.sqlite --prompt "How many customers live in Brazil?"`;

interface Call {
  context: VerbContext;
  sandbox: Sandbox;
  db: string;
  catalog: Catalog;
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [file, ...rest] = args.positionals;
  if (file === undefined || rest.length > 0) throw new UsageError('schema takes one database: sql-agent schema DB.');
  const question = stringOption(args, 'prompt');
  checkCombination(args, question);
  const budgetMs = integerOption(args, 'scan-ms', 0, 86_400_000) ?? null;
  const pool = new SandboxPool({ children: question === undefined ? 1 : 2, spares: 0 });
  try {
    const db = resolve(context.cwd, fileWord(file, 'The name of the database'));
    const call = { context, sandbox: pool, db, catalog: await readCatalog(pool, db, context.signal) };
    if (question !== undefined) await printPrompt(call, question, stringOption(args, 'evidence') ?? '', budgetMs);
    else if (args.values['ddl'] === true) printDdl(call);
    else await printTree(call, args.values['counts'] === true);
    return EXIT.ok;
  } finally {
    await pool.dispose();
  }
}

function checkCombination(args: VerbArgs, question: string | undefined): void {
  const chosen = ['ddl', 'counts'].filter((name) => args.values[name] === true);
  if (question !== undefined) chosen.push('prompt');
  if (chosen.length > 1) throw new UsageError(`--${chosen.join(' and --')} do not go together.`);
  for (const name of ['evidence', 'scan-ms'])
    if (question === undefined && args.values[name] !== undefined)
      throw new UsageError(`--${name} goes with --prompt "question".`);
}

async function printTree({ context, sandbox, db, catalog }: Call, isCounted: boolean): Promise<void> {
  const rows = new Map<string, number>();
  const counted = isCounted ? catalog.tables.filter(({ type, problem }) => type !== 'shadow' && problem === null) : [];
  for (const { name } of counted) rows.set(name, await countRows(sandbox, db, name, context.signal));
  context.out.line(renderSchemaTree(catalog, rows));
  context.out.json({ status: 'ok', ...catalog, ...(isCounted ? { rows: Object.fromEntries(rows) } : {}) });
}

function printDdl({ context, catalog }: Call): void {
  const ddl = catalog.tables
    .filter(({ type }) => type !== 'shadow')
    .map(renderDdl)
    .join('\n\n');
  context.out.line(ddl);
  context.out.json({ status: 'ok', ...catalog, ddl });
}

async function printPrompt(call: Call, question: string, evidence: string, budgetMs: number | null): Promise<void> {
  const { context, sandbox, db, catalog } = call;
  const scan = await scannedValues(context, sandbox, db, catalog, budgetMs);
  const prompt = renderLines1({ catalog, scan, tables: null, question, evidence });
  context.out.line(prompt.user);
  context.out.json({ status: 'ok', ...prompt, tokens: estimateTokens(prompt.user), skipped: scan.skipped });
}

/** `sql-agent schema`: the schema of a file, as a tree, as CREATE statements or as a prompt. */
export const verb: Verb = {
  name: 'schema',
  summary: 'show tables, columns, keys and what is broken',
  help: HELP,
  options: {
    counts: { type: 'boolean' },
    ddl: { type: 'boolean' },
    prompt: { type: 'string' },
    evidence: { type: 'string' },
    'scan-ms': { type: 'string' },
  },
  run,
};
