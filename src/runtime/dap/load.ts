import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { isQuery } from '../../core/debug/evaluate-sql.ts';
import { cutAtFailure, type FailingPlan, unparsedPlan } from '../../core/debug/failing-clauses.ts';
import { oneQuery } from '../../core/debug/statement.ts';
import type { TracePlan } from '../../core/diagnose/trace/plan.ts';
import { planTrace } from '../../core/diagnose/trace/plan-query.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { parseQuery } from '../../core/sql/ast/parse-query.ts';
import { positionAt } from '../../core/sql/position.ts';
import { tokensOf } from '../../core/sql/tokens.ts';
import type { Catalog } from '../../protocol/catalog.ts';
import type { LaunchArguments } from '../../protocol/dap.ts';
import { AppError, toWireError } from '../../protocol/errors.ts';
import type { QueryStatus } from '../../protocol/query.ts';
import { CatalogCache } from '../catalog.ts';
import { databasesBeside, goldBeside } from './beside.ts';
import { Debuggee, type Side } from './debuggee.ts';
import {
  emptyQuery,
  noClauses,
  noDatabaseGiven,
  noQueryGiven,
  notRunning,
  unreadableFile,
  untraceable,
} from './errors.ts';
import { type GivenText, SourceTexts } from './source-texts.ts';

const TIMEOUT_MS = 30_000;
const EXPLAIN = 'EXPLAIN ';

/** What queries are run with. */
export interface LoadParts {
  readonly sandbox: Sandbox;
  readonly catalogs?: CatalogCache | undefined;
  /** Folder that relative paths start from. */
  readonly cwd: string;
}

/** What was loaded, and what the user should know. */
export interface Loaded {
  readonly debuggee: Debuggee;
  readonly notes: readonly string[];
}

/**
 * Reads and plans what a launch names.
 * @throws AppError where the query cannot be read, is none or has no clauses, or the database is none. A query that does
 * not run is cut behind the clause at which it fails; a gold that fails is left out, with a note.
 */
export async function loadDebuggee(parts: LoadParts, launch: LaunchArguments, signal: CancelSignal): Promise<Loaded> {
  const { sandbox, cwd, catalogs = new CatalogCache() } = parts;
  const given = await givenQuery(launch, cwd);
  const db = await databaseOf(launch, given, cwd);
  const catalog = await catalogs.read(sandbox, db, signal);
  const texts = new SourceTexts();
  const notes: string[] = [];
  const world: World = { sandbox, db, catalog, texts, signal };
  const gold = launch.gold ?? (given.path === null ? undefined : await goldBeside(given.path));
  const goldText = gold === undefined || gold.trim() === '' ? null : gold;
  const query = await loadSide(world, given, { thread: 1, name: goldText === null ? 'query' : 'predicted' }, notes);
  const goldSide = goldText === null ? null : await loadGold(world, goldText, cwd, notes);
  const timeoutMs = launch.timeoutMs ?? TIMEOUT_MS;
  return { debuggee: new Debuggee({ sandbox, db, catalog, timeoutMs, query, gold: goldSide, texts }), notes };
}

/** The database that is named, else the only one beside the query. @throws AppError `dap_no_database` */
async function databaseOf({ database }: LaunchArguments, { path }: GivenText, cwd: string): Promise<string> {
  if (database !== undefined && database !== '') return resolve(cwd, database);
  const [only, ...others] = await databasesBeside(path, cwd);
  if (only === undefined || others.length > 0) throw noDatabaseGiven(only === undefined ? [] : [only, ...others]);
  return only;
}

interface World {
  readonly sandbox: Sandbox;
  readonly db: string;
  readonly catalog: Catalog;
  readonly texts: SourceTexts;
  readonly signal: CancelSignal;
}

