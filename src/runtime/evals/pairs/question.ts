import type { AgentSetup } from '../../../core/agent/setup.ts';
import type { CancelSignal } from '../../../core/ports.ts';
import { type Lines1Prompt, renderLines1 } from '../../../core/schema/lines1.ts';
import { isPromptTable } from '../../../core/schema/lines1-schema.ts';
import { Random, shuffled } from '../../../core/score/statistics/random.ts';
import { tablesOf } from '../../../core/sql/parse.ts';
import { seedOf } from '../../../core/training/pairs/chance.ts';
import { plainStyle } from '../../../core/training/pairs/plain-style.ts';
import { renameQuery } from '../../../core/training/pairs/rename-query.ts';
import { OWN_NAMES } from '../../../core/training/pairs/schema-names.ts';
import type { Catalog, LinkMode, ValueScan } from '../../../protocol/catalog.ts';
import type { Item } from '../../../protocol/dataset.ts';
import { type PromptFor, prepareAsk } from '../../ask-prepare.ts';
import type { Engine } from '../../engine.ts';
import { scanValues } from '../../store/values.ts';

/** Rows of a gold that are fetched to see whether it runs. */
const ROWS = 1;
/** What a prompt holds shall not depend on how fast a machine searches cell values. */
const SCAN_BUDGET_MS = 60_000;
/** Where tables are shown by chance, at least so many. */
const LEAST_TABLES = 6;
/** What the prompts are made for: a local model that answers with a query. */
const ANSWERER: PromptFor = { protocol: 'one_shot', model: { provider: 'local', name: 'any', accuracy: null } };

export interface PromptOptions {
  link: LinkMode;
  /** Limit of one query in milliseconds. */
  timeoutMs: number;
  /** Whether answers are all in one style (`plainStyle`) and spell names as the prompt does; else as the gold is. */
  oneStyle: boolean;
  /** Of schemas with more tables than this, prompts show those of the gold and some others by chance; null: all. */
  mostTables: number | null;
  /** What these are drawn from. */
  seed: number;
}

/** A question as the model is asked it, with its answer. */
export interface PreparedQuestion {
  item: Item;
  db: string;
  catalog: Catalog;
  scan: ValueScan;
  prompt: AgentSetup['prompt'];
  /** Tables that the prompt shows, by their names; null: all. */
  tables: readonly string[] | null;
  /** Tables that the gold reads, in lower case. */
  goldTables: ReadonlySet<string>;
  answer: string;
}

/**
 * The tables of a prompt for training: those that the linker keeps, or of larger schemas some by chance, always with those
 * of the gold. A question that cannot be answered from what is shown teaches to invent names.
 */
function tablesFor(catalog: Catalog, kept: readonly string[], gold: ReadonlySet<string>, most: number, seed: number) {
  const shown = catalog.tables.filter(isPromptTable).map(({ name }) => name);
  const needed = shown.filter((name) => gold.has(name.toLowerCase()));
  const others = kept.filter((name) => !needed.includes(name));
  const random = new Random(seed);
  const least = Math.min(most, LEAST_TABLES);
  const room = kept.length > most ? least + random.below(most - least + 1) - needed.length : others.length;
  const chosen = new Set([...needed, ...shuffled(others, random).slice(0, Math.max(0, room))]);
  return shown.filter((name) => chosen.has(name));
}

/** Keywords first: a column may have the name of one. */
function inOneStyle(sql: string, catalog: Catalog): string {
  const styled = plainStyle(sql);
  return renameQuery(styled, catalog, OWN_NAMES) ?? styled;
}

/**
 * Renders the prompt of an item as `sql-agent ask` does.
 * @throws AppError where the database is the matter, `cancelled`
 */
export async function prepareQuestion(
  engine: Engine,
  item: Item,
  db: string,
  { link, timeoutMs, oneStyle, mostTables, seed }: PromptOptions,
  signal: CancelSignal,
): Promise<PreparedQuestion> {
  const { question, evidence, gold } = item;
  const oracle = link === 'oracle' ? gold : null;
  const asked = { db, question, evidence, previous: null, samples: 1, turns: 1, timeoutMs, maxRows: ROWS };
  const options = { link, gold: oracle, scanBudgetMs: SCAN_BUDGET_MS };
  const { setup, catalog } = await prepareAsk(engine, ANSWERER, { ...asked, ...options }, () => undefined, signal);
  const { sandbox, store } = engine;
  const scan = await scanValues({ sandbox, store, db, catalog, budgetMs: SCAN_BUDGET_MS }, signal);
  const goldTables = new Set(tablesOf(gold).map((name) => name.toLowerCase()));
  const { kept, left } = setup.linked;
  const most = mostTables ?? Number.POSITIVE_INFINITY;
  const chosen = tablesFor(catalog, kept, goldTables, most, seedOf(seed, 'tables', item.db_id, item.id));
  const tables = chosen.length === kept.length + left.length ? null : chosen;
  const isAsAsked = chosen.length === kept.length && kept.every((name) => chosen.includes(name));
  const rendered: Lines1Prompt = renderLines1({ catalog, scan, tables, question, evidence });
  const own = gold.replace(/[;\s]+$/, '').trimStart();
  return {
    item,
    db,
    catalog,
    scan,
    prompt: isAsAsked ? setup.prompt : { ...setup.prompt, ...rendered },
    tables,
    goldTables,
    answer: oneStyle ? inOneStyle(own, catalog) : own,
  };
}
