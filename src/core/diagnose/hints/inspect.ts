import type { Catalog } from '../../../protocol/catalog.ts';
import type { Hint, Inspection } from '../../../protocol/diagnosis.ts';
import type { Sandbox } from '../../ports.ts';
import { parseQuery } from '../../sql/ast/parse-query.ts';
import { resolveQuery } from '../../sql/scope/resolve.ts';
import { Session, type SessionLimits } from '../divergence/session.ts';
import { planTrace } from '../trace/plan-query.ts';
import { runTrace } from '../trace/run.ts';
import { cartesianProducts } from './cartesian.ts';
import { deadConditions } from './conditions.ts';
import { countedStages, type HintContext } from './context.ts';
import { integerDivisions, textsWithNumbers } from './numbers.ts';
import { arbitraryRows, bareColumns, duplicatedRows, emptyClauses, multipliedAggregates } from './rows.ts';
import { absentValues, namesAsTexts } from './values.ts';

const MOST_ROWS = 20_000;

/**
 * What is suspicious in a query without a gold: its stages, and what in it often is a mistake.
 * @throws AppError where the file is no database; `cancelled` when `signal` aborts
 */
export async function inspectQuery(
  parts: { sandbox: Sandbox; db: string; catalog: Catalog },
  sql: string,
  options: SessionLimits,
): Promise<Inspection> {
  const session = new Session(parts.sandbox, parts.db, options);
  const { db, timeoutMs, signal } = session;
  const result = await session.query({ db, sql, timeoutMs, maxRows: MOST_ROWS });
  const empty = { rowCount: null, hints: [], stages: [], complete: false, range: null, message: null };
  if (result.status !== 'ok') {
    const message = result.message ?? result.status;
    const sentence = `The query does not run: ${message}`;
    return { ...empty, status: 'error', sentence, why: null, range: result.position, message };
  }
  const rowCount = result.truncated ? null : result.rows.length;
  const { query, failure } = parseQuery(sql);
  if (query === null)
    return { ...empty, status: 'ok', sentence: 'The query cannot be looked into.', rowCount, why: failure.message };
  const plan = planTrace(query, sql, parts.catalog);
  const trace = await runTrace(session, db, plan, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
  const names = resolveQuery(query, sql, parts.catalog);
  const hints = await hintsOf({ session, sql, query, names, result, stages: countedStages(plan, trace) });
  const { stages, complete, why } = trace;
  return { ...empty, status: 'ok', sentence: sentenceOf(hints), rowCount, hints, stages, complete, why };
}

async function hintsOf(context: HintContext): Promise<Hint[]> {
  const absent = await absentValues(context);
  const dead = await deadConditions(context);
  const hints = [
    ...absent,
    ...dead.filter(({ range }) => !absent.some((hint) => isInside(hint.range, range))),
    ...emptyClauses(context),
    ...cartesianProducts(context),
    ...multipliedAggregates(context),
    ...(await bareColumns(context)),
    ...duplicatedRows(context),
    ...arbitraryRows(context),
    ...namesAsTexts(context),
    ...integerDivisions(context),
    ...(await textsWithNumbers(context)),
  ];
  const seen = new Set<string>();
  return hints.filter(({ kind, range }) => {
    const key = `${kind} ${range?.offset} ${range?.length}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function isInside(inner: Hint['range'], outer: Hint['range']): boolean {
  if (inner === null || outer === null) return false;
  return inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length;
}

function sentenceOf(hints: readonly Hint[]): string {
  if (hints.length === 0) return 'Nothing in the query looks suspicious.';
  return hints.length === 1 ? 'One thing looks suspicious.' : `${hints.length} things look suspicious.`;
}
