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

interface Tables {
  /** `WITH …` that defines `gold_keys` and `pred_keys`. */
  readonly definitions: string;
  readonly columns: string;
}

function tablesOf(gold: string, pred: string, width: number): Tables {
  const columns = Array.from({ length: width }, (_, index) => `key_${index + 1}`).join(', ');
  const define = (name: string, sql: string) => `${name}(${columns}) AS MATERIALIZED (SELECT * FROM (${sql}))`;
  return { definitions: `WITH ${define('gold_keys', gold)}, ${define('pred_keys', pred)}`, columns };
}

/** The two sides of a comparison as tables; null where one of them has no keys. */
function comparedTables(gold: StagePlan, pred: StagePlan, pairing: readonly KeyPair[]): Tables | null {
  const goldKeys = keysSql(gold, pairing, 'gold');
  const predKeys = keysSql(pred, pairing, 'pred');
  const width = pairing.reduce((sum, pair) => sum + pair.gold.expressions.length, 0);
  const isEven = pairing.every((pair) => pair.gold.expressions.length === pair.pred.expressions.length);
  return goldKeys === null || predKeys === null || !isEven ? null : tablesOf(goldKeys, predKeys, width);
}

const except = (one: string, other: string) =>
  `(SELECT count(*) FROM (SELECT * FROM ${one} EXCEPT SELECT * FROM ${other}))`;

function countsSql({ definitions, columns }: Tables): string {
  const counted = (name: string) => `SELECT ${columns}, count(*) FROM ${name} GROUP BY ${columns}`;
  return `${definitions} SELECT ${except('gold_keys', 'pred_keys')}, ${except('pred_keys', 'gold_keys')},
    (SELECT count(*) FROM gold_keys), (SELECT count(*) FROM pred_keys),
    (SELECT count(*) FROM (${counted('gold_keys')} EXCEPT ${counted('pred_keys')}))`;
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
    const tables = comparedTables(gold, pred, pairing);
    const row = tables === null ? undefined : (await session.rows(countsSql(tables), 1))?.[0];
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
  const tables = comparedTables(gold, pred, pairing);
  if (tables === null) return [];
  const [one, other] = side === 'missing' ? ['gold_keys', 'pred_keys'] : ['pred_keys', 'gold_keys'];
  const sql = `${tables.definitions} SELECT * FROM (SELECT * FROM ${one} EXCEPT SELECT * FROM ${other}) LIMIT ${limit}`;
  return (await session.rows(sql, limit)) ?? [];
}
