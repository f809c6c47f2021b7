import { Eta } from '../../core/evals/eta.ts';
import { databaseOf } from '../../core/evals/split.ts';
import { groupBy } from '../../core/schema/group.ts';
import { wilson } from '../../core/score/statistics/wilson.ts';
import type { Item } from '../../protocol/dataset.ts';
import { AppError, toWireError } from '../../protocol/errors.ts';
import type { EvalEvent, ItemRecord } from '../../protocol/eval.ts';
import { askItem, checkGold, type GoldCheck, notAsked } from './eval-ask.ts';
import { FailureWatch } from './eval-failures.ts';
import type { ItemsFile } from './eval-items.ts';
import { type Asked, type Judge, judged } from './eval-outcome.ts';
import type { EvalParts, EvalRequest } from './eval-request.ts';

export interface LoopOptions {
  parts: EvalParts;
  request: EvalRequest;
  judge: Judge;
  folder: string;
  file: ItemsFile;
  /** Items that an earlier part of the run finished. */
  finished: readonly ItemRecord[];
  onEvent(event: EvalEvent): void;
}

/** Items of one database one after the other, in the order of the dataset, so that what is kept of a schema is used. */
function byDatabase(items: readonly Item[]): Item[] {
  return [...groupBy(items, databaseOf).values()].flat();
}

/** Asks the items that are left, scores each answer while the next is asked, and writes each when it is finished. */
export class EvalLoop {
  readonly records: ItemRecord[];
  readonly #options: LoopOptions;
  readonly #queue: Item[];
  readonly #golds = new Map<string, Promise<GoldCheck>>();
  readonly #watch: FailureWatch;
  readonly #eta: Eta;
  readonly #stop = new AbortController();
  #next = 0;
  #right = 0;
  #judged = 0;
  #failure: unknown = null;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.records = [...options.finished];
    const done = new Set(this.records.map(({ id }) => id));
    this.#queue = byDatabase(options.request.items.filter(({ id }) => !done.has(id)));
    this.#watch = new FailureWatch(options.folder);
    this.#eta = new Eta(performance.now());
    for (const record of this.records) this.#tally(record);
  }

  /**
   * @returns whether every item is finished; where `signal` stopped it, what was running then is not recorded
   * @throws AppError where the provider is gone or the folder cannot be written; every finished item is kept
   */
  async run(signal: AbortSignal): Promise<boolean> {
    const stop = () => this.#stop.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const workers = Math.max(1, Math.min(this.#options.request.concurrency, this.#queue.length));
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
    } finally {
      signal.removeEventListener('abort', stop);
    }
    if (this.#failure !== null) throw this.#failure;
    return this.records.length === this.#options.request.items.length;
  }

  /** One question after the other; an answer is scored while the next question is asked. */
  async #work(): Promise<void> {
    let scoring = Promise.resolve();
    while (!this.#stop.signal.aborted) {
      const item = this.#queue[this.#next];
      if (item === undefined) break;
      this.#next += 1;
      const asked = await this.#guarded(() => this.#ask(item));
      await scoring;
      if (asked && !this.#isFatal(asked)) scoring = this.#guarded(() => this.#score(asked)).then(() => undefined);
    }
    await scoring;
  }

  /** Runs a step; what it throws ends the loop. */
  async #guarded<T>(step: () => Promise<T>): Promise<T | null> {
    try {
      return await step();
    } catch (error) {
      const isCancelled = error instanceof AppError && error.code === 'cancelled';
      if (!(isCancelled && this.#stop.signal.aborted)) this.#fail(error);
      return null;
    }
  }

  /** Whether the provider cannot answer whatever it is asked: that ends the loop, and the item is not recorded. */
  #isFatal({ result }: Asked): boolean {
    const error = { code: result.code ?? '', message: result.message ?? '' };
    const fatal = this.#watch.fatal(result.stop, error, this.records.length);
    if (fatal) this.#fail(fatal);
    return fatal !== null;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#stop.abort();
  }

  /** Runs the gold of an item, before it is its turn. */
  #gold(item: Item): Promise<GoldCheck> {
    const known = this.#golds.get(item.id);
    if (known) return known;
    const [db = ''] = this.#options.request.pathsOf(item);
    const check = checkGold(this.#options.judge.scorer, item, db, this.#stop.signal);
    // Its failure is met when the item is asked.
    check.catch(() => undefined);
    this.#golds.set(item.id, check);
    return check;
  }

  /** null where the item was cancelled. */
  async #ask(item: Item): Promise<Asked | null> {
    const { parts, request } = this.#options;
    const check = this.#gold(item);
    const following = this.#queue[this.#next];
    if (following) void this.#gold(following);
    const gold = await check;
    this.#golds.delete(item.id);
    const databases = request.pathsOf(item);
    const [db = ''] = databases;
    if ('error' in gold) return { item, databases, needed: null, result: notAsked(item, parts.provider, gold.error) };
    const result = await this.#result(item, db);
    if (result.stop === 'cancelled' || result.status === 'cancelled') return null;
    return { item, databases, needed: gold.tables, result };
  }

  async #result(item: Item, db: string) {
    const { parts, request } = this.#options;
    try {
      return await askItem(parts, request, item, db, this.#stop.signal);
    } catch (error) {
      // The file is the matter: its gold will fail as well.
      if (error instanceof AppError && error.code !== 'cancelled')
        return notAsked(item, parts.provider, toWireError(error));
      throw error;
    }
  }

  async #score(asked: Asked): Promise<void> {
    const record = await judged(this.#options.judge, asked, this.#stop.signal);
    // What is cancelled while it is scored is not finished.
    if (this.#stop.signal.aborted) return;
    this.#options.file.append(record);
    this.records.push(record);
    this.#tally(record);
    this.#eta.finish(performance.now());
    const failing = this.#watch.count(record, this.records.length);
    const total = this.#options.request.items.length;
    const done = this.records.length;
    const etaMs = this.#eta.leftMs(total - done);
    this.#options.onEvent({ type: 'item', record, done, total, etaMs, share: wilson(this.#right, this.#judged) });
    if (failing) this.#fail(failing);
  }

  #tally({ verdict }: ItemRecord): void {
    const passes = verdict[this.#options.request.metric];
    if (typeof passes !== 'boolean') return;
    this.#judged += 1;
    if (passes) this.#right += 1;
  }
}
