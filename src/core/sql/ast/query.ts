import type { Expr } from 'sqlite3-parser';

export type { Expr } from 'sqlite3-parser';

/** A piece of a SQL text, in UTF-16 units: `sql.slice(offset, offset + length)` is the node's own text. */
export interface Range {
  readonly offset: number;
  readonly length: number;
}

/** An identifier, quotes removed in `text`, included in `range`. */
export interface Name {
  readonly text: string;
  readonly range: Range;
}

/** An expression. `node` is the parser's tree, whose spans are exact for every expression. */
export interface Expression {
  readonly range: Range;
  readonly node: Expr;
  /** The subqueries that stand in it directly, in order; those inside them are theirs. */
  readonly subqueries: readonly Subquery[];
}

/** A query inside an expression. */
export interface Subquery {
  readonly kind: 'scalar' | 'exists' | 'in';
  /** The whole expression: `(SELECT …)`, `EXISTS (SELECT …)`, `x IN (SELECT …)`. */
  readonly range: Range;
  readonly node: Expr;
  readonly query: Query;
}

/** A SELECT with all that belongs to it: WITH, one or more arms, ORDER BY, LIMIT. Without surrounding parentheses. */
export interface Query {
  readonly range: Range;
  readonly with: With | null;
  /** At least one; all but the first have an operator. */
  readonly arms: readonly Arm[];
  readonly orderBy: OrderBy | null;
  readonly limit: Limit | null;
}

/** `WITH [RECURSIVE] …`: from the keyword to the last item's parenthesis. */
export interface With {
  readonly range: Range;
  readonly recursive: boolean;
  readonly items: readonly CommonTable[];
}

/** One common table expression: `name(columns) AS [NOT] [MATERIALIZED] (query)`. */
export interface CommonTable {
  readonly range: Range;
  readonly name: Name;
  readonly columns: readonly Name[] | null;
  readonly query: Query;
}

export type SetOperator = 'UNION' | 'UNION ALL' | 'INTERSECT' | 'EXCEPT';

/** One SELECT or VALUES of a (compound) query. `range` is the core's, without the operator. */
export interface Arm {
  readonly operator: { readonly kind: SetOperator; readonly range: Range } | null;
  readonly range: Range;
  readonly core: Core;
}

export type Core = Block | Values;

/** `VALUES (…), (…)`. */
export interface Values {
  readonly kind: 'values';
  readonly range: Range;
  readonly rows: readonly (readonly Expression[])[];
}

/** One SELECT from its keyword to HAVING or WINDOW. */
export interface Block {
  readonly kind: 'select';
  readonly range: Range;
  /** The keyword DISTINCT or ALL. */
  readonly distinct: { readonly kind: 'DISTINCT' | 'ALL'; readonly range: Range } | null;
  /** From the first item's start to the last one's end. */
  readonly itemsRange: Range;
  readonly items: readonly SelectItem[];
  readonly from: From | null;
  readonly where: Condition | null;
  readonly groupBy: GroupBy | null;
  readonly having: Condition | null;
  readonly windows: Windows | null;
}

export type SelectItem = ExpressionItem | StarItem;

/** `expression [AS alias]`. */
export interface ExpressionItem {
  readonly kind: 'expression';
  readonly range: Range;
  readonly expression: Expression;
  readonly alias: Name | null;
}

/** `*` or `table.*`. */
export interface StarItem {
  readonly kind: 'star';
  readonly range: Range;
  readonly table: Name | null;
}

/** `FROM …` with the keyword. In a parenthesised join there is none: the range is the inside then. */
export interface From {
  readonly range: Range;
  readonly first: FromItem;
  readonly joins: readonly Join[];
}

export type JoinKind = 'comma' | 'inner' | 'cross' | 'left' | 'right' | 'full';

/** One join: from its operator to its ON or USING. */
export interface Join {
  readonly range: Range;
  readonly operator: Range;
  readonly kind: JoinKind;
  readonly natural: boolean;
  readonly item: FromItem;
  readonly on: Condition | null;
  /** `USING (…)` with the keyword. */
  readonly using: { readonly range: Range; readonly columns: readonly Name[] } | null;
}

export type FromItem = TableItem | FunctionItem | SubqueryItem | JoinItem;

interface FromItemBase {
  /** The whole item with alias and INDEXED BY. */
  readonly range: Range;
  readonly alias: Name | null;
}

export interface TableItem extends FromItemBase {
  readonly kind: 'table';
  readonly schema: Name | null;
  readonly name: Name;
}

/** A table-valued function: `json_each(x) AS j`. */
export interface FunctionItem extends FromItemBase {
  readonly kind: 'function';
  readonly schema: Name | null;
  readonly name: Name;
  readonly args: readonly Expression[];
}

/** `(SELECT …) AS x`. */
export interface SubqueryItem extends FromItemBase {
  readonly kind: 'subquery';
  readonly query: Query;
}

/** A parenthesised join: `(a JOIN b ON …)`. */
export interface JoinItem extends FromItemBase {
  readonly kind: 'join';
  readonly from: From;
}

/** WHERE, HAVING or ON, from the keyword to the end of its expression. */
export interface Condition {
  readonly range: Range;
  readonly expression: Expression;
  /** The operands of its outermost ANDs, parentheses around ANDs opened: `a AND (b AND c)` has three. */
  readonly conjuncts: readonly Expression[];
}

export interface GroupBy {
  readonly range: Range;
  readonly items: readonly Expression[];
}

/** `WINDOW name AS (…), …`. */
export interface Windows {
  readonly range: Range;
  readonly definitions: readonly WindowDefinition[];
}

export interface WindowDefinition {
  readonly range: Range;
  readonly name: Name;
  readonly terms: readonly Expression[];
}

export interface OrderBy {
  readonly range: Range;
  readonly items: readonly OrderItem[];
}

/** `expression [ASC|DESC] [NULLS FIRST|LAST]`. */
export interface OrderItem {
  readonly range: Range;
  readonly expression: Expression;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | null;
}

/** `LIMIT count [OFFSET offset]` or `LIMIT offset, count`. */
export interface Limit {
  readonly range: Range;
  readonly count: Expression;
  readonly offset: Expression | null;
}

/** Why a text is no query that can be looked into. */
export interface ParseFailure {
  readonly code: 'syntax' | 'empty' | 'not_a_select' | 'several_statements' | 'too_deep';
  readonly message: string;
  /** Where, as far as known. */
  readonly range: Range | null;
}
