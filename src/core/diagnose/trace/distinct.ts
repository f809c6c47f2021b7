import { joined } from './block.ts';
import { tailOf } from './clauses.ts';
import { isStable, keyValueSql } from './keys.ts';
import type { KeyPlan, StagePlan } from './plan.ts';

/** Distinct keys of the rows of one stage. */
export interface DistinctCounts {
  /** By alias; null where not counted. */
  readonly keys: Readonly<Record<string, number | null>>;
  /** Of a JOIN: distinct combinations of the keys that were there before it; null where not counted. */
  readonly before: number | null;
}

/** Names of the keys of a stage; an alias that stands twice gets a number. */
export function keyNames(keys: readonly KeyPlan[]): string[] {
  const taken = new Set<string>();
  return keys.map(({ alias }) => {
    let name = alias === '' ? '(subquery)' : alias;
    for (let count = 2; taken.has(name); count++) name = `${alias}#${count}`;
    taken.add(name);
    return name;
  });
}

/**
 * A query that gives one row: the distinct keys of each alias that has any, then, for a JOIN, the distinct combinations
 * of the keys before it. null where no alias has a key.
 * @param before how many of the stage's keys were there before the join
 */
export function distinctSql({ keys, parts }: StagePlan, before: number): string | null {
  const values = keys.map(keyValueSql);
  if (parts === null || values.every((value) => value === null)) return null;
  const counts = values.map((value) => (value === null ? 'NULL' : `count(DISTINCT ${value})`));
  const earlier = values.slice(0, before);
  const isSure = before > 0 && keys.slice(0, before).every(isStable);
  const combined = earlier.length === 1 ? (earlier[0] ?? 'NULL') : earlier.map(combinable).join(` || ',' || `);
  const combination = isSure ? `count(DISTINCT ${combined})` : 'NULL';
  return joined([
    `${parts.with}SELECT json_array(${[...counts, combination].join(', ')})`,
    tailOf({ ...parts, orderBy: '' }),
  ]);
}

function combinable(value: string | null): string {
  return `quote(${value ?? 'NULL'})`;
}

/** The distinct keys of a stage as its query told them. */
export function readDistinct(stage: StagePlan, text: string): DistinctCounts {
  const numbers: (number | null)[] = JSON.parse(text);
  const names = keyNames(stage.keys);
  const keys = Object.fromEntries(names.map((name, index) => [name, numbers[index] ?? null]));
  return { keys, before: numbers.at(-1) ?? null };
}

/** Where a single FROM item is all there is, each of its rows stands at most once: nothing needs to be counted. */
export function knownDistinct(stage: StagePlan, rowCount: number | null): DistinctCounts | null {
  const [key, second] = stage.keys;
  if (key === undefined) return { keys: {}, before: null };
  if (second !== undefined || !isStable(key) || rowCount === null) return null;
  return { keys: { [keyNames([key])[0] ?? '']: rowCount }, before: null };
}
