import { groupBy } from '../core/schema/group.ts';
import { displayWidth, printable } from '../core/text/cells.ts';
import type { Catalog, Column, ForeignKey, Index, Table } from '../protocol/catalog.ts';

const TYPES: Record<Table['type'], string> = {
  table: '',
  view: 'view',
  virtual: 'virtual table',
  shadow: 'shadow table',
};

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function keyText(pair: ForeignKey): string {
  const { target, problem } = pair;
  const column = target?.toColumn ?? pair.toColumn;
  const to = `-> ${target?.toTable ?? pair.toTable}${column === null ? '' : `.${column}`}`;
  return problem === null ? to : `${to} (broken: ${problem.replace(/\.$/, '')})`;
}

function columnFacts(column: Column, keys: readonly ForeignKey[], isOnlyKey: boolean): string {
  const facts = [
    column.primaryKey === 0 ? '' : isOnlyKey ? 'primary key' : `primary key ${column.primaryKey}`,
    column.notNull ? 'not null' : '',
    column.defaultSql === null ? '' : `default ${column.defaultSql}`,
    column.generated === null ? '' : `generated, ${column.generated}`,
    column.hidden ? 'hidden' : '',
    ...keys.map(keyText),
    column.meaning === null ? '' : `-- ${column.meaning}`,
  ];
  return printable(facts.filter((fact) => fact !== '').join('  '));
}

function indexText({ name, unique, partial, columns }: Index): string {
  const kind = `${unique ? 'unique ' : ''}index${partial ? ', partial' : ''}`;
  return printable(`${kind}: ${name} (${columns.map((column) => column ?? 'expression').join(', ')})`);
}

function heading(table: Table, rows: number | undefined): string {
  const facts = [
    TYPES[table.type],
    table.withoutRowid ? 'without rowid' : '',
    table.strict ? 'strict' : '',
    rows === undefined ? '' : rows === 1 ? '1 row' : `${rows} rows`,
  ].filter((fact) => fact !== '');
  return printable(table.name) + (facts.length > 0 ? ` (${facts.join(', ')})` : '');
}

function renderTableTree(table: Table, rows: number | undefined): string[] {
  if (table.problem !== null) return [heading(table, rows), `  cannot be read: ${printable(table.problem)}`];
  const isOnlyKey = table.columns.filter(({ primaryKey }) => primaryKey > 0).length === 1;
  const keys = groupBy(table.foreignKeys, ({ from }) => from.toLowerCase());
  const cells = table.columns.map((column) => [
    printable(column.name),
    printable(column.declared),
    columnFacts(column, keys.get(column.name.toLowerCase()) ?? [], isOnlyKey),
  ]);
  const width = (position: number) => Math.max(0, ...cells.map((row) => displayWidth(row[position] ?? '')));
  const [names, types] = [width(0), width(1)];
  return [
    heading(table, rows),
    ...cells.map(([name, type, facts]) =>
      `  ${padded(name ?? '', names)}  ${padded(type ?? '', types)}  ${facts ?? ''}`.trimEnd(),
    ),
    ...table.indexes.filter(({ origin }) => origin !== 'pk').map((index) => `  ${indexText(index)}`),
  ];
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * A schema for a person: each table with its columns, keys and indexes, then what is broken. Shadow tables, which belong
 * to virtual ones, are only named.
 * @param rows number of rows by table name, as far as they were counted
 */
export function renderSchemaTree(catalog: Catalog, rows: ReadonlyMap<string, number>): string {
  const shown = catalog.tables.filter(({ type }) => type !== 'shadow');
  const shadows = catalog.tables.filter(({ type }) => type === 'shadow').map(({ name }) => printable(name));
  const views = shown.filter(({ type }) => type === 'view').length;
  const blocks = [
    [`${counted(shown.length - views, 'table')}, ${counted(views, 'view')}`],
    ...shown.map((table) => renderTableTree(table, rows.get(table.name))),
    shadows.length > 0 ? [`Shadow tables of virtual ones: ${shadows.join(', ')}`] : [],
    catalog.problems.length > 0 ? ['Broken:', ...catalog.problems.map((problem) => `  ${printable(problem)}`)] : [],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
