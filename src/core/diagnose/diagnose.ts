import type { Catalog } from '../../protocol/catalog.ts';
import type { Diagnosis, Repair, SearchEffort } from '../../protocol/diagnosis.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { CancelSignal, Sandbox } from '../ports.ts';
import { Session } from './divergence/session.ts';
import { effortOf, judgePair } from './judge.ts';
import type { RepairBudget } from './repair/search.ts';
import { findingsOf } from './taxonomy/taxonomy.ts';

/** Looks for the smallest repair of a prediction that runs and gives other rows than its gold. */
export type FindRepair = (
  pair: { gold: string; pred: string; goldResult: QueryResult; predResult: QueryResult },
  budget: RepairBudget | undefined,
  signal: CancelSignal | undefined,
) => Promise<{ repair: Repair | null; effort: SearchEffort }>;

/** What a diagnosis works with. */
export interface DiagnosisParts {
  readonly sandbox: Sandbox;
  /** Absolute path of the database. */
  readonly db: string;
  readonly catalog: Catalog;
  /** null: no repair is looked for. */
  readonly findRepair: FindRepair | null;
}

export interface DiagnosisOptions {
  /** Limit of one query, in milliseconds. */
  readonly timeoutMs: number;
  /** What the search for a repair may take; default its own. */
  readonly budget?: RepairBudget | undefined;
  readonly signal?: CancelSignal | undefined;
  /** Called with what is known before a repair is looked for. */
  readonly onJudged?: ((diagnosis: Diagnosis) => void) | undefined;
}

/**
 * Why the rows of a prediction are not the gold's: verdict, first diverging stage, missing and extra rows, what kind of
 * error it is, the smallest edits that put it right.
 * @throws AppError where the file is no database; `cancelled` when `signal` aborts
 */
export async function diagnosePair(
  parts: DiagnosisParts,
  gold: string,
  pred: string,
  options: DiagnosisOptions,
): Promise<Diagnosis> {
  const session = new Session(parts.sandbox, parts.db, options);
  const { diagnosis, pair, divergence } = await judgePair(session, parts.catalog, gold, pred);
  if (pair === null) return diagnosis;
  const taxonomy = await findingsOf(pair, divergence);
  const own = effortOf(session);
  const judged = { ...diagnosis, taxonomy, effort: own };
  if (parts.findRepair === null) return judged;
  options.onJudged?.(judged);
  const results = { gold, pred, goldResult: pair.gold.result, predResult: pair.pred.result };
  const { repair, effort } = await parts.findRepair(results, options.budget, options.signal);
  const together = { queries: own.queries + effort.queries, ms: own.ms + effort.ms, exhausted: effort.exhausted };
  return { ...judged, repair, effort: together };
}
