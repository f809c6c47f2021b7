import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { foldPrevious } from '../core/agent/prompts.ts';
import type { AgentSetup } from '../core/agent/setup.ts';
import { linkSchema } from '../core/link/link.ts';
import type { CancelSignal, Provider } from '../core/ports.ts';
import { estimateTokens, type Lines1Prompt, renderLines1 } from '../core/schema/lines1.ts';
import { isPromptTable } from '../core/schema/lines1-schema.ts';
import { tablesOf } from '../core/sql/parse.ts';
import type { AskEvent, Previous } from '../protocol/ask.ts';
import type { Catalog, Linked, ValueScan } from '../protocol/catalog.ts';
import { goldWithoutTables, noTablesToAsk } from './ask-errors.ts';
import type { AskRequest } from './ask-request.ts';
import type { Engine } from './engine.ts';
import { DEFAULT_SCAN_BUDGET_MS, scanValues } from './store/values.ts';

/** Most tokens of a reply: a statement on one line, or an action with the thinking before it. */
const MAX_TOKENS = { one_shot: 512, turns: 4096 } as const;
const SKIPPED_NAMED = 8;
const PREVIOUS_CHARACTERS = 4000;

/** Whom a prompt is made for. */
export type PromptFor = Pick<Provider, 'protocol' | 'model' | 'repairs' | 'warm'>;

/** What is known of a question before the model is asked. */
export interface Prepared {
  setup: AgentSetup;
  catalog: Catalog;
  notes: string[];
}

function skippedNote({ skipped }: ValueScan): string[] {
  if (skipped.length === 0) return [];
  const named = skipped.slice(0, SKIPPED_NAMED).join(', ');
  const more = skipped.length > SKIPPED_NAMED ? ` and ${skipped.length - SKIPPED_NAMED} more` : '';
  const columns = skipped.length === 1 ? 'this column was' : 'these columns were';
  return [`The values of ${columns} not searched, because the time for it ran out: ${named}${more}.`];
}

/** Tables for link mode `oracle`; null where there is no gold query. @throws AppError `gold_unusable` */
function goldTables({ link, gold }: AskRequest): string[] | null {
  if (link !== 'oracle' || gold === null) return null;
  const tables = tablesOf(gold);
  if (tables.length === 0) throw goldWithoutTables(gold);
  return tables;
}

/** @throws AppError `db_no_tables` where a model would be shown an empty schema, and could only guess. */
function requireTables({ tables }: Catalog, db: string): void {
  if (tables.some(isPromptTable)) return;
  const views = tables.filter((table) => table.type === 'view').length;
  const unreadable = tables.flatMap(({ type, problem }) => (type !== 'view' && problem !== null ? [problem] : []));
  throw noTablesToAsk(db, views, unreadable);
}

/** Names the state of a local model after system message and schema. */
function prefixKeyOf({ system, user, stablePrefix }: Lines1Prompt): string {
  return createHash('sha256')
    .update(JSON.stringify([system, user.slice(0, stablePrefix)]))
    .digest('hex');
}

/** What of the last question goes into a prompt. */
function clipped(previous: Previous | null): Previous | null {
  if (previous === null) return null;
  return {
    question: previous.question.slice(0, PREVIOUS_CHARACTERS),
    sql: previous.sql.slice(0, PREVIOUS_CHARACTERS),
  };
}

/**
 * Tables for the question. A follow-up such as "and in 2011?" names few, so those of the last question and its SQL count
 * too.
 */
function linked({ indexes }: Engine, request: AskRequest, catalog: Catalog, scan: ValueScan): Linked {
  const { previous, evidence, link } = request;
  const question = previous === null ? request.question : `${previous.question} ${request.question}`;
  const hints = previous === null ? evidence : `${evidence} ${tablesOf(previous.sql).join(' ')}`;
  const { system, user } = renderLines1({ catalog, scan, tables: null, question, evidence });
  const fullTokens = estimateTokens(`${system}\n${user}`);
  return linkSchema({
    catalog,
    scan,
    question,
    evidence: hints,
    mode: link,
    goldTables: goldTables(request),
    fullTokens,
    indexes,
  });
}

/**
 * Reads schema and values, chooses the tables and renders the prompt.
 *
 * @throws AppError where the database file is the matter, `db_no_tables`, `oracle_needs_gold`, `gold_unusable`, `cancelled`
 */
export async function prepareAsk(
  engine: Engine,
  provider: PromptFor,
  request: AskRequest,
  tell: (event: AskEvent) => void,
  signal?: CancelSignal,
): Promise<Prepared> {
  const { sandbox, store } = engine;
  const db = resolve(request.db);
  // Not awaited: the model is loaded while schema and values are read.
  void provider.warm?.(signal);
  tell({ type: 'phase', phase: 'schema', detail: null });
  const catalog = await engine.catalogs.read(sandbox, db, signal);
  requireTables(catalog, db);
  tell({ type: 'phase', phase: 'values', detail: null });
  const budgetMs = request.scanBudgetMs ?? DEFAULT_SCAN_BUDGET_MS;
  const scan = await scanValues({ sandbox, store, db, catalog, budgetMs }, signal);
  const notes = skippedNote(scan);
  for (const text of notes) tell({ type: 'note', text });
  const tables = linked(engine, request, catalog, scan);
  tell({ type: 'linked', linked: tables });
  const { question, samples, retries, turns } = request;
  const repair = request.repair ?? provider.repairs ?? false;
  const previous = clipped(request.previous);
  const { protocol, model } = provider;
  const evidence = protocol === 'one_shot' ? foldPrevious(request.evidence, previous) : request.evidence;
  const prompt = renderLines1({
    catalog,
    scan,
    tables: tables.left.length === 0 ? null : tables.kept,
    question,
    evidence,
  });
  const setup: AgentSetup = {
    protocol,
    model,
    question,
    evidence: request.evidence,
    previous,
    prompt: { ...prompt, prefixKey: prefixKeyOf(prompt) },
    linked: tables,
    samples,
    ...(retries === undefined ? {} : { retries }),
    ...(repair ? { repair } : {}),
    turns,
    maxTokens: MAX_TOKENS[protocol],
  };
  return { setup, catalog, notes };
}
