import type { Trace, TraceSource } from '../../../protocol/diagnose.ts';
import type { JsonCell } from '../../../protocol/value.ts';

const TITLES: Record<TraceSource['kind'], string> = {
  query: 'query',
  arm: 'SELECT of the compound',
  subquery: 'subquery',
  cte: 'WITH',
  view: 'view',
  join: 'joins in parentheses',
  expression: 'subquery',
};

/** What a trace is of: "subquery", "WITH recent", "view sales". */
export function sourceInWords({ kind, name }: TraceSource): string {
  return name === null ? TITLES[kind] : `${TITLES[kind]} ${name}`;
}

function short(cell: JsonCell): string {
  return cell === null || typeof cell !== 'object' ? String(cell) : JSON.stringify(cell);
}

/** The row of the outer block that a correlated subquery was traced for: "T1 3; T2 7"; '' where it has no key. */
export function outerInWords(outer: NonNullable<Trace['outer']>): string {
  const keys = outer.filter(({ key }) => key.length > 0);
  return keys.map(({ alias, key }) => `${alias} ${key.map(short).join(', ')}`).join('; ');
}
