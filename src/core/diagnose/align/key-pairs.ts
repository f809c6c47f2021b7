import { foldName } from '../../sql/tokens.ts';
import type { KeyPlan } from '../trace/plan.ts';

/** The keys of one table in both queries. */
export interface KeyPair {
  readonly gold: KeyPlan;
  readonly pred: KeyPlan;
}

/** So many ways of pairing the aliases of self-joins are tried. */
const MOST_PAIRINGS = 8;

/**
 * What makes the rows of two FROM items comparable: the same table or view, else, of subqueries, the same column names.
 * null where its rows have no key.
 */
function tableIdentity(key: KeyPlan): string | null {
  if (key.expressions.length === 0 || key.kind === 'group') return null;
  if (key.table !== null) return `table ${foldName(key.table)}`;
  return `columns ${key.columns.map(foldName).join(' ')}`;
}

/** The identities of the FROM items of a stage, sorted; an item without key stands by its alias. */
function tableSet(keys: readonly KeyPlan[]): string[] {
  return keys.map((key) => tableIdentity(key) ?? `alias ${foldName(key.alias)}`).sort();
}

/** Whether two stages hold the same tables, each the same number of times; their order does not count. */
export function haveSameTables(gold: readonly KeyPlan[], pred: readonly KeyPlan[]): boolean {
  const [one, other] = [tableSet(gold), tableSet(pred)];
  return one.length === other.length && one.every((table, index) => table === other[index]);
}

/** The keys of one stage for which the other has no partner: a table that it lacks, or has less often. */
export function unpaired(own: readonly KeyPlan[], others: readonly KeyPlan[]): KeyPlan[] {
  const left = tableSet(others);
  return own.filter((key) => {
    const at = left.indexOf(tableIdentity(key) ?? `alias ${foldName(key.alias)}`);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/**
 * The ways in which the aliases of two stages can stand for the same tables; several only where a table stands more than
 * once. Tables of one side alone are left out. Empty where they share none.
 */
export function keyPairings(gold: readonly KeyPlan[], pred: readonly KeyPlan[]): KeyPair[][] {
  let pairings: KeyPair[][] = [[]];
  for (const identity of new Set(gold.map(tableIdentity))) {
    if (identity === null) continue;
    const goldKeys = gold.filter((key) => tableIdentity(key) === identity);
    const predKeys = pred.filter((key) => tableIdentity(key) === identity);
    const ways = waysToPair(goldKeys, predKeys);
    pairings = pairings.flatMap((pairing) => ways.map((way) => [...pairing, ...way])).slice(0, MOST_PAIRINGS);
  }
  return pairings.filter((pairing) => pairing.length > 0);
}

/** All ways to give each key of the shorter list a partner in the other. */
function waysToPair(gold: readonly KeyPlan[], pred: readonly KeyPlan[]): KeyPair[][] {
  const [first, ...rest] = gold;
  if (first === undefined || pred.length === 0) return [[]];
  const ways = pred.flatMap((partner, index) =>
    waysToPair(rest, pred.toSpliced(index, 1)).map((way) => [{ gold: first, pred: partner }, ...way]),
  );
  return gold.length > pred.length ? [...ways, ...waysToPair(rest, pred)] : ways;
}
