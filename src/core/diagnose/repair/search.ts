import type { SearchEffort } from '../../../protocol/diagnosis.ts';
import type { QueryResult } from '../../../protocol/query.ts';
import type { CancelSignal } from '../../ports.ts';
import type { Table } from '../../score/rows.ts';
import { compareStrictly } from '../../score/strict-ex.ts';
import { areApart, type Change, editsOf, type Move, replay } from './change.ts';
import { ResultDistance } from './distance.ts';
import type { Guide } from './guide.ts';
import { MOST_EDITS } from './moves.ts';

/** How much a search may do. */
export interface RepairBudget {
  readonly queries: number;
  readonly ms: number;
  /** Queries that run at the same time; default 2. */
  readonly parallel?: number;
}

/** Whether a repair still agrees with the gold on changed copies of the database. */
export type OnCopies = 'agrees' | 'differs' | 'unknown';

/** What a search asks of the world. */
export interface SearchParts {
  /** @param isPatient the query may take as long as any: it is the likeliest of all */
  run(sql: string, isPatient: boolean): Promise<QueryResult>;
  /** Asked where a match may be luck. */
  verify?(sql: string): Promise<OnCopies>;
  /** Milliseconds from an arbitrary start. */
  now(): number;
}

/** The matter of a search. */
export interface SearchTask {
  readonly sql: string;
  readonly moves: readonly Move[];
  readonly guide: Guide;
  readonly gold: Table;
  readonly ordered: boolean;
  /** Number of columns of each arm of the outermost query; null where a star could not be expanded. */
  readonly widths: readonly (number | null)[];
  readonly pred: QueryResult | null;
  /** Whether changes can do nothing that counts. */
  isIdle(changes: readonly Change[]): boolean;
}

/** A set of changes that may be the repair. */
interface Candidate {
  readonly changes: readonly Change[];
  readonly gain: number;
  readonly prior: number;
  /** Length of all that is written or taken away, in UTF-16 units. */
  readonly size: number;
}

/** What was found. `sure`: nothing speaks for luck. */
export interface Match {
  readonly changes: readonly Change[];
  readonly sure: boolean;
}

/** Candidates of each number of edits, those that lead towards the gold, and the others. */
const MOST_GUIDED = [120, 80, 80] as const;
/** Moves that are combined with each other, and pairs that a third is added to. */
const MOST_COMBINED = 28;
const MOST_PAIRS = 60;
/** Results from which the search goes on where the gold's features lead nowhere. */
const BEAM = 6;
/** Cells of a gold's result with which another that is not made of the same things may agree by chance. */
const MOST_THIN = 12;
/** Single moves that lead towards nothing the gold has; the rest of the budget is for climbing. */
const MOST_OTHERS = 160;
/** Queries after a match that may be luck, in search of a better one: few where it leads towards the gold's features. */
const AFTER_LUCK = { guided: 16, other: 60 } as const;

/** A bounded best-first search: towards the gold's features first, then towards its rows. */
export class RepairSearch {
  readonly #task: SearchTask;
  readonly #parts: SearchParts;
  readonly #budget: RepairBudget;
  readonly #signal: CancelSignal | undefined;
  readonly #distance: ResultDistance;
  readonly #seen = new Set<string>();
  readonly #started: number;
  readonly #reached: { candidate: Candidate; distance: number }[] = [];
  #queries = 0;
  #limit: number;
  #match: Match | null = null;
  #lucky: Match | null = null;
  #ended = false;

  constructor(task: SearchTask, parts: SearchParts, budget: RepairBudget, signal?: CancelSignal) {
    this.#task = task;
    this.#parts = parts;
    this.#budget = budget;
    this.#signal = signal;
    this.#distance = new ResultDistance(task.gold);
    this.#limit = budget.queries;
    this.#started = parts.now();
    this.#seen.add(task.sql);
  }

