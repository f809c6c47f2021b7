import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { isOrdered } from '../../core/score/order.ts';
import { spiderStatement } from '../../core/score/spider-ex.ts';
import type { Pair, ScoreSettings, Verdict } from '../../protocol/score.ts';
import type { Store } from '../store/store.ts';
import { GoldResults } from './gold-results.ts';
import { type Judgement, judge, type Side, type Sides } from './judge.ts';
import { keyOf, RecentMap } from './kept.ts';
import { type KnownDatabase, knownDatabase } from './known-database.ts';
import { isLasting, ViewLists } from './lasting.ts';
import { dependsOnMoment } from './moment.ts';
import { failed, type Ran, runQuery } from './run-query.ts';
import { scoringCancelled } from './score-errors.ts';
import { combine } from './suite.ts';
import { JudgementText } from './verdict-text.ts';

/** What a scorer works with. `store` null: nothing is kept beyond the scorer, nothing kept is used. */
export interface ScorerParts {
  sandbox: Sandbox;
  store: Store | null;
}

/** A prediction, its gold, and the absolute paths of its databases, the main one first. */
export type ScorePair = Pair & { databases: readonly string[] };

/** Verdicts that stay in memory. */
const MOST_VERDICTS = 20_000;

/** Scores predictions under the named metrics. Several pairs may be scored at the same time. */
export class Scorer {
  readonly #parts: ScorerParts;
  readonly #settings: ScoreSettings;
  /** The settings as far as a verdict depends on them. */
  readonly #settingsKey: string;
  readonly #views: ViewLists;
  readonly #golds: GoldResults;
  readonly #recent = new RecentMap<Judgement>(MOST_VERDICTS);
  readonly #running = new Map<string, Promise<Judgement>>();

  constructor(parts: ScorerParts, settings: ScoreSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const { metrics, timeoutMs, orderPolicy, keepDistinct } = settings;
    this.#settingsKey = JSON.stringify([metrics.toSorted(), timeoutMs, orderPolicy, keepDistinct]);
    this.#views = new ViewLists(parts.sandbox);
    this.#golds = new GoldResults({ ...parts, views: this.#views, timeoutMs });
  }

