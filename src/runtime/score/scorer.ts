import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { rVesReward } from '../../core/score/r-ves.ts';
import { Fragility, Metric, type Pair, type ScoreSettings, type Verdict } from '../../protocol/score.ts';
import type { Store } from '../store/store.ts';
import { PerturbedCopies } from './copies.ts';
import { MOST_COPIES, tryOnCopies } from './fragile.ts';
import { GoldResults } from './gold-results.ts';
import { type Judgement, judge } from './judge.ts';
import { Judgements } from './judgements.ts';
import { keyOf } from './kept.ts';
import { knownDatabase } from './known-database.ts';
import { ViewLists } from './lasting.ts';
import { dependsOnMoment } from './moment.ts';
import { failed } from './run-query.ts';
import { scoringCancelled } from './score-errors.ts';
import { combine } from './suite.ts';
import { timeRatios } from './time-ratios.ts';
import { Turns } from './turns.ts';

/** What a scorer works with; both stay the caller's. `store` null: nothing kept is used, nothing is kept beyond it. */
export interface ScorerParts {
  sandbox: Sandbox;
  store: Store | null;
}

export interface ScorerOptions {
  /** Times that gold and prediction are timed for `r_ves`. Default 20; mini-dev's script takes 100. */
  rVesRuns?: number;
  /** Where changed copies of databases are put. Default the system's folder for temporary files. */
  tempFolder?: string;
}

/** A prediction, its gold, and the absolute paths of its databases, the main one first. */
export type ScorePair = Pair & { databases: readonly string[] };

const R_VES_RUNS = 20;

/**
 * Scores predictions under the named metrics. Several pairs may be scored at the same time; with `r_ves` they wait for
 * each other.
 */
export class Scorer {
  readonly #parts: ScorerParts;
  readonly #settings: ScoreSettings;
  readonly #rVesRuns: number;
  readonly #views: ViewLists;
  readonly #golds: GoldResults;
  readonly #judgements: Judgements;
  readonly #copies: PerturbedCopies;
  readonly #turns = new Turns();

  constructor(parts: ScorerParts, settings: ScoreSettings, options: ScorerOptions = {}) {
    this.#parts = parts;
    this.#settings = settings;
    this.#rVesRuns = options.rVesRuns ?? R_VES_RUNS;
    this.#views = new ViewLists(parts.sandbox);
    this.#golds = new GoldResults({ ...parts, views: this.#views, timeoutMs: settings.timeoutMs });
    this.#copies = new PerturbedCopies(options.tempFolder);
    const needsOfficial = settings.fragile || settings.metrics.includes('r_ves');
    const metrics = Metric.options.filter(
      (metric) =>
        metric !== 'r_ves' && (settings.metrics.includes(metric) || (metric === 'official_ex' && needsOfficial)),
    );
    const own = { ...parts, golds: this.#golds, views: this.#views };
    this.#judgements = new Judgements(own, { ...settings, metrics });
  }

  /**
   * The verdict on one pair. A query or a database that fails is part of the verdict.
   * @throws AppError `cancelled` where `signal` aborts; `sandbox_…` where no query can run
   */
  score(pair: ScorePair, signal?: CancelSignal): Promise<Verdict> {
    const isTimed = this.#settings.metrics.includes('r_ves');
    return isTimed ? this.#turns.take(() => this.#score(pair, signal)) : this.#score(pair, signal);
  }

  async #score(pair: ScorePair, signal?: CancelSignal): Promise<Verdict> {
    const databases = this.#settings.suite ? pair.databases : pair.databases.slice(0, 1);
    const found: { db: string; judgement: Judgement }[] = [];
    for (const db of databases) found.push({ db, judgement: await this.#judgements.of(db, pair, signal) });
    const judgement = combine(found) ?? this.#withoutDatabase(pair);
    const [main] = found;
    const isRight = judgement.official_ex === true && main !== undefined;
    const { official_ex, strict_ex, spider_ex, soft_f1, ...rest } = judgement;
    const isAsked = this.#settings.metrics.includes('official_ex');
    const verdict: Verdict = {
      id: pair.id,
      ...(isAsked && official_ex !== undefined ? { official_ex } : {}),
      ...(strict_ex === undefined ? {} : { strict_ex }),
      ...(spider_ex === undefined ? {} : { spider_ex }),
      ...(soft_f1 === undefined ? {} : { soft_f1 }),
      ...(this.#settings.metrics.includes('r_ves')
        ? { r_ves: isRight ? await this.#reward(main.db, pair, signal) : official_ex === null ? null : 0 }
        : {}),
      ...rest,
    };
    if (this.#settings.fragile && isRight) verdict.fragile = await this.#fragility(main.db, pair, judgement.ms, signal);
    if (signal?.aborted) throw scoringCancelled();
    return verdict;
  }

  #withoutDatabase({ gold, pred, db_id }: Pair): Judgement {
    const ran = failed('error', 'db_missing', `There is no database "${db_id}".`);
    const sides = { gold: { sql: gold, ran }, pred: { sql: pred, ran } };
    return judge({ written: sides, distinct: sides, spider: sides, ordered: false }, this.#settings);
  }

  async #reward(db: string, { gold, pred }: Pair, signal?: CancelSignal): Promise<number> {
    const timed = { db, gold, pred, timeoutMs: this.#settings.timeoutMs };
    return rVesReward(await timeRatios(this.#parts.sandbox, timed, this.#rVesRuns, signal));
  }

  async #fragility(db: string, pair: Pair, ms: number, signal?: CancelSignal): Promise<Fragility> {
    const { sandbox, store } = this.#parts;
    const known = await knownDatabase(store, db);
    if (known === null) return { tried: 0, differ: 0 };
    const key = keyOf('fragile', [known.content, pair.gold, pair.pred]);
    const kept = store?.results.get(key);
    if (kept) return Fragility.parse(JSON.parse(kept.toString()));
    const parts = { sandbox, golds: this.#golds, copies: this.#copies };
    const found = await tryOnCopies(parts, known, pair, ms, signal);
    const isLasting = found.tried === MOST_COPIES && !dependsOnMoment(pair.gold) && !dependsOnMoment(pair.pred);
    if (isLasting) store?.results.put(key, Buffer.from(JSON.stringify(found)), [known.state]);
    return found;
  }

  /**
   * The tables that a gold query reads, views looked through; null where it does not run.
   * @throws AppError `cancelled` where `signal` aborts; `sandbox_…` where no query can run
   */
  async goldTables(db: string, gold: string, signal?: CancelSignal): Promise<string[] | null> {
    const known = await knownDatabase(this.#parts.store, db);
    const ran = await this.#golds.get({ db, known, sql: gold, size: 'usual' }, signal);
    if (ran.status === 'cancelled') throw scoringCancelled();
    if (ran.status !== 'ok') return null;
    const views = known === null ? await this.#views.read(db) : await this.#views.of(known);
    return ran.touched.map(({ table }) => table).filter((name) => !views?.has(name));
  }

  /** Writes what waits to be kept and removes what was made on disk. Sandbox and store stay open. */
  async dispose(): Promise<void> {
    this.#copies.dispose();
    this.#parts.store?.results.flush();
  }
}
