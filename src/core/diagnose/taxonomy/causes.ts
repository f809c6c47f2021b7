import type { Table } from '../../score/rows.ts';
import { compareStrictly } from '../../score/strict-ex.ts';
import type { Session } from '../divergence/session.ts';
import { type Assembly, type AssemblyContext, assemblySql } from './assembly.ts';
import type { Difference } from './differences.ts';

/** Differences that make the results differ. */
export interface Causes {
  readonly differences: readonly Difference[];
  /** Each of them alone makes the results equal. */
  readonly alone: boolean;
  /** Shown by running queries: putting them right gives the gold's rows. */
  readonly proved: boolean;
}

/** Runs the prediction with some differences put right. */
export interface Trial {
  readonly session: Session;
  readonly context: AssemblyContext;
  readonly base: Assembly;
  readonly gold: Table;
  readonly ordered: boolean;
}

/** Queries that the search for causes may take. */
const MOST_TRIALS = 24;

/**
 * Which differences count, found by trying: first each alone; else all together, and then without one after the other, so
 * that those are left without which the rows are not the gold's. A difference that changes nothing is no cause.
 */
export async function causesOf(trial: Trial, differences: readonly Difference[]): Promise<Causes> {
  let trials = 0;
  const known = new Map<string, boolean>();
  const works = async (chosen: readonly Difference[]): Promise<boolean> => {
    const assembly = chosen.reduce((built, difference) => difference.apply(built), trial.base);
    const sql = assemblySql(assembly, trial.context);
    if (sql === null) return false;
    const earlier = known.get(sql);
    if (earlier !== undefined) return earlier;
    if (trials >= MOST_TRIALS) return false;
    trials++;
    const equal = await givesGold(trial, sql);
    known.set(sql, equal);
    return equal;
  };
  const single: Difference[] = [];
  for (const difference of differences.slice(0, MOST_TRIALS / 2))
    if (await works([difference])) single.push(difference);
  if (single.length > 0) return { differences: single, alone: true, proved: true };
  if (differences.length < 2 || !(await works(differences))) return { differences, alone: false, proved: false };
  let needed = [...differences];
  for (const difference of differences.toReversed()) {
    const without = needed.filter((one) => one !== difference);
    if (without.length > 0 && (await works(without))) needed = without;
  }
  return { differences: needed, alone: false, proved: true };
}

async function givesGold({ session, gold, ordered }: Trial, sql: string): Promise<boolean> {
  const { db, timeoutMs } = session;
  const result = await session.query({ db, sql, timeoutMs, maxRows: Math.max(1_000, gold.rows.length + 1) });
  return result.status === 'ok' && !result.truncated && compareStrictly(gold, result, ordered) === null;
}
