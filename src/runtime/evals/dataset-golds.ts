import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import type { Item } from '../../protocol/dataset.ts';
import { AppError } from '../../protocol/errors.ts';
import type { QueryResult } from '../../protocol/query.ts';

/** A gold query that gives no result to compare with. */
export interface FailedGold {
  id: string;
  db_id: string;
  line: number;
  status: QueryResult['status'];
  code: string;
  message: string;
}

/** What came of the golds that were run. */
export interface GoldReport {
  run: number;
  /** Golds whose database is not there: not run. */
  skipped: number;
  failed: FailedGold[];
  /** Ids of the golds that return no rows. */
  empty: string[];
}

export interface GoldOptions {
  pathsOf(item: Item): string[];
  /** Limit of one query in milliseconds. */
  timeoutMs: number;
  /** Queries on their way at a time. */
  concurrency: number;
  /** Told after each gold. */
  onProgress(done: number, total: number): void;
}

/** Results of golds are counted, not kept; larger ones are cut here. */
const LIMITS = { maxRows: 1_000_000, maxBytes: 256 * 2 ** 20 };

/**
 * Runs the gold of every item on its main database.
 * @throws AppError `cancelled` when `signal` aborts
 */
export async function runGolds(
  sandbox: Sandbox,
  items: readonly Item[],
  options: GoldOptions,
  signal: CancelSignal,
): Promise<GoldReport> {
  const outcomes: (FailedGold | 'empty' | 'rows' | 'skipped')[] = [];
  const queue = items.entries();
  let done = 0;
  const work = async () => {
    for (const [index, item] of queue) {
      if (signal.aborted) return;
      const [db] = options.pathsOf(item);
      outcomes[index] = db === undefined ? 'skipped' : await runGold(sandbox, item, { db, ...options }, signal);
      options.onProgress(++done, items.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  if (signal.aborted) throw new AppError('cancelled', 'The check was cancelled.', { done, total: items.length });
  return {
    run: outcomes.filter((outcome) => outcome !== 'skipped').length,
    skipped: outcomes.filter((outcome) => outcome === 'skipped').length,
    failed: outcomes.filter((outcome) => typeof outcome === 'object'),
    empty: items.filter((_, index) => outcomes[index] === 'empty').map(({ id }) => id),
  };
}

async function runGold(
  sandbox: Sandbox,
  { id, db_id, line, gold }: Item,
  { db, timeoutMs }: { db: string; timeoutMs: number },
  signal: CancelSignal,
): Promise<FailedGold | 'empty' | 'rows'> {
  const failed = (status: QueryResult['status'], code: string, message: string): FailedGold => ({
    id,
    db_id,
    line,
    status,
    code,
    message,
  });
  try {
    const result = await sandbox.query({ db, sql: gold, timeoutMs, ...LIMITS }, signal);
    if (result.status !== 'ok') return failed(result.status, result.code ?? '', result.message ?? '');
    return result.rows.length === 0 ? 'empty' : 'rows';
  } catch (error) {
    if (error instanceof AppError) return failed('error', error.code, error.message);
    throw error;
  }
}
