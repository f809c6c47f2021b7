import type { Finding } from '../../../protocol/diagnosis.ts';
import type { Table } from '../../score/rows.ts';
import { compareStrictly } from '../../score/strict-ex.ts';
import type { Block, Query } from '../../sql/ast/query.ts';
import { textOf } from '../../sql/ast/source.ts';
import type { Session } from '../divergence/session.ts';
import { type Assembly, assemblyOf } from './assembly.ts';
import { type Causes, causesOf } from './causes.ts';
import { classify } from './classify.ts';
import { differencesOf } from './differences.ts';
import { findingOf } from './finding.ts';
import { withHeldValues } from './held-values.ts';
import { pairInstances } from './instances.ts';
import { isFlat, piecesOf } from './pieces.ts';
import { type Names, sideOf } from './side.ts';

/** Confidence in what was shown by a query, alone, together with others, or against a gold without rows; and in the rest. */
export const CONFIDENCE = { alone: 1, together: 0.9, empty: 0.8, unproved: 0.5 } as const;

/** Where the gold gives no rows, all that drops every row agrees with it. */
function confidenceOf({ proved, alone }: Causes, gold: Table): number {
  if (!proved) return CONFIDENCE.unproved;
  if (gold.rows.length === 0) return CONFIDENCE.empty;
  return alone ? CONFIDENCE.alone : CONFIDENCE.together;
}

/** Two queries in one text each, with the result that the gold one gives. */
export interface QueryPair {
  readonly session: Session;
  readonly gold: { readonly names: Names; readonly query: Query };
  readonly pred: { readonly names: Names; readonly query: Query };
  readonly result: Table;
  readonly ordered: boolean;
}

/** What two queries say otherwise, with what of it makes the results differ. */
export async function explainQueries(pair: QueryPair): Promise<Finding[]> {
  const [goldArms, predArms] = [pair.gold.query.arms, pair.pred.query.arms];
  const [one, other] = [goldArms[0]?.core, predArms[0]?.core];
  if (goldArms.length === 1 && predArms.length === 1)
    return one?.kind === 'select' && other?.kind === 'select' ? explainBlocks(pair, one, other) : [];
  if (goldArms.length === predArms.length) return explainCompounds(pair);
  const beside = one?.kind === 'select' && other?.kind === 'select' ? besideFirst(pair, one, other) : [];
  return [otherStructure(pair), ...beside];
}

/** Two blocks in pieces, with what they say otherwise. */
function comparison(pair: QueryPair, goldBlock: Block, predBlock: Block) {
  const gold = sideOf(pair.gold.names, pair.gold.query, goldBlock);
  const pred = sideOf(pair.pred.names, pair.pred.query, predBlock);
  const instances = pairInstances(gold, pred);
  const flat = isFlat(gold) && isFlat(pred);
  const goldPieces = piecesOf(gold, instances, flat);
  const predPieces = piecesOf(pred, instances, flat);
  return {
    gold,
    pred,
    instances,
    goldPieces,
    predPieces,
    differences: differencesOf(goldPieces, predPieces, instances),
  };
}

async function explainBlocks(pair: QueryPair, goldBlock: Block, predBlock: Block): Promise<Finding[]> {
  const { session, result, ordered } = pair;
  const { gold, pred, instances, goldPieces, predPieces, differences } = comparison(pair, goldBlock, predBlock);
  const base: Assembly = assemblyOf(predPieces, instances);
  const context = { gold, pred, instances };
  const causes = await causesOf({ session, context, base, gold: result, ordered }, differences);
  const confidence = confidenceOf(causes, result);
  const found: Finding[] = [];
  for (const difference of causes.differences) {
    const inner = await explainInside(pair, difference.gold[0]?.node, difference.pred[0]?.node);
    const drafts = classify(difference, goldPieces, predPieces);
    const proof = causes.proved ? { shown_by: 'query' } : {};
    if (inner.length > 0)
      found.push(
        ...inner.map((finding) => ({ ...finding, confidence: Math.min(confidence, finding.confidence + 0.4) })),
      );
    for (const [index, draft] of drafts.entries()) {
      const sure = confidence - index * 0.05 - (inner.length > 0 ? 0.1 : 0);
      const told = await withHeldValues(session, draft, difference.gold[0], difference.pred[0]);
      found.push(findingOf(told, Math.max(0.1, sure), proof));
    }
  }
  return found;
}

type Node = Parameters<typeof subqueryOf>[1];

/** Where a condition holds one subquery on both sides, what differs inside it. */
async function explainInside(pair: QueryPair, gold: Node, pred: Node): Promise<Finding[]> {
  const one = subqueryOf(pair.gold.query, gold);
  const other = subqueryOf(pair.pred.query, pred);
  if (one === null || other === null) return [];
  const isCorrelated =
    pair.gold.names.resolution.outerOf(one).length > 0 || pair.pred.names.resolution.outerOf(other).length > 0;
  if (isCorrelated || pair.gold.query.with !== null || pair.pred.query.with !== null) return [];
  const { db, timeoutMs } = pair.session;
  const result = await pair.session.query({
    db,
    sql: textOf(pair.gold.names.sql, one.range),
    timeoutMs,
    maxRows: 10_000,
  });
  if (result.status !== 'ok' || result.truncated) return [];
  const inner: QueryPair = {
    ...pair,
    gold: { names: pair.gold.names, query: one },
    pred: { names: pair.pred.names, query: other },
    result,
    ordered: false,
  };
  return explainQueries(inner);
}

