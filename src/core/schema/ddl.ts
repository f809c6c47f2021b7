import type { Column, ForeignKey, Table } from '../../protocol/catalog.ts';
import { groupBy } from './group.ts';
import { plainIdentifier } from './identifiers.ts';

/** Defaults that stand without parentheses. */
const LITERAL = /^(?:[+-]?[\d.]+(?:e[+-]?\d+)?|0x[\da-f]+|x?'(?:[^']|'')*'|null|true|false|current_\w+)$/i;

function renderColumn(column: Column, isOnlyKey: boolean): string {
  const parts = [plainIdentifier(column.name), column.declared];
  if (isOnlyKey && column.primaryKey > 0) parts.push('PRIMARY KEY');
  if (column.notNull) parts.push('NOT NULL');
  if (column.defaultSql !== null) {
    const isLiteral = LITERAL.test(column.defaultSql);
    parts.push(`DEFAULT ${isLiteral ? column.defaultSql : `(${column.defaultSql})`}`);
  }
  return parts.filter((part) => part !== '').join(' ');
}

function renderForeignKey(pairs: readonly ForeignKey[]): string {
  const from = pairs.map((pair) => plainIdentifier(pair.from)).join(', ');
  const to = pairs.map(({ toColumn }) => toColumn).filter((name) => name !== null);
  const columns = to.length > 0 ? ` (${to.map(plainIdentifier).join(', ')})` : '';
  return `FOREIGN KEY (${from}) REFERENCES ${plainIdentifier(pairs[0]?.toTable ?? '')}${columns}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What stands behind a column as a comment; '' for nothing. */
function remark({ generated, meaning }: Column): string {
  return [generated === null ? '' : `generated (${generated})`, oneLine(meaning ?? '')]
    .filter((part) => part !== '')
    .join('. ');
}

/** The definitions inside the parentheses, a comma between them and what a column means behind it. */
function renderBody(table: Table): string[] {
  const columns = table.columns.filter(({ hidden }) => !hidden);
  const keys = columns.filter(({ primaryKey }) => primaryKey > 0).sort((a, b) => a.primaryKey - b.primaryKey);
  const definitions = columns.map((column) => ({
    text: renderColumn(column, keys.length === 1),
    comment: remark(column),
  }));
  const constraints = [
    ...(keys.length > 1 ? [`PRIMARY KEY (${keys.map(({ name }) => plainIdentifier(name)).join(', ')})`] : []),
    // SQLite numbers foreign keys from the last one written.
    ...[...groupBy(table.foreignKeys, ({ id }) => id).values()].reverse().map(renderForeignKey),
  ].map((text) => ({ text, comment: '' }));
  const all = [...definitions, ...constraints];
  return all.map(({ text, comment }, position) => {
    const comma = position < all.length - 1 ? ',' : '';
    return `  ${text}${comma}${comment && ` -- ${comment}`}`;
  });
}

/**
 * A table as CREATE text for people and models: columns with types, keys and meanings. A view or virtual table is its
 * statement as stored, with its columns behind it; a table that cannot be read is its statement with the reason.
 */
export function renderDdl(table: Table): string {
  const name = plainIdentifier(table.name);
  if (table.problem !== null)
    return `-- ${name} cannot be read: ${oneLine(table.problem)}\n${table.sql ?? ''}`.trimEnd();
  if ((table.type === 'view' || table.type === 'virtual') && table.sql !== null) {
    const columns = table.columns.filter(({ hidden }) => !hidden).map((column) => renderColumn(column, false));
    return `${table.sql};\n-- columns: ${columns.join(', ')}`;
  }
  const options = [...(table.withoutRowid ? ['WITHOUT ROWID'] : []), ...(table.strict ? ['STRICT'] : [])].join(', ');
  return [`CREATE TABLE ${name} (`, ...renderBody(table), `)${options && ` ${options}`};`].join('\n');
}