  async find(): Promise<{ match: Match | null; effort: SearchEffort }> {
    await this.#search();
    if (this.#match !== null) await this.#shrink(this.#match);
    const ms = this.#parts.now() - this.#started;
    const exhausted = this.#match === null && this.#ended;
    return { match: this.#match ?? this.#lucky, effort: { queries: this.#queries, ms, exhausted } };
  }

  async #search(): Promise<void> {
    const all = this.#task.moves.map((move) => this.#candidate([move]));
    const guided = all.filter(({ gain }) => gain > 0).sort(byPromise);
    for (const [index, level] of this.#levels(guided).entries()) {
      await this.#tryAll(level.filter((one) => this.#fits(one)).slice(0, MOST_GUIDED[index]));
      if (this.#isOver) return;
    }
    const others = all.filter(({ gain }) => gain <= 0).sort(byPrior);
    const fitting = others.filter((one) => this.#fits(one));
    const bySize = [1, 2, 3].flatMap((count) => fitting.filter(({ changes }) => changes.length === count));
    await this.#tryAll(bySize.slice(0, MOST_OTHERS));
    if (this.#isOver) return;
    await this.#climb([...guided, ...others]);
  }

  get #isOver(): boolean {
    return this.#match !== null || this.#ended;
  }

  #isSpent(): boolean {
    const isLate = this.#parts.now() - this.#started >= this.#budget.ms;
    return this.#queries >= this.#limit || isLate || (this.#signal?.aborted ?? false);
  }

  #candidate(moves: readonly Pick<Move, 'changes' | 'prior'>[]): Candidate {
    const changes = moves.flatMap((move) => move.changes);
    return {
      changes,
      gain: this.#task.guide.gain(changes),
      prior: moves.reduce((sum, { prior }) => sum + prior, 0),
      size: changes.reduce((sum, { range, after }) => sum + range.length + after.length, 0),
    };
  }

  /** The candidates of one, two and three edits whose every part leads towards the gold, the most promising first. */
  #levels(guided: readonly Candidate[]): Candidate[][] {
    const of = (count: number) => guided.filter(({ changes }) => changes.length === count);
    const singles = of(1).slice(0, MOST_COMBINED);
    const pairs = [...of(2), ...this.#joined(singles, singles)].sort(byPromise);
    const triples = [...of(3), ...this.#joined(pairs.slice(0, MOST_PAIRS), singles)].sort(byPromise);
    return [of(1), pairs, triples];
  }

  /** Pairs that lead nearer to the gold than either part. */
  #joined(ones: readonly Candidate[], others: readonly Candidate[]): Candidate[] {
    const found: Candidate[] = [];
    const seen = new Set<string>();
    for (const one of ones)
      for (const other of others) {
        const joined = this.#join(one, other);
        if (joined === null || joined.gain <= Math.max(one.gain, other.gain)) continue;
        const key = keyOf(joined);
        if (!seen.has(key)) found.push(joined);
        seen.add(key);
      }
    return found;
  }

  #join(one: Candidate, other: Candidate): Candidate | null {
    const changes = [...one.changes, ...other.changes];
    if (changes.length > MOST_EDITS || !areApart(changes)) return null;
    return this.#candidate([one, other]);
  }

