import type { Item, Split } from '../../protocol/dataset.ts';
import { Random } from '../score/statistics/random.ts';
import {
  morePartsThanDatabases,
  partName,
  partShare,
  partTwice,
  sealedPartUnknown,
  sharesAboveOne,
} from './split-errors.ts';
import { divide } from './split-fill.ts';

/** A split as it is asked for: `share` of the dataset's items, above 0 and at most 1. */
export interface Part {
  name: string;
  share: number;
}

export interface SplitPlan {
  parts: readonly Part[];
  seed: number;
  /** Names of the parts that are sealed. */
  sealed: readonly string[];
}

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export type Sha256 = (text: string) => string;

/** What of an item a split is made by. */
export type SplitItem = Pick<Item, 'id' | 'db_id' | 'database'>;

/** The database that an item belongs to, as splits name it: a suite's path, else `db_id`. */
export function databaseOf(item: Pick<Item, 'db_id' | 'database'>): string {
  return item.database ?? item.db_id;
}

/** SHA-256 of ids, each ended by a line feed: the `hash` of a split and of a run's items. */
export function hashIds(ids: readonly string[], sha256: Sha256): string {
  return sha256(ids.map((id) => `${id}\n`).join(''));
}

/**
 * Divides a dataset into named splits of about the shares asked for; no database is in two of them. Databases go in a
 * seeded order into the split that lacks most, then move as long as that brings the sizes nearer to the shares; where
 * they stay far, other orders are tried. Shares below 1 in all leave items in no split. The same dataset and plan give
 * the same splits.
 * @throws AppError `split_name`, `split_name_twice`, `split_share`, `split_shares`, `split_seal_unknown`, `split_too_many`
 */
export function makeSplits(items: readonly SplitItem[], plan: SplitPlan, sha256: Sha256): Split[] {
  checkPlan(plan);
  const { parts, seed, sealed } = plan;
  const sizes = new Map<string, number>();
  for (const item of items) sizes.set(databaseOf(item), (sizes.get(databaseOf(item)) ?? 0) + 1);
  const databases = [...sizes.keys()].sort();
  if (parts.length > databases.length) throw morePartsThanDatabases(parts.length, databases.length);

  const shares = parts.map(({ share }) => share);
  const rest = Math.max(0, 1 - shares.reduce((sum, share) => sum + share, 0));
  const targets = [...shares, rest].map((share) => share * items.length);
  const bins = divide(
    databases.map((name) => sizes.get(name) ?? 0),
    { targets: rest > EXACT ? targets : targets.slice(0, -1), kept: parts.length },
    new Random(seed),
  );

  const partOf = new Map(databases.map((name, index) => [name, bins[index]]));
  return parts.map(({ name }, part) => {
    const ids = items.filter((item) => partOf.get(databaseOf(item)) === part).map(({ id }) => id);
    return {
      name,
      sealed: sealed.includes(name),
      databases: databases.filter((database) => partOf.get(database) === part),
      ids,
      hash: hashIds(ids, sha256),
    };
  });
}

/** Shares such as 0.7 + 0.2 + 0.1 add up to 1 but for this. */
const EXACT = 1e-9;

function checkPlan({ parts, sealed }: SplitPlan): void {
  const names = parts.map(({ name }) => name);
  for (const [index, { name, share }] of parts.entries()) {
    if (!/^[\w.-]+$/.test(name)) throw partName(name);
    if (names.indexOf(name) !== index) throw partTwice(name);
    if (!(share > 0 && share <= 1)) throw partShare(name, share);
  }
  const sum = parts.reduce((total, { share }) => total + share, 0);
  if (sum > 1 + EXACT) throw sharesAboveOne(sum);
  for (const name of sealed) if (!names.includes(name)) throw sealedPartUnknown(name, names);
}
