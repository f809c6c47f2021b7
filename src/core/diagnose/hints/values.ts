import type { Hint } from '../../../protocol/diagnosis.ts';
import { nearest } from '../../agent/similar-names.ts';
import { quoteIdentifier, quoteText } from '../../schema/identifiers.ts';
import { rangeOf } from '../../sql/ast/build-expression.ts';
import type { Expr, Query } from '../../sql/ast/query.ts';
import { expressionsOf, queriesIn, visitExpressions, withoutParentheses } from '../../sql/ast/walk.ts';
import { tableOf } from '../../sql/scope/resolve.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import type { Session } from '../divergence/session.ts';
import { type HintContext, hintAt, said } from './context.ts';

/** A text that a column of a table is compared with for equality. */
interface Asked {
  readonly node: Expr;
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

const MOST_VALUES = 5_000;
const SHOWN = 3;

/** Texts that filters ask for and no row holds, each with the nearest values that exist. */
export async function absentValues(context: HintContext): Promise<Hint[]> {
  const hints: Hint[] = [];
  for (const asked of askedIn(context.query, context.names)) {
    const near = await nearestValues(context.session, asked);
    if (near === null) continue;
    const column = `${asked.table}.${asked.column}`;
    const instead = near.length === 0 ? '' : ` Near it: ${near.map(quoteText).join(', ')}.`;
    const sentence = `No row of ${column} holds ${quoteText(asked.value)}.${instead}`;
    hints.push(hintAt(context, 'value_not_found', rangeOf(asked.node), sentence, { column, value: asked.value, near }));
  }
  return hints;
}

/** Values of a column that are like one that no row of it holds; null where a row holds it. */
async function nearestValues(session: Session, { table, column, value }: Asked): Promise<string[] | null> {
  const [name, from] = [quoteIdentifier(column), quoteIdentifier(table)];
  const held = await session.rows(`SELECT 1 FROM ${from} WHERE ${name} = ${quoteText(value)} LIMIT 1`, 1);
  if (held === null || held.length > 0) return null;
  const sql = `SELECT DISTINCT ${name} FROM ${from} WHERE typeof(${name}) = 'text' LIMIT ${MOST_VALUES}`;
  const values = ((await session.rows(sql, MOST_VALUES)) ?? []).flatMap(([cell]) =>
    typeof cell === 'string' ? [cell] : [],
  );
  return nearest(value, values, (candidate) => candidate).slice(0, SHOWN);
}

/** All comparisons of a column with a text by `=` or IN, of a query and those in it. */
function askedIn(query: Query, names: Resolution): Asked[] {
  const own = query.arms
    .flatMap(({ core }) => expressionsOf(core))
    .flatMap(({ node }) => askedInExpression(node, names));
  return [...own, ...queriesIn(query).flatMap((inner) => askedIn(inner, names))];
}

/** Comparisons of a column of a table with a text by `=` or IN in an expression itself. */
export function askedInExpression(root: Expr, names: Resolution): Asked[] {
  const found: Asked[] = [];
  const add = (column: Expr, literal: Expr) => {
    const one = asked(withoutParentheses(column), withoutParentheses(literal), names);
    if (one !== null) found.push(one);
  };
  visitExpressions(root, (node) => {
    if (node.type === 'BinaryExpr' && node.op === 'Equals') {
      add(node.left, node.right);
      add(node.right, node.left);
    }
    if (node.type === 'InListExpr' && !node.not) for (const literal of node.rhs ?? []) add(node.lhs, literal);
  });
  return found;
}

function asked(column: Expr, literal: Expr, names: Resolution): Asked | null {
  if (column.type !== 'Id' && column.type !== 'QualifiedExpr') return null;
  const reference = names.reference(column);
  const table = reference.kind === 'column' ? tableOf(reference.source.relation) : null;
  const value = textOfLiteral(literal, names);
  if (table === null || value === null || reference.kind !== 'column') return null;
  return { node: literal, table, column: reference.column, value };
}

/** The text of a literal, or of a double-quoted name that is read as one. */
export function textOfLiteral(node: Expr, names: Resolution): string | null {
  if (node.type === 'StringLiteral') return node.value;
  const reference = node.type === 'Id' ? names.reference(node) : null;
  return reference?.kind === 'text' ? reference.text : null;
}

/** Double-quoted names that mean no column here and so are read as texts, though another table has such a column. */
export function namesAsTexts(context: HintContext): Hint[] {
  const { names, sql } = context;
  return [...names.names()].flatMap(([node, reference]): Hint[] => {
    if (reference.kind !== 'text') return [];
    const key = reference.text.toLowerCase();
    const tables = names.catalog.tables.filter(({ columns }) => columns.some(({ name }) => name.toLowerCase() === key));
    if (tables.length === 0) return [];
    const where = tables.map(({ name }) => name).join(', ');
    const sentence = `${said(sql, rangeOf(node))} is no column of the tables here and is read as a text; ${where} has a column of that name.`;
    return [hintAt(context, 'name_as_text', rangeOf(node), sentence, { tables: tables.map(({ name }) => name) })];
  });
}
