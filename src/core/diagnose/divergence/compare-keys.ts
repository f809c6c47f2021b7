import type { Cell } from '../../../protocol/value.ts';
import type { KeyPair } from '../align/key-pairs.ts';
import type { StagePlan } from '../trace/plan.ts';
import { stageKeysSql } from '../trace/stage-sql.ts';
import type { Session } from './session.ts';

/** How the rows of two stages differ, by the keys of the tables that both hold. */
export interface KeyComparison {
  readonly pairing: readonly KeyPair[];
  /** Different keys of the gold that the prediction has not, and the other way round. */
  readonly missing: number;
  readonly extra: number;
  readonly goldRows: number;
  readonly predRows: number;
  /** Keys that stand more or less often in one than in the other. */
  readonly recounted: number;
}

/** A query of the keys of one stage in the order of a pairing. */
function keysSql(stage: StagePlan, pairing: readonly KeyPair[], side: 'gold' | 'pred'): string | null {
  return stageKeysSql({ ...stage, keys: pairing.map((pair) => pair[side]), level: 'rows' }, null);
}

/** The rows of two stages beside each other. */
interface Beside {
  /** A query that gives each key once, with how often it stands in `gold_rows` and in `pred_rows`. */
  readonly sql: string;
  readonly columns: string;
}

/** null where one of the sides has no keys. */
function besideEachOther(gold: StagePlan, pred: StagePlan, pairing: readonly KeyPair[]): Beside | null {
  const goldKeys = keysSql(gold, pairing, 'gold');
  const predKeys = keysSql(pred, pairing, 'pred');
  const isEven = pairing.every((pair) => pair.gold.expressions.length === pair.pred.expressions.length);
  if (goldKeys === null || predKeys === null || !isEven) return null;
  const width = pairing.reduce((sum, pair) => sum + pair.gold.expressions.length, 0);
  const columns = Array.from({ length: width }, (_, index) => `key_${index + 1}`).join(', ');
  const define = (name: string, sql: string) => `${name}(${columns}) AS (SELECT * FROM (${sql}))`;
  const both = `SELECT ${columns}, 1 AS gold_row, 0 AS pred_row FROM gold_keys UNION ALL SELECT ${columns}, 0, 1 FROM pred_keys`;
  return {
    columns,
    sql: `WITH ${define('gold_keys', goldKeys)}, ${define('pred_keys', predKeys)}
      SELECT ${columns}, sum(gold_row) AS gold_rows, sum(pred_row) AS pred_rows FROM (${both}) GROUP BY ${columns}`,
  };
}

function countsSql({ sql }: Beside): string {
  return `SELECT coalesce(sum(pred_rows = 0), 0), coalesce(sum(gold_rows = 0), 0), coalesce(sum(gold_rows), 0),
    coalesce(sum(pred_rows), 0), coalesce(sum(gold_rows <> pred_rows AND gold_rows > 0 AND pred_rows > 0), 0) FROM (${sql})`;
}

/**
 * Compares the rows of two stages of level `rows` by the keys of the tables that they share. Of several pairings (a table
 * that stands more than once) the one with the fewest differences counts. null where the keys cannot be compared.
 */
export async function compareKeys(
  session: Session,
  gold: StagePlan,
  pred: StagePlan,
  pairings: readonly (readonly KeyPair[])[],
): Promise<KeyComparison | null> {
  let best: KeyComparison | null = null;
  for (const pairing of pairings) {
    const beside = besideEachOther(gold, pred, pairing);
    const row = beside === null ? undefined : (await session.rows(countsSql(beside), 1))?.[0];
    if (row === undefined) continue;
    const [missing = 0, extra = 0, goldRows = 0, predRows = 0, recounted = 0] = row.map(Number);
    const comparison: KeyComparison = { pairing, missing, extra, goldRows, predRows, recounted };
    if (best === null || differences(comparison) < differences(best)) best = comparison;
    if (differences(best) === 0) break;
  }
  return best;
}

function differences({ missing, extra, recounted }: KeyComparison): number {
  return missing + extra + recounted;
}

/** Whether both sides hold the same keys, however often. */
export function sameKeySets({ missing, extra }: KeyComparison): boolean {
  return missing === 0 && extra === 0;
}

/** Whether both sides hold the same keys, each as often. */
export function sameKeys(comparison: KeyComparison): boolean {
  return sameKeySets(comparison) && comparison.recounted === 0 && comparison.goldRows === comparison.predRows;
}

/** Keys that one side alone has, at most `limit`: a row each, with the cells of the pairs in order. */
export async function keysOfOneSide(
  session: Session,
  gold: StagePlan,
  pred: StagePlan,
  pairing: readonly KeyPair[],
  side: 'missing' | 'extra',
  limit: number,
): Promise<Cell[][]> {
  const beside = besideEachOther(gold, pred, pairing);
  if (beside === null) return [];
  const condition = side === 'missing' ? 'pred_rows = 0' : 'gold_rows = 0';
  const sql = `SELECT ${beside.columns} FROM (${beside.sql}) WHERE ${condition} LIMIT ${limit}`;
  return (await session.rows(sql, limit)) ?? [];
}
