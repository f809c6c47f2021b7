import type { Clause } from '../../../protocol/diagnose.ts';
import type { ErrorClass, Finding } from '../../../protocol/diagnosis.ts';
import { parseQuery } from '../../sql/ast/parse-query.ts';
import { positionAt } from '../../sql/position.ts';
import type { Divergence } from '../divergence/divergence.ts';
import { divergenceSentence } from '../divergence/sentence.ts';
import type { RunningPair } from '../judge.ts';
import { CONFIDENCE, explainQueries } from './explain.ts';
import { findingsFromResults } from './from-results.ts';
import { doubtsOfGold } from './gold-suspicious.ts';
import { namesOf } from './side.ts';

/** Findings of a diagnosis at most. */
const MOST_FINDINGS = 8;

/**
 * What kind of error a pair with different results shows, the likeliest first. At least one finding where a stage is known
 * to diverge.
 */
export async function findingsOf(pair: RunningPair, divergence: Divergence | null): Promise<Finding[]> {
  const { session, catalog, gold, pred, ordered } = pair;
  const [goldParsed, predParsed] = [parseQuery(gold.sql), parseQuery(pred.sql)];
  const fromResults = findingsFromResults(gold.result, pred.result, ordered);
  const found: Finding[] = [];
  if (goldParsed.query !== null && predParsed.query !== null) {
    const goldNames = namesOf('gold', goldParsed.query, gold.sql, catalog);
    const predNames = namesOf('pred', predParsed.query, pred.sql, catalog);
    found.push(
      ...(await explainQueries({
        session,
        gold: { names: goldNames, query: goldParsed.query },
        pred: { names: predNames, query: predParsed.query },
        result: gold.result,
        ordered,
      })),
      ...fromResults,
      ...(await doubtsOfGold(session, goldNames, goldParsed.query, gold.trace, gold.result, pred.result.rows.length)),
    );
  } else found.push(...fromResults);
  if (divergence !== null) {
    const own = fromDivergence(pair, divergence);
    // What was shown by running a query says more than the stage does.
    const isShown = found.some(({ confidence }) => confidence >= CONFIDENCE.empty);
    found.push(...own.filter(({ confidence }) => !isShown || confidence > CONFIDENCE.unproved));
  }
  return ranked(found, divergence?.clause ?? null);
}

/** What the diverging stage itself says. */
function fromDivergence({ pred, gold }: RunningPair, divergence: Divergence): Finding[] {
  const { range, goldRange, totals } = divergence;
  const kind = classOf(divergence, gold.result.columns.length, pred.result.columns.length);
  const isSure = divergence.kind === 'multiplicity' || divergence.kind === 'ties';
  const isShown = divergence.kind === 'set_operation' && divergence.detail !== null;
  return [
    {
      class: kind,
      sentence: divergenceSentence(divergence),
      range: divergence.lacking ? null : positionAt(pred.sql, range.offset, range.length),
      goldRange: goldRange === null ? null : positionAt(gold.sql, goldRange.offset, goldRange.length),
      confidence: isShown ? CONFIDENCE.alone : isSure ? 0.8 : 0.4,
      evidence: { ...totals },
    },
  ];
}

function classOf({ kind, clause, lacking }: Divergence, goldWidth: number, predWidth: number): ErrorClass {
  switch (kind) {
    case 'tables':
      return lacking ? 'missing_join' : clause === 'FROM' ? 'wrong_table' : 'extra_join';
    case 'keys':
      if (clause === 'FROM') return 'wrong_table';
      if (clause === 'JOIN') return 'wrong_join_condition';
      return lacking ? 'missing_filter' : 'wrong_filter_value';
    case 'multiplicity':
      return lacking ? 'missing_join' : 'join_multiplies_rows';
    case 'groups':
      return clause === 'HAVING'
        ? lacking
          ? 'missing_filter'
          : 'wrong_filter_value'
        : clause === 'AGGREGATE'
          ? 'wrong_aggregate'
          : 'wrong_grouping';
    case 'columns':
      return predWidth > goldWidth ? 'extra_column' : predWidth < goldWidth ? 'missing_column' : 'wrong_column';
    case 'duplicates':
      return lacking || clause === 'SELECT' ? 'missing_distinct' : 'extra_distinct';
    case 'set_operation':
      return 'wrong_set_operation';
    case 'order':
      return 'wrong_order';
    case 'limit':
      return 'limit_off';
    case 'ties':
      return 'ties_cut_at_limit';
  }
}

const CLAUSES: Readonly<Record<ErrorClass, readonly Clause[]>> = {
  wrong_table: ['FROM', 'JOIN'],
  missing_join: ['FROM', 'JOIN'],
  extra_join: ['FROM', 'JOIN'],
  wrong_join_condition: ['JOIN'],
  join_multiplies_rows: ['JOIN'],
  wrong_filter_column: ['WHERE', 'HAVING'],
  wrong_filter_operator: ['WHERE', 'HAVING'],
  wrong_filter_value: ['WHERE', 'HAVING'],
  filter_case_or_space: ['WHERE', 'HAVING'],
  missing_filter: ['WHERE', 'HAVING'],
  extra_filter: ['WHERE', 'HAVING'],
  wrong_column: ['SELECT'],
  wrong_aggregate: ['SELECT', 'AGGREGATE', 'GROUP BY'],
  distinct_in_aggregate: ['SELECT'],
  wrong_grouping: ['GROUP BY'],
  missing_distinct: ['DISTINCT', 'SELECT'],
  extra_distinct: ['DISTINCT'],
  wrong_set_operation: ['SET OPERATION'],
  wrong_order: ['ORDER BY'],
  ties_cut_at_limit: ['LIMIT'],
  limit_off: ['LIMIT'],
  extra_column: ['SELECT'],
  missing_column: ['SELECT'],
  swapped_columns: ['SELECT'],
  rounding: ['SELECT'],
  concatenation: ['SELECT'],
  text_for_number: ['SELECT', 'WHERE'],
  null_handling: ['WHERE', 'SELECT'],
  integer_division: ['SELECT'],
  gold_suspicious: [],
};

/** One finding a class; the surest first, then those of the diverging clause. */
function ranked(findings: readonly Finding[], clause: Clause | null): Finding[] {
  const best = new Map<ErrorClass, Finding>();
  for (const finding of findings) {
    const known = best.get(finding.class);
    if (known === undefined) best.set(finding.class, finding);
    else best.set(finding.class, merged(known, finding));
  }
  const isOfClause = (finding: Finding) => clause !== null && CLAUSES[finding.class].includes(clause);
  const weight = (finding: Finding) => finding.confidence + (isOfClause(finding) ? 0.02 : 0);
  return [...best.values()].sort((one, other) => weight(other) - weight(one)).slice(0, MOST_FINDINGS);
}

/** The same class found twice: by the queries, which tell where, and by the rows. */
function merged(known: Finding, other: Finding): Finding {
  return {
    ...known,
    confidence: Math.max(known.confidence, other.confidence),
    evidence: { ...other.evidence, ...known.evidence },
  };
}