  /** Whether the rows of a candidate can be the gold's: as many columns, and not the prediction's rows in another order. */
  #fits({ changes }: Candidate): boolean {
    if (this.#task.isIdle(changes)) return false;
    return this.#task.widths.every((width, arm) => {
      if (width === null) return true;
      const by = changes.reduce((sum, change) => sum + (change.width?.arm === arm ? change.width.by : 0), 0);
      return width + by === this.#task.gold.columns.length;
    });
  }

  async #tryAll(candidates: readonly Candidate[]): Promise<void> {
    const parallel = this.#budget.parallel ?? 2;
    for (let at = 0; at < candidates.length && !this.#isOver; at += parallel) {
      if (this.#isSpent()) {
        this.#ended = true;
        return;
      }
      const batch = candidates.slice(at, at + parallel).map((candidate) => ({ candidate, run: this.#run(candidate) }));
      for (const { candidate, run } of batch) {
        const ran = await run;
        if (ran !== null && this.#match === null) await this.#judge(candidate, ran.sql, ran.result);
      }
    }
  }

  async #run(candidate: Candidate): Promise<{ sql: string; result: QueryResult } | null> {
    const sql = replay(this.#task.sql, editsOf(this.#task.sql, candidate.changes));
    if (this.#seen.has(sql)) return null;
    this.#seen.add(sql);
    this.#queries++;
    const result = await this.#parts.run(sql, false);
    // On a busy machine a short limit must not turn away what is made of the gold's own things.
    if (result.status !== 'timeout' || !this.#isExact(candidate)) return { sql, result };
    return { sql, result: await this.#parts.run(sql, true) };
  }

  /** Made of the same things as the gold. */
  #isExact({ gain }: Candidate): boolean {
    return gain > 0 && gain === this.#task.guide.distance;
  }

  async #judge(candidate: Candidate, sql: string, result: QueryResult): Promise<void> {
    const judgement = await this.#weigh(candidate, sql, result);
    if (judgement === 'sure') this.#match = { changes: candidate.changes, sure: true };
    if (judgement === 'different') {
      const distance = this.#distance.of(result);
      if (Number.isFinite(distance)) this.#reached.push({ candidate, distance });
    }
    if (judgement !== 'lucky' || this.#lucky !== null) return;
    this.#lucky = { changes: candidate.changes, sure: false };
    const after = candidate.gain > 0 ? AFTER_LUCK.guided : AFTER_LUCK.other;
    this.#limit = Math.min(this.#limit, this.#queries + after);
  }

  /** Whether a result is the gold's, and whether that may be luck. */
  async #weigh(candidate: Candidate, sql: string, result: QueryResult): Promise<'different' | 'lucky' | 'sure'> {
    const { gold, ordered } = this.#task;
    const { gain } = candidate;
    const isEqual = result.status === 'ok' && !result.truncated && compareStrictly(gold, result, ordered) === null;
    if (!isEqual) return 'different';
    if (this.#isExact(candidate)) return 'sure';
    const isThin = gold.rows.length * gold.columns.length <= MOST_THIN;
    if (gain > 0 && !isThin) return 'sure';
    const onCopies = (await this.#parts.verify?.(sql)) ?? 'unknown';
    if (onCopies === 'unknown') return gain > 0 && gold.rows.length > 0 ? 'sure' : 'lucky';
    return onCopies === 'agrees' ? 'sure' : 'lucky';
  }

  /** A part of a match that does as well is the better one: what was cut off the lists of candidates is tried here. */
  async #shrink({ changes }: Match): Promise<void> {
    for (const part of partsOf(changes)) {
      const candidate = this.#candidate([{ changes: part, prior: 0 }]);
      if (candidate.gain <= 0 || this.#isSpent()) continue;
      const ran = await this.#run(candidate);
      if (ran === null || (await this.#weigh(candidate, ran.sql, ran.result)) !== 'sure') continue;
      this.#match = { changes: part, sure: true };
      return;
    }
  }

  /** Goes on from the results that came nearest to the gold's rows. */
  async #climb(moves: readonly Candidate[]): Promise<void> {
    const base = this.#task.pred === null ? Number.POSITIVE_INFINITY : this.#distance.of(this.#task.pred);
    for (let count = 1; count < MOST_EDITS; count++) {
      const best = this.#reached
        .filter(({ candidate, distance }) => candidate.changes.length <= count && distance < base)
        .sort((one, other) => one.distance - other.distance)
        .slice(0, BEAM);
      const ways = best.map(({ candidate }) =>
        moves.flatMap((move) => {
          const joined = this.#join(candidate, move);
          return joined !== null && this.#fits(joined) ? [joined] : [];
        }),
      );
      await this.#tryAll(interleaved(ways));
      if (this.#isOver) return;
    }
  }
}

/** The proper parts of two or three changes, the smallest first. */
function partsOf(changes: readonly Change[]): Change[][] {
  if (changes.length < 2) return [];
  const ones = changes.map((change) => [change]);
  return changes.length < 3 ? ones : [...ones, ...changes.map((left) => changes.filter((change) => change !== left))];
}

function keyOf({ changes }: Candidate): string {
  return changes
    .map(({ range, after }) => `${range.offset} ${range.length} ${after}`)
    .sort()
    .join('\0');
}

function byPromise(one: Candidate, other: Candidate): number {
  return other.gain - one.gain || one.prior - other.prior || one.size - other.size;
}

function byPrior(one: Candidate, other: Candidate): number {
  return one.prior - other.prior || other.gain - one.gain || one.size - other.size;
}

/** The first of each list, then the second of each … */
function interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