  /**
   * The verdict on one pair. A query or a database that fails is part of the verdict.
   * @throws AppError `cancelled` where `signal` aborts; `sandbox_…` where no query can run
   */
  async score(pair: ScorePair, signal?: CancelSignal): Promise<Verdict> {
    const databases = this.#settings.suite ? pair.databases : pair.databases.slice(0, 1);
    const found: { db: string; judgement: Judgement }[] = [];
    for (const db of databases) found.push({ db, judgement: await this.#scoreOn(db, pair, signal) });
    return { id: pair.id, ...(combine(found) ?? this.#withoutDatabase(pair)) };
  }

  #withoutDatabase({ gold, pred, db_id }: Pair): Judgement {
    const ran = failed('error', 'db_missing', `There is no database "${db_id}".`);
    const sides = { gold: { sql: gold, ran }, pred: { sql: pred, ran } };
    return judge({ written: sides, distinct: sides, spider: sides, ordered: false }, this.#settings);
  }

  /** The tables that a gold query reads, views looked through; null where it does not run. */
  async goldTables(db: string, gold: string): Promise<string[] | null> {
    const known = await knownDatabase(this.#parts.store, db);
    const ran = await this.#golds.get(db, known, gold);
    if (ran.status !== 'ok') return null;
    const views = known === null ? await this.#views.read(db) : await this.#views.of(known);
    return ran.touched.map(({ table }) => table).filter((name) => !views?.has(name));
  }

  /** Writes what waits to be kept. The sandbox and the store stay open: they are the caller's. */
  async dispose(): Promise<void> {
    this.#parts.store?.results.flush();
  }

  async #scoreOn(db: string, pair: Pair, signal?: CancelSignal): Promise<Judgement> {
    const known = await knownDatabase(this.#parts.store, db);
    if (signal?.aborted) throw scoringCancelled();
    if (known === null) return (await this.#judge(db, null, pair, signal)).judgement;
    const key = keyOf('verdict', [this.#settingsKey, known.content, pair.gold, pair.pred]);
    for (;;) {
      const kept = this.#recent.get(key) ?? this.#stored(key);
      if (kept) return kept;
      const running = this.#running.get(key);
      if (!running) return this.#start(key, known, pair, signal);
      const judgement = await running.catch(() => null);
      if (judgement !== null) return judgement;
      if (signal?.aborted) throw scoringCancelled();
    }
  }

  #stored(key: string): Judgement | null {
    const value = this.#parts.store?.results.get(key);
    const judgement = value ? JudgementText.read(value) : null;
    if (judgement !== null) this.#recent.set(key, judgement);
    return judgement;
  }

  #start(key: string, known: KnownDatabase, pair: Pair, signal?: CancelSignal): Promise<Judgement> {
    const compute = async () => {
      const { judgement, isKept } = await this.#judge(known.db, known, pair, signal);
      if (isKept) {
        this.#recent.set(key, judgement);
        this.#parts.store?.results.put(key, JudgementText.write(judgement), [known.state]);
      }
      return judgement;
    };
    const running = compute().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #judge(
    db: string,
    known: KnownDatabase | null,
    { gold, pred }: Pair,
    signal?: CancelSignal,
  ): Promise<{ judgement: Judgement; isKept: boolean }> {
    const written = await this.#run(db, known, gold, pred, signal);
    const distinct = await this.#runDistinct(db, written, signal);
    const spider = await this.#runSpider(db, known, written, signal);
    const sides = [written, distinct, spider].flatMap((pairOf) => [pairOf.gold, pairOf.pred]);
    if (sides.some(({ ran }) => ran.status === 'cancelled')) throw scoringCancelled();
    const evidence = { written, distinct, spider, ordered: isOrdered(gold, this.#settings.orderPolicy) };
    const judgement = judge(evidence, this.#settings);
    const isInTime = written.gold.ran.ms + written.pred.ran.ms <= this.#settings.timeoutMs;
    const views = known === null ? null : await this.#views.of(known);
    return { judgement, isKept: isInTime && sides.every(({ sql, ran }) => isLasting(sql, ran, views)) };
  }

  /** Runs gold and prediction; once where they are the same text. */
  async #run(
    db: string,
    known: KnownDatabase | null,
    gold: string,
    pred: string,
    signal?: CancelSignal,
  ): Promise<Sides> {
    const goldRuns = this.#golds.get(db, known, gold, signal);
    const isSame = gold === pred && !dependsOnMoment(gold);
    const [goldRan, predRan] = await Promise.all([goldRuns, isSame ? goldRuns : this.#query(db, pred, false, signal)]);
    return { gold: { sql: gold, ran: goldRan }, pred: { sql: pred, ran: predRan } };
  }

  #query(db: string, sql: string, distinct: boolean, signal?: CancelSignal): Promise<Ran> {
    const { timeoutMs } = this.#settings;
    return runQuery(this.#parts.sandbox, { db, sql, timeoutMs, distinct }, signal);
  }

  /** What was cut, once more without the rows that repeat an earlier one. */
  async #runDistinct(db: string, { gold, pred }: Sides, signal?: CancelSignal): Promise<Sides> {
    if (!gold.ran.truncated && !pred.ran.truncated) return { gold, pred };
    const again = async ({ sql, ran }: Side) => ({
      sql,
      ran: ran.truncated ? await this.#query(db, sql, true, signal) : ran,
    });
    const [goldAgain, predAgain] = await Promise.all([again(gold), again(pred)]);
    return { gold: goldAgain, pred: predAgain };
  }

  /** As Spider's script runs them; what it would not change is not run again. */
  async #runSpider(db: string, known: KnownDatabase | null, written: Sides, signal?: CancelSignal): Promise<Sides> {
    const { metrics, keepDistinct } = this.#settings;
    if (!metrics.includes('spider_ex')) return written;
    const gold = spiderStatement(written.gold.sql, keepDistinct);
    const pred = spiderStatement(written.pred.sql, keepDistinct);
    if (gold === written.gold.sql && pred === written.pred.sql) return written;
    const [goldRan, predRan] = await Promise.all([
      gold === written.gold.sql ? written.gold.ran : this.#golds.get(db, known, gold, signal),
      pred === written.pred.sql ? written.pred.ran : this.#query(db, pred, false, signal),
    ]);
    return { gold: { sql: gold, ran: goldRan }, pred: { sql: pred, ran: predRan } };
  }
}
