import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { linkSchema } from '../../core/link/link.ts';
import { catalogFromDdl } from '../../core/schema/from-ddl.ts';
import { estimateTokens, renderLines1 } from '../../core/schema/lines1.ts';
import { tablesOf } from '../../core/sql/parse.ts';
import { type Catalog, type Linked, LinkMode, type ValueScan } from '../../protocol/catalog.ts';
import { goldWithoutTables } from '../../runtime/ask-errors.ts';
import { readCatalog } from '../../runtime/catalog.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { SQLITE_HEADER } from '../../runtime/sqlite-header.ts';
import { ddlIsDatabase, ddlUnreadable, ddlWithoutTables } from '../link-errors.ts';
import { scannedValues } from '../scanned.ts';
import {
  choiceOption,
  EXIT,
  type ExitCode,
  fileOption,
  fileWord,
  integerOption,
  type Output,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent link DB "question" [options]
       sql-agent link --ddl FILE "question" [options]

Shows which tables of a schema a question needs, and how near to the question each one is: by the words of table and
column names, by the values in the cells, and by the tables that foreign keys lead to. Views take no part.

Arguments:
  DB             a SQLite file
  "question"     in plain English

Options:
  --ddl FILE     CREATE statements in a text file instead of a database; no cell values are looked at
  --evidence T   a hint that goes with the question
  --mode M       linked (default): scores and at most 24 tables; auto: what "ask" does, the whole schema where it is
                 small; full; oracle: the tables of --gold
  --tight        at most 14 tables; a needed one is lost more often
  --gold SQL     the correct query, for --mode oracle
  --scan-ms N    stop reading cell values after N milliseconds (default: no limit)
  --json         one JSON object: status, mode, kept, left, scores, tokens (of the prompt, estimated: kept and full),
                 skipped (columns not searched), problems (of the schema)

Examples:
  sql-agent link chinook.sqlite "Which artists have albums in the genre Jazz?"
  sql-agent link --ddl schema.sql "Which vendors sell bikes?" --tight --json`;

const NO_VALUES: ValueScan = { columns: [], skipped: [] };

interface Schema {
  catalog: Catalog;
  /** null: there were no cells to look at. */
  scan: ValueScan | null;
}

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const ddl = fileOption(args, 'ddl');
  const [first, second, ...rest] = args.positionals;
  const question = ddl === undefined ? second : first;
  const surplus = ddl === undefined ? rest : args.positionals.slice(1);
  if (first === undefined || question === undefined || surplus.length > 0)
    throw new UsageError('link takes a database and one question, or --ddl FILE and one question.');
  if (question.trim() === '') throw new UsageError('The question is empty.');
  const mode = choiceOption(args, 'mode', LinkMode.options) ?? 'linked';
  const budgetMs = integerOption(args, 'scan-ms', 0, 86_400_000) ?? null;
  const gold = stringOption(args, 'gold');
  if (gold !== undefined && mode !== 'oracle') throw new UsageError('--gold goes with --mode oracle.');
  if (ddl !== undefined && budgetMs !== null) throw new UsageError('--scan-ms goes with a database, not with --ddl.');
  const file = resolve(context.cwd, ddl ?? fileWord(first, 'The name of the database'));
  const schema = ddl === undefined ? await readDatabase(context, file, budgetMs) : await readDdl(file);
  const evidence = stringOption(args, 'evidence') ?? '';
  const tokensOf = (tables: readonly string[] | null): number => {
    const { system, user } = renderLines1({ ...schema, scan: schema.scan ?? NO_VALUES, tables, question, evidence });
    return estimateTokens(`${system}\n${user}`);
  };
  const fullTokens = tokensOf(null);
  const linked = linkSchema({
    ...schema,
    question,
    evidence,
    mode,
    goldTables: goldTables(gold),
    fullTokens,
    preset: args.values['tight'] === true ? 'tight' : 'recall',
  });
  report(context.out, schema, linked, { kept: tokensOf(linked.kept), full: fullTokens });
  return EXIT.ok;
}

/** @throws AppError `gold_unusable` */
function goldTables(gold: string | undefined): string[] | null {
  if (gold === undefined) return null;
  const tables = tablesOf(gold);
  if (tables.length === 0) throw goldWithoutTables(gold);
  return tables;
}

async function readDatabase(context: VerbContext, db: string, budgetMs: number | null): Promise<Schema> {
  const pool = new SandboxPool({ children: 2, spares: 0 });
  try {
    const catalog = await readCatalog(pool, db, context.signal);
    return { catalog, scan: await scannedValues(context, pool, db, catalog, budgetMs) };
  } finally {
    await pool.dispose();
  }
}

/** @throws AppError `ddl_unreadable`, `ddl_is_database`, `ddl_no_tables` */
async function readDdl(file: string): Promise<Schema> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw ddlUnreadable(file, error instanceof Error && 'code' in error ? String(error.code) : String(error));
  });
  if (bytes.toString('latin1', 0, SQLITE_HEADER.length) === SQLITE_HEADER) throw ddlIsDatabase(file);
  const catalog = catalogFromDdl(new TextDecoder().decode(bytes));
  if (catalog.tables.length === 0) throw ddlWithoutTables(file, catalog.problems);
  return { catalog, scan: null };
}

interface Tokens {
  kept: number;
  full: number;
}

function report(out: Output, { catalog, scan }: Schema, linked: Linked, tokens: Tokens): void {
  const skipped = scan?.skipped ?? [];
  if (out.jsonMode) out.json({ status: 'ok', ...linked, tokens, skipped, problems: catalog.problems });
  else for (const line of describe(linked, tokens)) out.line(line);
  for (const problem of catalog.problems) out.log(`note: ${problem}`);
}

function describe({ mode, kept, left, scores }: Linked, tokens: Tokens): string[] {
  const all = kept.length + left.length;
  const byScore = kept.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const width = Math.max(5, ...byScore.map((name) => (scores[name] ?? 0).toFixed(1).length));
  const lines = byScore.map(
    (name) => (mode === 'linked' ? `${(scores[name] ?? 0).toFixed(1).padStart(width)}  ` : '  ') + name,
  );
  return [
    `Kept ${kept.length} of ${all} ${all === 1 ? 'table' : 'tables'} (mode ${mode}); about ${tokens.kept} of ${tokens.full} prompt tokens.`,
    ...(mode === 'linked' ? [`${'score'.padStart(width)}  table`] : []),
    ...lines,
    ...(left.length > 0 ? [`Left out: ${left.join(', ')}`] : []),
  ];
}

/** `sql-agent link`: the tables that a question needs. */
export const verb: Verb = {
  name: 'link',
  summary: 'show which tables a question needs',
  help: HELP,
  options: {
    ddl: { type: 'string' },
    evidence: { type: 'string' },
    mode: { type: 'string' },
    tight: { type: 'boolean' },
    gold: { type: 'string' },
    'scan-ms': { type: 'string' },
  },
  run,
};
