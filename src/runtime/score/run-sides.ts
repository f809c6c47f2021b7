import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { isOrdered } from '../../core/score/order.ts';
import { spiderStatement } from '../../core/score/spider-ex.ts';
import type { Pair, ScoreSettings } from '../../protocol/score.ts';
import type { GoldResults } from './gold-results.ts';
import type { Evidence, Side, Sides } from './judge.ts';
import type { KnownDatabase } from './known-database.ts';
import { dependsOnMoment } from './moment.ts';
import { type Ran, runQuery, type Size } from './run-query.ts';

export interface RunParts {
  sandbox: Sandbox;
  golds: GoldResults;
}

/** Where and how a pair is run. */
export interface RunWork {
  db: string;
  /** null: nothing of the database may be kept. */
  known: KnownDatabase | null;
  size: Size;
  signal: CancelSignal | undefined;
}

function isCut({ gold, pred }: Sides): boolean {
  return gold.ran.truncated || pred.ran.truncated;
}

/** Runs what the metrics need of one pair on one database, and nothing twice. */
export class SideRunner {
  readonly #parts: RunParts;
  readonly #settings: ScoreSettings;
  readonly #db: string;
  readonly #known: KnownDatabase | null;
  readonly #size: Size;
  readonly #signal: CancelSignal | undefined;

  constructor(parts: RunParts, settings: ScoreSettings, work: RunWork) {
    this.#parts = parts;
    this.#settings = settings;
    this.#db = work.db;
    this.#known = work.known;
    this.#size = work.size;
    this.#signal = work.signal;
  }

  /** @returns null where a result is larger than usual and no large ones were asked for */
  async run({ gold, pred }: Pick<Pair, 'gold' | 'pred'>): Promise<Evidence | null> {
    const written = await this.#runWritten(gold, pred);
    if (this.#size === 'usual' && isCut(written)) return null;
    const distinct = await this.#runDistinct(written);
    const spider = await this.#runSpider(written);
    if (this.#size === 'usual' && isCut(spider)) return null;
    return { written, distinct, spider, ordered: isOrdered(gold, this.#settings.orderPolicy) };
  }

  #gold(sql: string): Promise<Ran> {
    return this.#parts.golds.get({ db: this.#db, known: this.#known, sql, size: this.#size }, this.#signal);
  }

  #query(sql: string, distinct = false): Promise<Ran> {
    const { timeoutMs } = this.#settings;
    return runQuery(this.#parts.sandbox, { db: this.#db, sql, timeoutMs, distinct, size: this.#size }, this.#signal);
  }

  async #runWritten(gold: string, pred: string): Promise<Sides> {
    const goldRuns = this.#gold(gold);
    const isSame = gold === pred && !dependsOnMoment(gold);
    const [goldRan, predRan] = await Promise.all([goldRuns, isSame ? goldRuns : this.#query(pred)]);
    return { gold: { sql: gold, ran: goldRan }, pred: { sql: pred, ran: predRan } };
  }

  /** What was cut, once more without the rows that repeat an earlier one. */
  async #runDistinct({ gold, pred }: Sides): Promise<Sides> {
    if (!isCut({ gold, pred })) return { gold, pred };
    const again = async ({ sql, ran }: Side) => ({ sql, ran: ran.truncated ? await this.#query(sql, true) : ran });
    const [goldAgain, predAgain] = await Promise.all([again(gold), again(pred)]);
    return { gold: goldAgain, pred: predAgain };
  }

  /** As Spider's script runs them; what it would not change is not run again. */
  async #runSpider(written: Sides): Promise<Sides> {
    const { metrics, keepDistinct } = this.#settings;
    if (!metrics.includes('spider_ex')) return written;
    const gold = spiderStatement(written.gold.sql, keepDistinct);
    const pred = spiderStatement(written.pred.sql, keepDistinct);
    const [goldRan, predRan] = await Promise.all([
      gold === written.gold.sql ? written.gold.ran : this.#gold(gold),
      pred === written.pred.sql ? written.pred.ran : this.#query(pred),
    ]);
    return { gold: { sql: gold, ran: goldRan }, pred: { sql: pred, ran: predRan } };
  }
}
