import type { Answer, Comparison, Flip } from '../../protocol/compare.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { EvalLine, Outcome } from '../../protocol/ledger.ts';
import type { BinaryMetric } from '../../protocol/score.ts';
import { metricNotScored } from './compare-errors.ts';

/** A finished run: its line of the ledger and what came of its items. */
export interface FinishedRun {
  line: EvalLine;
  records: readonly ItemRecord[];
}

/** An item in both runs, judged in both. */
export interface ComparedItem {
  a: ItemRecord;
  b: ItemRecord;
  rightInA: boolean;
  rightInB: boolean;
}

/** The items of two runs, sorted by whether they can be compared. */
export interface MatchedItems {
  compared: ComparedItem[];
  left: Omit<Comparison['items'], 'compared'>;
  /** Compared items whose question or evidence is worded otherwise. */
  reworded: number;
}

/** Pairs the items of two runs: the same id, database and gold. @throws AppError where a run was not scored by `metric` */
export function matchItems(a: FinishedRun, b: FinishedRun, metric: BinaryMetric): MatchedItems {
  const ofB = new Map(b.records.map((record) => [record.id, record]));
  const ofA = new Map(a.records.map((record) => [record.id, record]));
  const left: MatchedItems['left'] = { gold_failed: [], only_a: [], only_b: [], other_gold: [] };
  const compared: ComparedItem[] = [];
  for (const [id, record] of ofA) {
    const other = ofB.get(id);
    if (other === undefined) left.only_a.push(id);
    else if (!isSameItem(record, other)) left.other_gold.push(id);
    else {
      const rightInA = isRight(a, record, metric);
      const rightInB = isRight(b, other, metric);
      if (rightInA === null || rightInB === null) left.gold_failed.push(id);
      else compared.push({ a: record, b: other, rightInA, rightInB });
    }
  }
  for (const id of ofB.keys()) if (!ofA.has(id)) left.only_b.push(id);
  return { compared, left, reworded: compared.filter(isReworded).length };
}

function isSameItem(a: ItemRecord, b: ItemRecord): boolean {
  return a.db_id === b.db_id && a.gold === b.gold;
}

function isReworded({ a, b }: ComparedItem): boolean {
  return a.question !== b.question || a.evidence !== b.evidence;
}

/** Whether a record is right under a metric; null where its gold fails. */
function isRight({ line }: FinishedRun, { outcome, verdict }: ItemRecord, metric: BinaryMetric): boolean | null {
  if (outcome === 'gold_failed') return null;
  const right = verdict[metric];
  if (right === undefined) throw metricNotScored(line.run_id, metric, line.config.score.metrics);
  return right;
}

/** The record of an item that flipped. */
export function flipOf({ a, b, rightInA, rightInB }: ComparedItem): Flip {
  const { id, db_id, difficulty, question, gold } = b;
  return { id, db_id, difficulty, question, gold, a: answerOf(a, rightInA), b: answerOf(b, rightInB) };
}

function answerOf({ sql, outcome, verdict }: ItemRecord, right: boolean): Answer {
  return { sql, outcome: outcomeUnder(outcome, right), reason: verdict.reason };
}

/** The outcome under the metric of the comparison, which may be another than the run's. */
function outcomeUnder(outcome: Outcome, right: boolean): Outcome {
  if (right) return 'right';
  return outcome === 'right' ? 'wrong_rows' : outcome;
}
