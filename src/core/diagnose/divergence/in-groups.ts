import type { PlacedStage, PlacedStages } from '../align/clauses.ts';
import { type KeyPair, keyPairings } from '../align/key-pairs.ts';
import { joined } from '../trace/block.ts';
import { tailOf } from '../trace/clauses.ts';
import type { StagePlan } from '../trace/plan.ts';
import { type Divergence, plainDivergence } from './divergence.ts';
import type { Session } from './session.ts';

/** How the groups of two stages differ. */
interface GroupComparison {
  readonly missing: number;
  readonly extra: number;
}

/**
 * Compares the groups of two blocks that work on the same rows: first how the rows are grouped, then which groups HAVING
 * keeps.
 * @param exact each row stands equally often on both sides
 */
export async function divergenceInGroups(
  session: Session,
  gold: PlacedStages,
  pred: PlacedStages,
  exact: boolean,
): Promise<Divergence | null> {
  const shape = otherGrouping(gold, pred);
  if (shape !== null) return shape;
  if (gold.group === null || pred.group === null) return null;
  const grouped = await compareGroups(session, gold.group.stage, pred.group.stage, exact);
  if (grouped !== null && grouped.missing + grouped.extra > 0)
    return { ...plainDivergence('groups', 'GROUP BY', pred.group, gold.group), totals: grouped };
  if (gold.having === null && pred.having === null) return null;
  const goldLast = gold.having ?? gold.group;
  const predLast = pred.having ?? pred.group;
  const kept = await compareGroups(session, goldLast.stage, predLast.stage, exact);
  if (kept === null || kept.missing + kept.extra === 0) return null;
  return { ...plainDivergence('groups', 'HAVING', predLast, gold.having, pred.having === null), totals: kept };
}

/** One side makes groups, or one group of all rows, and the other does not. */
function otherGrouping(gold: PlacedStages, pred: PlacedStages): Divergence | null {
  const goldClause = gold.group?.stage.clause ?? null;
  const predClause = pred.group?.stage.clause ?? null;
  if (goldClause === predClause) return null;
  const at = pred.group ?? pred.where ?? pred.from.at(-1) ?? pred.select;
  if (at === null) return null;
  const clause = goldClause === 'GROUP BY' || predClause === 'GROUP BY' ? 'GROUP BY' : 'AGGREGATE';
  return plainDivergence('groups', clause, at, gold.group, predClause !== clause);
}

async function compareGroups(
  session: Session,
  gold: StagePlan,
  pred: StagePlan,
  exact: boolean,
): Promise<GroupComparison | null> {
  let best: GroupComparison | null = null;
  for (const pairing of keyPairings(gold.rowKeys, pred.rowKeys)) {
    const one = groupSignatures(gold, pairing, 'gold', exact);
    const other = groupSignatures(pred, pairing, 'pred', exact);
    if (one === null || other === null) continue;
    const sql = `WITH gold_groups AS MATERIALIZED (${wrapped(one)}), pred_groups AS MATERIALIZED (${wrapped(other)})
      SELECT (SELECT count(*) FROM (SELECT * FROM gold_groups EXCEPT SELECT * FROM pred_groups)),
        (SELECT count(*) FROM (SELECT * FROM pred_groups EXCEPT SELECT * FROM gold_groups))`;
    const row = (await session.rows(sql, 1))?.[0];
    if (row === undefined) continue;
    const [missing = 0, extra = 0] = row.map(Number);
    if (best === null || missing + extra < best.missing + best.extra) best = { missing, extra };
    if (best.missing + best.extra === 0) break;
  }
  return best;
}

const wrapped = (sql: string) => `SELECT * FROM (${sql})`;

/**
 * A query that gives, for each group, what tells which rows it is made of: of each shared table the smallest and the
 * largest key and how many; where keys are numbers their sum, too.
 * @param keys expressions that stand in front of it
 */
export function groupSignatures(
  stage: StagePlan,
  pairing: readonly KeyPair[],
  side: 'gold' | 'pred',
  exact: boolean,
  keys: readonly string[] = [],
): string | null {
  const { parts } = stage;
  if (parts === null) return null;
  const expressions = pairing.flatMap((pair) => pair[side].expressions);
  if (expressions.length === 0) return null;
  const marks = expressions.flatMap((key) => [
    `min(${key})`,
    `max(${key})`,
    `count(DISTINCT ${key})`,
    ...(exact ? [`total(${key})`] : []),
  ]);
  const items = [...keys, ...(exact ? ['count(*)'] : []), ...marks];
  return joined([`${parts.with}SELECT ${items.join(', ')}`, tailOf({ ...parts, orderBy: '', limit: '' })]);
}

/** Index of the stage behind which groups are complete. */
export function groupsStage({ group, having }: PlacedStages): PlacedStage | null {
  return having ?? group;
}
