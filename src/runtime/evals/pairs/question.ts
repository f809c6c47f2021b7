import type { AgentSetup } from '../../../core/agent/setup.ts';
import type { CancelSignal } from '../../../core/ports.ts';
import { type Lines1Prompt, renderLines1 } from '../../../core/schema/lines1.ts';
import { isPromptTable } from '../../../core/schema/lines1-schema.ts';
import { tablesOf } from '../../../core/sql/parse.ts';
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
/** What the prompts are made for: a local model that answers with a query. */
const ANSWERER: PromptFor = { protocol: 'one_shot', model: { provider: 'local', name: 'any', accuracy: null } };

export interface PromptOptions {
  link: LinkMode;
  /** Limit of one query in milliseconds. */
  timeoutMs: number;
  /** Whether answers spell names as the prompt does, in place of the gold's own spelling. */
  spelledAsShown: boolean;
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

/** The tables of a linked prompt with those of the gold: a question that cannot be answered teaches to invent names. */
function withGoldTables(catalog: Catalog, kept: readonly string[], gold: ReadonlySet<string>): string[] {
  const known = new Set(kept);
  return catalog.tables
    .filter((table) => known.has(table.name) || (isPromptTable(table) && gold.has(table.name.toLowerCase())))
    .map(({ name }) => name);
}

/**
 * Renders the prompt of an item as `sql-agent ask` does.
 * @throws AppError where the database is the matter, `cancelled`
 */
export async function prepareQuestion(
  engine: Engine,
  item: Item,
  db: string,
  { link, timeoutMs, spelledAsShown }: PromptOptions,
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
  const tables = left.length === 0 ? null : withGoldTables(catalog, kept, goldTables);
  const isWhole = tables === null || tables.length === kept.length;
  const rendered: Lines1Prompt = renderLines1({ catalog, scan, tables, question, evidence });
  const own = gold.replace(/[;\s]+$/, '').trimStart();
  return {
    item,
    db,
    catalog,
    scan,
    prompt: isWhole ? setup.prompt : { ...setup.prompt, ...rendered },
    tables,
    goldTables,
    answer: spelledAsShown ? (renameQuery(own, catalog, OWN_NAMES) ?? own) : own,
  };
}