async function givenQuery({ program, sql, line }: LaunchArguments, cwd: string): Promise<GivenText> {
  if (sql !== undefined) return { name: 'query.sql', text: oneQuery(sql, null), shown: sql, path: null };
  if (program === undefined || program === '') throw noQueryGiven();
  return readQuery(resolve(cwd, program), line ?? null);
}

async function readQuery(path: string, line: number | null): Promise<GivenText> {
  const shown = await readText(path);
  return { name: basename(path), text: oneQuery(shown, line), shown, path };
}

/** Without the mark of UTF-8 that some editors put in front, which editors count as no column. */
async function readText(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw unreadableFile(path, error instanceof Error ? error.message : String(error));
  }
}

async function loadGold(world: World, gold: string, cwd: string, notes: string[]): Promise<Side | null> {
  try {
    const isFile = /\.sql$/i.test(gold.trim()) && !/\s(from|select)\s/i.test(` ${gold}`);
    const text: GivenText = isFile
      ? await readQuery(resolve(cwd, gold.trim()), null)
      : { name: 'gold.sql', text: oneQuery(gold, null), shown: gold, path: null };
    return await loadSide(world, text, { thread: 2, name: 'gold' }, notes);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    notes.push(`${toWireError(error).message.replace(/\.$/, '')}. The query is shown without it.`);
    return null;
  }
}

async function loadSide(
  world: World,
  given: GivenText,
  { thread, name }: Pick<Side, 'thread' | 'name'>,
  notes: string[],
): Promise<Side> {
  const what = name === 'gold' ? 'The gold' : 'The query';
  if (tokensOf(given.text).length === 0) throw emptyQuery(what);
  const refusal = await refusalOf(world, given.text);
  const canShow = thread === 1 && refusal?.status === 'error' && isQuery(given.text);
  if (refusal !== null && !canShow) throw whyNotRunning(what, given.text, refusal);
  const { plan, failures } =
    refusal === null
      ? { plan: planOf(world, given.text, what), failures: new Map() }
      : await failingPlan(world, given.text, refusal);
  if (plan.stages.length === 0) throw noClauses(what);
  if (plan.why !== null) notes.push(`${what} is not shown whole: ${plan.why}`);
  return { thread, name, plan, source: world.texts.add(given, plan), failures };
}

/** @throws AppError `dap_untraceable` */
function planOf({ catalog }: World, text: string, what: string): TracePlan {
  const { query, failure } = parseQuery(text);
  if (query === null) throw untraceable(what, failure.message);
  return planTrace(query, text, catalog);
}

/** Why a query does not run. */
interface Refusal {
  readonly status: QueryStatus;
  readonly message: string;
  /** Where in the query; null where SQLite does not say. */
  readonly offset: number | null;
}

/** SQLite is the judge of what runs. null: it does. @throws AppError `cancelled` */
async function refusalOf({ sandbox, db, signal }: World, sql: string): Promise<Refusal | null> {
  const result = await sandbox.query({ db, sql: EXPLAIN + sql, maxRows: 1 }, signal);
  const { status, position } = result;
  if (status === 'ok') return null;
  if (status === 'cancelled') throw new AppError('cancelled', 'Stopped.');
  const offset = position === null ? null : Math.max(0, position.offset - EXPLAIN.length);
  return { status, message: result.message ?? status, offset };
}

function whyNotRunning(what: string, sql: string, { message, offset }: Refusal): AppError {
  const at = offset === null ? null : positionAt(sql, offset, 0);
  return notRunning(what, at === null ? '' : ` (line ${at.line}, column ${at.column})`, message);
}

/** The clauses of a query that does not run, up to the one at which it fails. */
async function failingPlan(world: World, text: string, refusal: Refusal): Promise<FailingPlan> {
  const { query } = parseQuery(text);
  const plan = query === null ? null : planTrace(query, text, world.catalog);
  if (plan === null || plan.stages.length === 0) return unparsedPlan(text, refusal);
  return cutAtFailure(plan, async (sql) => (await refusalOf(world, sql))?.message ?? null, refusal);
}
