import type { As, FromClause, JoinedSelectTable, Name as NameNode, SelectTable } from 'sqlite3-parser';
import { type BuildQuery, buildCondition, buildExpression } from './build-expression.ts';
import type { From, FromItem, Join, JoinKind, Name } from './query.ts';
import { between, endOf, type Source } from './source.ts';

/** Bits of the parser's join types, as in SQLite's `SrcItem.fg.jointype`; the package exports their type alone. */
const JOIN = { cross: 2, natural: 4, left: 8, right: 16 } as const;

/** A name of the parser's tree. */
export function nameFrom(node: NameNode): Name {
  return { text: node.text, range: { offset: node.span.offset, length: node.span.length } };
}

/** The alias that an AS gives, or null. */
export function aliasFrom(as: As | undefined): Name | null {
  return as === undefined ? null : nameFrom(as.name);
}

function spanEnd({ span }: SelectTable): number {
  return span.offset + span.length;
}

/**
 * A FROM clause.
 * @param keyword whether FROM stands before it; it does not inside a parenthesised join
 */
export function buildFrom(clause: FromClause, keyword: boolean, source: Source, buildQuery: BuildQuery): From | null {
  if (clause.select === undefined) return null;
  const first = buildItem(clause.select, spanEnd(clause.select), source, buildQuery);
  const joins = (clause.joins ?? []).map((join) => buildJoin(join, source, buildQuery));
  const start = keyword ? source.before(first.range.offset).offset : first.range.offset;
  return { range: between(start, endOf((joins.at(-1) ?? first).range)), first, joins };
}

/** @param end where the item ends: the parser's span of a joined item holds its ON or USING, too */
function buildItem(table: SelectTable, end: number, source: Source, buildQuery: BuildQuery): FromItem {
  const alias = aliasFrom(table.alias);
  switch (table.type) {
    case 'TableSelectTable':
    case 'TableCallSelectTable': {
      const { dbName, objName } = table.tblName;
      const range = between((dbName ?? objName).span.offset, end);
      const base = { range, alias, schema: dbName === undefined ? null : nameFrom(dbName), name: nameFrom(objName) };
      if (table.type === 'TableSelectTable') return { kind: 'table', ...base };
      return { kind: 'function', ...base, args: (table.args ?? []).map((node) => buildExpression(node, buildQuery)) };
    }
    case 'SelectSelectTable': {
      const query = buildQuery(table.select);
      return { kind: 'subquery', range: between(source.before(query.range.offset).offset, end), alias, query };
    }
    case 'SubSelectTable': {
      const from = buildFrom(table.from, false, source, buildQuery);
      if (from === null) throw new RangeError('an empty join');
      return { kind: 'join', range: between(source.before(from.range.offset).offset, end), alias, from };
    }
  }
}

function buildJoin(join: JoinedSelectTable, source: Source, buildQuery: BuildQuery): Join {
  const { operator, constraint } = join;
  const on = constraint?.type === 'OnJoinConstraint' ? buildCondition(constraint.expr, source, buildQuery) : null;
  const using =
    constraint?.type === 'UsingJoinConstraint'
      ? {
          range: { offset: constraint.span.offset, length: constraint.span.length },
          columns: constraint.columns.map(nameFrom),
        }
      : null;
  const bound = on ?? using;
  const end = bound === null ? spanEnd(join.table) : source.endBefore(bound.range.offset);
  const item = buildItem(join.table, end, source, buildQuery);
  const types = operator.type === 'TypedJoinJoinOperator' ? (operator.joinType ?? 0) : 0;
  const range = { offset: operator.span.offset, length: operator.span.length };
  return {
    range: between(range.offset, endOf((bound ?? item).range)),
    operator: range,
    kind: operator.type === 'CommaJoinOperator' ? 'comma' : kindOf(types),
    natural: (types & JOIN.natural) !== 0,
    item,
    on,
    using,
  };
}

function kindOf(types: number): JoinKind {
  const left = (types & JOIN.left) !== 0;
  const right = (types & JOIN.right) !== 0;
  if (left && right) return 'full';
  if (left) return 'left';
  if (right) return 'right';
  // `OUTER JOIN` alone is a syntax error in SQLite; CROSS carries the bit of INNER with it.
  return (types & JOIN.cross) !== 0 ? 'cross' : 'inner';
}