/** The only subquery that stands directly in an expression of a query. */
function subqueryOf(
  query: Query,
  node: { readonly span: { readonly offset: number; readonly length: number } } | null | undefined,
): Query | null {
  if (node === null || node === undefined) return null;
  const { offset, length } = node.span;
  const inside = query.arms
    .flatMap(({ core }) =>
      core.kind === 'select' ? [...(core.where?.conjuncts ?? []), ...(core.having?.conjuncts ?? [])] : [],
    )
    .filter(({ range }) => range.offset <= offset && offset + length <= range.offset + range.length)
    .flatMap(({ subqueries }) => subqueries);
  return inside.length === 1 ? (inside[0]?.query ?? null) : null;
}

/** Compounds of as many SELECTs: other operators, or what differs in the arms. */
async function explainCompounds(pair: QueryPair): Promise<Finding[]> {
  const { gold, pred, session } = pair;
  const found: Finding[] = [];
  const isSame = gold.query.arms.every(
    ({ operator }, index) => operator?.kind === pred.query.arms[index]?.operator?.kind,
  );
  if (!isSame) found.push(await otherOperators(pair));
  for (const [index, arm] of gold.query.arms.entries()) {
    const other = pred.query.arms[index];
    if (other === undefined || arm.core.kind !== 'select' || other.core.kind !== 'select') continue;
    const { db, timeoutMs } = session;
    if (gold.query.with !== null || pred.query.with !== null) continue;
    const [one, two] = await Promise.all(
      [textOf(gold.names.sql, arm.range), textOf(pred.names.sql, other.range)].map((sql) =>
        session.query({ db, sql, timeoutMs, maxRows: 10_000 }),
      ),
    );
    if (one === undefined || two?.status !== 'ok' || one.status !== 'ok') continue;
    if (compareStrictly(one, two, false) === null) continue;
    found.push(...(await explainBlocks({ ...pair, result: one, ordered: false }, arm.core, other.core)));
  }
  return found;
}

/** The prediction with the gold's set operations between its own SELECTs. */
async function otherOperators({ session, gold, pred, result, ordered }: QueryPair): Promise<Finding> {
  const operators = (query: Query) => query.arms.flatMap(({ operator }) => (operator === null ? [] : [operator]));
  const [wanted, given] = [operators(gold.query), operators(pred.query)];
  let sql = pred.names.sql;
  for (const [index, operator] of [...given.entries()].toReversed()) {
    const { offset, length } = operator.range;
    sql = `${sql.slice(0, offset)}${wanted[index]?.kind ?? operator.kind}${sql.slice(offset + length)}`;
  }
  const { db, timeoutMs } = session;
  const tried = await session.query({ db, sql, timeoutMs, maxRows: result.rows.length + 1 });
  const isProved = tried.status === 'ok' && compareStrictly(result, tried, ordered) === null;
  const at = wanted.findIndex((operator, index) => operator.kind !== given[index]?.kind);
  const [one, other] = [wanted[at], given[at]];
  return findingOf(
    {
      class: 'wrong_set_operation',
      sentence: `The prediction puts the results together by ${other?.kind ?? ''}; the gold by ${one?.kind ?? ''}.`,
      pred: other === undefined ? null : { sql: pred.names.sql, range: other.range },
      gold: one === undefined ? null : { sql: gold.names.sql, range: one.range },
      evidence: { gold: one?.kind ?? null, pred: other?.kind ?? null },
    },
    isProved ? CONFIDENCE.alone : 0.7,
    isProved ? { shown_by: 'query' } : {},
  );
}

/** What the first SELECTs of two queries of other structure read and select otherwise; it cannot be tried. */
function besideFirst(pair: QueryPair, goldBlock: Block, predBlock: Block): Finding[] {
  const { goldPieces, predPieces, differences } = comparison(pair, goldBlock, predBlock);
  return differences
    .filter(({ area }) => area === 'tables' || area === 'item' || area === 'item_order')
    .flatMap((difference) => classify(difference, goldPieces, predPieces))
    .map((draft) => findingOf(draft, CONFIDENCE.unproved));
}

function otherStructure({ gold, pred }: QueryPair): Finding {
  const first = (query: Query) => query.arms.find(({ operator }) => operator !== null)?.operator ?? null;
  const [one, other] = [first(gold.query), first(pred.query)];
  const words = (query: Query) =>
    query.arms.length === 1 ? 'one SELECT' : `${query.arms.length} SELECTs put together by ${first(query)?.kind ?? ''}`;
  return findingOf(
    {
      class: 'wrong_set_operation',
      sentence: `The prediction is ${words(pred.query)}; the gold is ${words(gold.query)}.`,
      pred: other === null ? null : { sql: pred.names.sql, range: other.range },
      gold: one === null ? null : { sql: gold.names.sql, range: one.range },
      evidence: { gold: one?.kind ?? null, pred: other?.kind ?? null },
    },
    0.7,
  );
}
