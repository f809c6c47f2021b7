import type { CancelSignal } from '../../../core/ports.ts';
import { renderLines1 } from '../../../core/schema/lines1.ts';
import { isOrdered } from '../../../core/score/order.ts';
import { compareStrictly } from '../../../core/score/strict-ex.ts';
import { seedOf } from '../../../core/training/pairs/chance.ts';
import { phraseEvidence } from '../../../core/training/pairs/phrase-evidence.ts';
import { type Phrasing, phraseSchema } from '../../../core/training/pairs/phrase-schema.ts';
import { renameQuery } from '../../../core/training/pairs/rename-query.ts';
import { OWN_NAMES } from '../../../core/training/pairs/schema-names.ts';
import { underNames } from '../../../core/training/pairs/under-names.ts';
import type { QueryResult } from '../../../protocol/query.ts';
import type { Engine } from '../../engine.ts';
import type { PlainPair } from './pair.ts';
import type { PreparedQuestion } from './question.ts';

/** Rows in which a query over other names is compared with the gold. */
const COMPARED_ROWS = 2_000;

/** Says the schemas of databases otherwise: one database in one phrasing is the same text for all of its questions. */
export class Rephraser {
  readonly #engine: Engine;
  readonly #seed: number;
  readonly #timeoutMs: number;
  readonly #known = new Map<string, Phrasing>();
  #gold: { question: PreparedQuestion; result: QueryResult } | null = null;

  constructor(engine: Engine, seed: number, timeoutMs: number) {
    this.#engine = engine;
    this.#seed = seed;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * A question with its schema in another phrasing, and its query in those names.
   * @param number which phrasing, from 1
   * @returns null where the query cannot be said in it, or does not give the gold's rows then
   */
  async rephrase(question: PreparedQuestion, number: number, signal: CancelSignal): Promise<PlainPair | null> {
    const { item, catalog, answer, goldTables, tables } = question;
    const { names, catalog: other, scan } = this.#phrasing(question, number);
    const sql = renameQuery(answer, catalog, names);
    if (sql === null) return null;
    const runnable = names === OWN_NAMES ? sql : underNames(sql, catalog, names, goldTables);
    if (!(await this.#isSame(question, runnable, signal))) return null;
    const evidence = phraseEvidence(item.evidence, catalog, names, goldTables);
    const shown = tables?.map((name) => names.table(name)) ?? null;
    const prompt = renderLines1({ catalog: other, scan, tables: shown, question: item.question, evidence });
    return { system: prompt.system, user: prompt.user, sql, id: item.id, db_id: item.db_id, phrasing: number };
  }

  #phrasing({ db, item, catalog, scan }: PreparedQuestion, number: number): Phrasing {
    const key = `${number} ${db}`;
    const known = this.#known.get(key) ?? phraseSchema(catalog, scan, seedOf(this.#seed, item.db_id, number));
    this.#known.set(key, known);
    return known;
  }

  async #isSame(question: PreparedQuestion, sql: string, signal: CancelSignal): Promise<boolean> {
    // All phrasings of a question are asked for one after the other.
    if (this.#gold?.question !== question)
      this.#gold = { question, result: await this.#run(question, question.answer, signal) };
    const gold = this.#gold.result;
    const other = await this.#run(question, sql, signal);
    if (gold.status !== 'ok' || other.status !== 'ok') return false;
    if (gold.truncated || other.truncated) return gold.truncated === other.truncated;
    return compareStrictly(gold, other, isOrdered(question.answer, 'gold_order_by')) === null;
  }

  #run({ db }: PreparedQuestion, sql: string, signal: CancelSignal): Promise<QueryResult> {
    return this.#engine.sandbox.query({ db, sql, timeoutMs: this.#timeoutMs, maxRows: COMPARED_ROWS }, signal);
  }
}
