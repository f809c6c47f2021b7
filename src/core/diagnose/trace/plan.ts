import type { Clause, KeyKind, TraceSource } from '../../../protocol/diagnose.ts';
import type { Cell } from '../../../protocol/value.ts';
import type { Query, Range } from '../../sql/ast/query.ts';

/** How the rows of one alias are told apart in a stage. */
export interface KeyPlan {
  readonly alias: string;
  /** The table or view; null for subqueries, functions and groups. */
  readonly table: string | null;
  readonly kind: KeyKind;
  /** Names of the key's columns; texts of the GROUP BY terms for a group. */
  readonly columns: readonly string[];
  /** The SQL expressions of the key, one a column, valid inside the stage's block. Empty where `kind` is `none`. */
  readonly expressions: readonly string[];
}

/** An operand of AND in the clause of a stage. */
export interface ConjunctPlan {
  readonly range: Range;
  /** As it must be written inside the stage's block. */
  readonly sql: string;
}

/** A JOIN as far as counting needs it. */
export interface JoinPlan {
  /** The earlier alias that the join's condition refers to last; the first alias where it refers to none. */
  readonly driving: string;
  /** Neither ON, USING nor NATURAL: every row with every row. */
  readonly cartesian: boolean;
  /** RIGHT and FULL joins add rows that no row before them has. */
  readonly addsRows: boolean;
  /** `FROM …` with the joined item beside every row of before, whatever ON says. */
  readonly unconditioned: string;
}

/**
 * The pieces of which the queries of a stage are put together. Each is valid SQL text with its keyword, or ''.
 */
export interface StageParts {
  /** `WITH …` with the tables that the block knows. */
  readonly with: string;
  readonly from: string;
  /** Condition of WHERE without the keyword, aliases replaced by what they stand for; null where there is none yet. */
  readonly where: string | null;
  /** `GROUP BY …`, by expressions. */
  readonly groupBy: string;
  /** `HAVING …`. */
  readonly having: string;
  /** `WINDOW …`. */
  readonly windows: string;
  /** The select items without window calls, which a group's own columns stand before. */
  readonly groupItems: string;
  /** `ORDER BY …`, by expressions. */
  readonly orderBy: string;
  /** `LIMIT …`. */
  readonly limit: string;
}

/**
 * What a row of a stage is: `rows`: a combination of rows of the FROM items; `groups`: a group of them; `result`: a row
 * of the result that leads back to no single row (after DISTINCT or a set operation).
 */
export type StageLevel = 'rows' | 'groups' | 'result';

/** How the rows of a stage are counted: by a query, or from the stage before. */
export type CountPlan =
  | { readonly by: 'query'; readonly sql: string }
  | { readonly by: 'same' }
  /** Rows of the stage before times the rows of one item. */
  | { readonly by: 'product'; readonly sql: string }
  /** `unlimited`: the query without its LIMIT. */
  | { readonly by: 'limit'; readonly count: number; readonly offset: number; readonly unlimited: string }
  | { readonly by: 'one' };

/** One clause as a runnable step. */
export interface StagePlan {
  readonly clause: Clause;
  readonly label: string;
  /** The clause with its keyword, in the plan's text. */
  readonly range: Range;
  readonly level: StageLevel;
  readonly keys: readonly KeyPlan[];
  /** A query that gives the rows after this clause. */
  readonly sql: string;
  /** null for results of compounds and of VALUES, which have no block. */
  readonly parts: StageParts | null;
  readonly count: CountPlan;
  readonly join: JoinPlan | null;
  /** Of WHERE, HAVING and JOIN … ON. */
  readonly conjuncts: readonly ConjunctPlan[];
  /** Of `groups`: the keys of the rows that the groups are made of. */
  readonly rowKeys: readonly KeyPlan[];
  /**
   * A query that gives (place, tied) for the last row before LIMIT's cut: the place from 1 of the first row that sorts
   * like it, and how many rows do. null where there is no telling.
   */
  readonly tiesSql: string | null;
  readonly nested: readonly TracePlan[];
  readonly notes: readonly string[];
}

/** What most stages have nothing of. */
export const PLAIN: Pick<StagePlan, 'join' | 'conjuncts' | 'rowKeys' | 'tiesSql' | 'nested' | 'notes'> = {
  join: null,
  conjuncts: [],
  rowKeys: [],
  tiesSql: null,
  nested: [],
  notes: [],
};

/** The same of a stage whose rows lead back to no single row, and which has no block. */
export const PLAIN_RESULT: typeof PLAIN & Pick<StagePlan, 'level' | 'keys' | 'parts'> = {
  ...PLAIN,
  level: 'result',
  keys: [],
  parts: null,
};

/** The key of one alias in an outer row. */
export interface OuterKey {
  readonly alias: string;
  readonly key: readonly Cell[];
}

/** How a correlated subquery hangs on the block around it. */
export interface Correlation {
  readonly keys: readonly KeyPlan[];
  /** A query that gives the keys of the outer rows, cells in order of `keys`, in the block's own order. */
  readonly keysSql: string;
  /** The same plan for a chosen outer row. Without it the plan is for the first one. */
  bind(row: readonly OuterKey[]): TracePlan;
}

/** A query as ordered stages; nothing has run yet. */
export interface TracePlan {
  readonly source: TraceSource;
  /** The text into which ranges point. */
  readonly text: string;
  /** Where the query stands in `text`. */
  readonly range: Range;
  readonly query: Query | null;
  readonly stages: readonly StagePlan[];
  readonly complete: boolean;
  readonly why: string | null;
  /** null where the subquery does not depend on an outer row. */
  readonly correlation: Correlation | null;
}
