import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import type { Pair, ScoreSettings } from '../../protocol/score.ts';
import type { Store } from '../store/store.ts';
import type { GoldResults } from './gold-results.ts';
import { type Evidence, type Judgement, judge } from './judge.ts';
import { keyOf, RecentMap } from './kept.ts';
import { type KnownDatabase, knownDatabase } from './known-database.ts';
import { isLasting, type ViewLists } from './lasting.ts';
import { SideRunner } from './run-sides.ts';
import { scoringCancelled } from './score-errors.ts';
import { Turns } from './turns.ts';
import { JudgementText } from './verdict-text.ts';

/** Verdicts that stay in memory. */
const MOST_VERDICTS = 20_000;

export interface JudgementParts {
  sandbox: Sandbox;
  store: Store | null;
  golds: GoldResults;
  views: ViewLists;
}

/** What the metrics say of pairs on one database; the same pair on the same content is judged once. */
export class Judgements {
  readonly #parts: JudgementParts;
  readonly #settings: ScoreSettings;
  /** The settings as far as a judgement depends on them. */
  readonly #settingsKey: string;
  readonly #recent = new RecentMap<Judgement>(MOST_VERDICTS);
  readonly #running = new Map<string, Promise<Judgement>>();
  /** Large results are held by one pair at a time. */
  readonly #largeTurns = new Turns();

  constructor(parts: JudgementParts, settings: ScoreSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const { metrics, timeoutMs, orderPolicy, keepDistinct } = settings;
    this.#settingsKey = JSON.stringify([metrics.toSorted(), timeoutMs, orderPolicy, keepDistinct]);
  }

  /** @throws AppError `cancelled` where `signal` aborts; `sandbox_…` where no query can run */
  async of(db: string, pair: Pair, signal?: CancelSignal): Promise<Judgement> {
    const known = await knownDatabase(this.#parts.store, db);
    if (signal?.aborted) throw scoringCancelled();
    if (known === null) return (await this.#judge(db, null, pair, signal)).judgement;
    const key = keyOf('verdict', [this.#settingsKey, known.content, pair.gold, pair.pred]);
    for (;;) {
      const kept = this.#recent.get(key) ?? this.#stored(key);
      if (kept) return kept;
      const running = this.#running.get(key);
      if (!running) return this.#start(key, known, pair, signal);
      // Somebody else's may fail for reasons of their own, such as a cancellation.
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
    const running = this.#compute(key, known, pair, signal).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #compute(key: string, known: KnownDatabase, pair: Pair, signal?: CancelSignal): Promise<Judgement> {
    const { judgement, isKept } = await this.#judge(known.db, known, pair, signal);
    if (isKept) {
      this.#recent.set(key, judgement);
      this.#parts.store?.results.put(key, JudgementText.write(judgement), [known.state]);
    }
    return judgement;
  }

  async #judge(
    db: string,
    known: KnownDatabase | null,
    pair: Pair,
    signal?: CancelSignal,
  ): Promise<{ judgement: Judgement; isKept: boolean }> {
    const usual = await new SideRunner(this.#parts, this.#settings, { db, known, size: 'usual', signal }).run(pair);
    if (usual !== null) return this.#judged(usual, known);
    return this.#largeTurns.take(async () => {
      const large = await new SideRunner(this.#parts, this.#settings, { db, known, size: 'large', signal }).run(pair);
      if (large === null) throw new Error('A run of large results gives no other.');
      return this.#judged(large, known);
    });
  }

  async #judged(evidence: Evidence, known: KnownDatabase | null): Promise<{ judgement: Judgement; isKept: boolean }> {
    const { written, distinct, spider } = evidence;
    const sides = [written, distinct, spider].flatMap(({ gold, pred }) => [gold, pred]);
    if (sides.some(({ ran }) => ran.status === 'cancelled')) throw scoringCancelled();
    const isInTime = distinct.gold.ran.ms + distinct.pred.ran.ms <= this.#settings.timeoutMs;
    const views = known === null ? null : await this.#parts.views.of(known);
    const isKept = isInTime && sides.every(({ sql, ran }) => isLasting(sql, ran, views));
    return { judgement: judge(evidence, this.#settings), isKept };
  }
}
