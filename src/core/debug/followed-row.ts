import type { Cell } from '../../protocol/value.ts';
import { tailOf } from '../diagnose/trace/clauses.ts';
import type { KeyPlan, StagePlan } from '../diagnose/trace/plan.ts';
import { keyCondition } from '../diagnose/trace/stage-sql.ts';

/** The key of a row in one of its tables. */
export interface FollowedKey {
  readonly alias: string;
  readonly columns: readonly string[];
  readonly cells: readonly Cell[];
}

/**
 * A query that gives a row where a followed row is still there after a stage: itself, or in one of the groups. Before all
 * its tables are joined it is there where its part of them is. null where rows lead back to no keys.
 */
export function isThereSql(stage: StagePlan, row: readonly FollowedKey[]): string | null {
  const { parts, level } = stage;
  if (parts === null || level === 'result') return null;
  const condition = conditionOf(level === 'groups' ? stage.rowKeys : stage.keys, row);
  if (condition === null) return null;
  if (level === 'groups')
    return `${parts.with}SELECT 1 FROM (SELECT max(${condition}) AS is_there ${tailOf(parts)}) WHERE is_there LIMIT 1`;
  if (parts.limit !== '')
    return `${parts.with}SELECT 1 FROM (SELECT ${condition} AS is_there ${tailOf(parts)}) WHERE is_there LIMIT 1`;
  const where = parts.where === null ? condition : `(${parts.where}) AND ${condition}`;
  return `${parts.with}SELECT 1 ${tailOf({ ...parts, where, orderBy: '' })} LIMIT 1`;
}

function conditionOf(keys: readonly KeyPlan[], row: readonly FollowedKey[]): string | null {
  const conditions: string[] = [];
  for (const { alias, cells } of row) {
    const key = keys.find((plan) => plan.alias === alias);
    if (key === undefined) continue;
    const condition = keyCondition(key, [cells]);
    if (condition === null) return null;
    conditions.push(`(${condition})`);
  }
  return conditions.length === 0 ? null : `(${conditions.join(' AND ')})`;
}
