import { officialEx } from '../../core/score/official-ex.ts';
import type { Rows } from '../../core/score/rows.ts';
import { softF1 } from '../../core/score/soft-f1.ts';
import { isSpiderOrdered, spiderEx } from '../../core/score/spider-ex.ts';
import { compareStrictly } from '../../core/score/strict-ex.ts';
import type { Reason, ScoreSettings, Verdict } from '../../protocol/score.ts';
import { hasSecondSemicolon, isEmptySql } from './python-sqlite.ts';
import type { Ran } from './run-query.ts';

/** A statement and what it came to. */
export interface Side {
  sql: string;
  ran: Ran;
}

/** Gold and prediction, run under the same conditions. */
export interface Sides {
  gold: Side;
  pred: Side;
}

/** All that a verdict without `r_ves` is made of. */
export interface Evidence {
  /** As written. */
  written: Sides;
  /** As written, rows that repeat an earlier one left out; given where a result of `written` was cut. */
  distinct: Sides;
  /** As Spider's script would run them. */
  spider: Sides;
  /** Whether the order of rows counts for `strict_ex`. */
  ordered: boolean;
}

/** A verdict without the name of its pair. */
export type Judgement = Omit<Verdict, 'id'>;

/** What a metric says, and why where that is not seen in the rows. */
interface Official {
  equal: boolean | null;
  /** Rows of both as Python has them; null where it does not come to comparing. */
  rows: { gold: Rows; pred: Rows } | null;
  message: string | null;
}

const UNREADABLE = 'holds text that is not UTF-8, on which the official script fails';
const TWO_STATEMENTS = 'ends with a second semicolon, on which the official script fails';

/** The rows that Python's sqlite3 has of a statement; null where it raises. */
function pythonRows({ sql, ran }: Side): Rows | null {
  if (ran.status === 'ok') return ran.rows;
  return ran.code === 'empty' && isEmptySql(sql) ? [] : null;
}

/** Why Python's sqlite3 raises on a statement that runs here; null where it does not. */
function refusalOf({ sql, ran }: Side): string | null {
  if (ran.unreadable) return UNREADABLE;
  return hasSecondSemicolon(sql) ? TWO_STATEMENTS : null;
}

/** `official_ex`, and the rows for what is measured the same way. */
function official({ written, distinct }: Evidence, timeoutMs: number): Official {
  const nothing = (equal: boolean | null, message: string | null): Official => ({ equal, rows: null, message });
  if (written.gold.ran.status !== 'ok') return nothing(null, null);
  const goldRefusal = refusalOf(distinct.gold);
  if (goldRefusal !== null) return nothing(null, `The gold ${goldRefusal}.`);
  const pred = pythonRows(written.pred);
  if (pred === null) return nothing(false, null);
  const refusal = refusalOf(distinct.pred);
  if (refusal !== null) return nothing(false, `The prediction ${refusal}.`);
  // Of what was cut, the second run is the one that went to the end.
  if (distinct.gold.ran.ms + distinct.pred.ran.ms > timeoutMs)
    return nothing(false, `Gold and prediction together took longer than ${timeoutMs} ms.`);
  if (pred.length === 0) return { ...compared(written.gold.ran.rows, []), message: null };
  return officialOfDistinct(distinct.gold.ran, distinct.pred.ran);
}

function compared(gold: Rows, pred: Rows): Pick<Official, 'equal' | 'rows'> {
  return { equal: officialEx(gold, pred), rows: { gold, pred } };
}

/** Results of which one could be held and the other could not are of different size. */
function officialOfDistinct(gold: Ran, pred: Ran): Official {
  const isHeld = ({ status, truncated }: Ran) => status === 'ok' && !truncated;
  if (isHeld(gold) && isHeld(pred)) return { ...compared(gold.rows, pred.rows), message: null };
  const message = tooLarge(isHeld(gold) ? 'prediction' : 'gold');
  return { equal: isHeld(gold) || isHeld(pred) ? false : null, rows: null, message };
}

function tooLarge(what: string): string {
  return `The result of the ${what} is larger than can be compared (1,000,000 rows or 128 MiB).`;
}

function spider({ gold, pred }: Sides): boolean | null {
  if (gold.ran.status !== 'ok') return null;
  const rows = pythonRows(pred);
  if (rows === null) return false;
  if (gold.ran.truncated && pred.ran.truncated) return null;
  if (gold.ran.truncated || pred.ran.truncated) return false;
  return spiderEx(gold.ran.rows, rows, isSpiderOrdered(gold.sql));
}

const FAILURES: Partial<Record<Ran['status'], Reason>> = { timeout: 'timeout', rejected: 'rejected' };

/** Why `strict_ex` does not pass; null where it does. `gold_failed`: nothing can be said. */
function strictReason({ gold, pred }: Sides, ordered: boolean): Reason | null {
  if (gold.ran.status !== 'ok') return 'gold_failed';
  if (pred.ran.code === 'empty') return 'pred_failed';
  if (pred.ran.status !== 'ok') return FAILURES[pred.ran.status] ?? 'pred_failed';
  if (gold.ran.truncated) return pred.ran.truncated ? 'gold_failed' : reasonOfLargeGold(gold.ran, pred.ran);
  if (pred.ran.truncated) return 'truncated';
  return compareStrictly(gold.ran, pred.ran, ordered);
}

/** A gold that could not be held has more than a prediction that could: more rows, or larger ones. */
function reasonOfLargeGold(gold: Ran, pred: Ran): Reason {
  if (gold.columns.length !== pred.columns.length) return 'column_count';
  return gold.rows.length >= pred.rows.length ? 'row_count' : 'row_values';
}

function soft({ equal, rows }: Official): number | null {
  if (rows === null) return equal === null ? null : 0;
  return softF1(rows.gold, rows.pred);
}

/** What the metrics say of two statements that were run. Pure: the same evidence gives the same verdict. */
export function judge(evidence: Evidence, settings: ScoreSettings): Judgement {
  const { gold, pred } = evidence.written;
  const asked = new Set(settings.metrics);
  const byOfficial = official(evidence, settings.timeoutMs);
  const reason = strictReason(evidence.written, evidence.ordered);
  const message = gold.ran.message ?? pred.ran.message ?? byOfficial.message ?? largeMessage(evidence.written);
  return {
    ...(asked.has('official_ex') ? { official_ex: byOfficial.equal } : {}),
    ...(asked.has('strict_ex') ? { strict_ex: reason === 'gold_failed' ? null : reason === null } : {}),
    ...(asked.has('spider_ex') ? { spider_ex: spider(evidence.spider) } : {}),
    ...(asked.has('soft_f1') ? { soft_f1: soft(byOfficial) } : {}),
    reason,
    gold_status: gold.ran.status,
    pred_status: pred.ran.status,
    ...(message === null ? {} : { message }),
    ms: Math.round((gold.ran.ms + pred.ran.ms) * 1000) / 1000,
  };
}

function largeMessage({ gold, pred }: Sides): string | null {
  if (gold.ran.truncated) return tooLarge('gold');
  return pred.ran.truncated ? tooLarge('prediction') : null;
}
