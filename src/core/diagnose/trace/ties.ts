import { quoteIdentifier } from '../../schema/identifiers.ts';
import type { OrderBy } from '../../sql/ast/query.ts';
import { type BlockText, joined } from './block.ts';
import { hasGroups, tailOf } from './clauses.ts';
import type { StageParts } from './plan.ts';

interface Ranked {
  /** A query that gives the sort keys as `order_key_1` … */
  readonly keysSql: string;
  readonly suffixes: readonly string[];
  readonly with: string;
}

/**
 * A query that gives (first, tied): the place from 1 of the first row that sorts like the row at `cut`, and how many do.
 * null where the terms of ORDER BY cannot be asked for beside the rows.
 * @param cut how many rows stand before LIMIT's end: count plus offset
 */
export function tiesSql(text: BlockText, parts: StageParts, orderBy: OrderBy, cut: number): string | null {
  if (cut <= 0) return null;
  const ranked =
    text.block.distinct?.kind === 'DISTINCT' ? distinctKeys(text, orderBy) : plainKeys(text, parts, orderBy);
  return ranked === null ? null : rankSql(ranked, cut);
}

/** The same for a compound, whose terms name result columns. @param core the compound without ORDER BY */
export function compoundTiesSql(
  tables: string,
  core: string,
  width: number,
  terms: readonly { index: number; suffix: string }[],
  cut: number,
): string | null {
  return cut <= 0 ? null : rankSql(resultKeys(tables, core, width, terms), cut);
}

function plainKeys(text: BlockText, parts: StageParts, orderBy: OrderBy): Ranked {
  const terms = text.orderTerms(orderBy);
  const keys = terms.map(({ sql }, index) => `${sql} AS order_key_${index + 1}`);
  // The items stay where there are groups: a bare column follows the row of the only max() or min() among them.
  const items = hasGroups(text) ? [parts.groupItems] : [];
  const rows = { ...parts, orderBy: '', limit: '' };
  const keysSql = joined([`SELECT ${[...keys, ...items].join(', ')}`, tailOf(rows)]);
  return { keysSql, suffixes: terms.map(({ suffix }) => suffix), with: text.with };
}

function distinctKeys(text: BlockText, orderBy: OrderBy): Ranked | null {
  const outputs = text.scope.outputs ?? [];
  const { renderer, outer } = text.place;
  const written = outputs.map((output) => plain(renderer.output(output, text.scope, outer)));
  const terms = text.orderTerms(orderBy).map(({ sql, suffix }) => ({ index: written.indexOf(plain(sql)), suffix }));
  if (outputs.length === 0 || terms.some(({ index }) => index < 0)) return null;
  return resultKeys(text.with, text.core(true), outputs.length, terms);
}

/** Expressions that differ in white space and case alone are taken as one only where nothing in them is quoted. */
function plain(sql: string): string {
  return /['"`[]/.test(sql) ? sql : sql.replace(/\s+/g, '').toLowerCase();
}

function resultKeys(
  tables: string,
  core: string,
  width: number,
  terms: readonly { index: number; suffix: string }[],
): Ranked {
  const columns = Array.from({ length: width }, (_, index) => `result_${index + 1}`);
  const keys = terms.map(({ index }, place) => `${columns[index]} AS order_key_${place + 1}`);
  const definition = `result_rows(${columns.join(', ')}) AS (${core})`;
  const head = tables === '' ? `WITH ${definition} ` : `${tables.trimEnd()}, ${definition} `;
  return {
    keysSql: `SELECT ${keys.join(', ')} FROM result_rows`,
    suffixes: terms.map(({ suffix }) => suffix),
    with: head,
  };
}

function rankSql({ keysSql, suffixes, with: tables }: Ranked, cut: number): string {
  const order = suffixes.map((suffix, index) => `${quoteIdentifier(`order_key_${index + 1}`)}${suffix}`).join(', ');
  const ranks = `SELECT rank() OVER (ORDER BY ${order}) AS place FROM (${keysSql})`;
  return `${tables}SELECT place, count(*) AS tied FROM (${ranks}) WHERE place <= ${cut} GROUP BY place ORDER BY place DESC LIMIT 1`;
}
