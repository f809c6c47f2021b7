import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { oneQuery } from '../../core/debug/statement.ts';
import type { TracePlan } from '../../core/diagnose/trace/plan.ts';
import { planTrace } from '../../core/diagnose/trace/plan-query.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { parseQuery } from '../../core/sql/ast/parse-query.ts';
import { positionAt } from '../../core/sql/position.ts';
import type { Catalog } from '../../protocol/catalog.ts';
import type { LaunchArguments } from '../../protocol/dap.ts';
import { AppError, toWireError } from '../../protocol/errors.ts';
import { CatalogCache } from '../catalog.ts';
import { Debuggee, type Side } from './debuggee.ts';
import { noClauses, noDatabaseGiven, noQueryGiven, notRunning, unreadableFile, untraceable } from './errors.ts';
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
 * @throws AppError where the query cannot be read, does not run or has no clauses, or the database is none. A gold that
 * fails is left out, with a note.
 */
export async function loadDebuggee(parts: LoadParts, launch: LaunchArguments, signal: CancelSignal): Promise<Loaded> {
  const { sandbox, cwd, catalogs = new CatalogCache() } = parts;
  const given = await givenQuery(launch, cwd);
  if (launch.database === undefined || launch.database === '') throw noDatabaseGiven();
  const db = resolve(cwd, launch.database);
  const catalog = await catalogs.read(sandbox, db, signal);
  const texts = new SourceTexts();
  const notes: string[] = [];
  const world: World = { sandbox, db, catalog, texts, signal };
  const goldText = launch.gold === undefined || launch.gold.trim() === '' ? null : launch.gold;
  const query = await loadSide(world, given, { thread: 1, name: goldText === null ? 'query' : 'predicted' }, notes);
  const gold = goldText === null ? null : await loadGold(world, goldText, cwd, notes);
  const timeoutMs = launch.timeoutMs ?? TIMEOUT_MS;
  return { debuggee: new Debuggee({ sandbox, db, catalog, timeoutMs, query, gold, texts }), notes };
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

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
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
  await check(world, given.text, what);
  const { query, failure } = parseQuery(given.text);
  if (query === null) throw untraceable(what, failure.message);
  const plan: TracePlan = planTrace(query, given.text, world.catalog);
  if (plan.stages.length === 0) throw noClauses(what);
  if (plan.why !== null) notes.push(`${what} is not shown whole: ${plan.why}`);
  return { thread, name, plan, source: world.texts.add(given, plan) };
}

/** SQLite is the judge of what runs. @throws AppError `dap_sql_error` with the place */
async function check({ sandbox, db, signal }: World, sql: string, what: string): Promise<void> {
  const result = await sandbox.query({ db, sql: EXPLAIN + sql, maxRows: 1 }, signal);
  if (result.status === 'ok') return;
  if (result.status === 'cancelled') throw new AppError('cancelled', 'Stopped.');
  const { position } = result;
  const at = position === null ? null : positionAt(sql, Math.max(0, position.offset - EXPLAIN.length), 0);
  const place = at === null ? '' : ` (line ${at.line}, column ${at.column})`;
  throw notRunning(what, place, result.message ?? result.status);
}
