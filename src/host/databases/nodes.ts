import type * as vscode from 'vscode';
import type { Catalog, Column, ForeignKey, Table } from '../../protocol/catalog.ts';

/** One line of the Databases view. `uri` is the database that it belongs to. */
export type DatabaseNode =
  | { kind: 'database'; uri: vscode.Uri }
  | { kind: 'table'; uri: vscode.Uri; table: Table }
  | { kind: 'column'; uri: vscode.Uri; table: Table; column: Column }
  | { kind: 'problem'; uri: vscode.Uri; message: string };

/** What stands below a database: tables as the schema has them, those that only serve a virtual table last. */
export function tableNodes(uri: vscode.Uri, catalog: Catalog): DatabaseNode[] {
  const shown = catalog.tables.filter(({ type }) => type !== 'shadow');
  const shadow = catalog.tables.filter(({ type }) => type === 'shadow');
  return [...shown, ...shadow].map((table) => ({ kind: 'table', uri, table }));
}

/** What stands below a table: its columns, or why they cannot be read. */
export function columnNodes(uri: vscode.Uri, table: Table): DatabaseNode[] {
  if (table.problem !== null) return [{ kind: 'problem', uri, message: table.problem }];
  return table.columns.map((column) => ({ kind: 'column', uri, table, column }));
}

/** How a line looks. */
export interface NodeLook {
  label: string;
  description: string;
  /** Name of a codicon (https://microsoft.github.io/vscode-codicons/dist/codicon.html). */
  icon: string;
  tooltip: string;
}

const TABLE_ICONS: Record<Table['type'], string> = {
  table: 'table',
  view: 'eye',
  virtual: 'symbol-interface',
  shadow: 'circle-outline',
};

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The look of a table, view or virtual table. */
export function tableLook(table: Table): NodeLook {
  const kind = table.type === 'table' ? '' : `${table.type} · `;
  const size = table.problem === null ? plural(table.columns.length, 'column') : 'broken';
  return {
    label: table.name,
    description: `${kind}${size}`,
    icon: table.problem === null ? TABLE_ICONS[table.type] : 'warning',
    tooltip: table.problem ?? table.sql ?? table.name,
  };
}

function targetOf(key: ForeignKey): string {
  const to = key.target ? `${key.target.toTable}.${key.target.toColumn}` : key.toTable;
  return key.problem === null ? `→ ${to}` : `→ ${to} (${key.problem})`;
}

/** The look of a column: its type, and whether it is a key or points somewhere. */
export function columnLook(table: Table, column: Column): NodeLook {
  const keys = table.foreignKeys.filter((key) => key.from.toLowerCase() === column.name.toLowerCase());
  const marks = [column.declared, column.generated ? 'generated' : '', ...keys.map(targetOf)].filter(
    (mark) => mark !== '',
  );
  const facts = [column.notNull ? 'not null' : '', column.primaryKey > 0 ? 'primary key' : '', column.meaning ?? ''];
  return {
    label: column.name,
    description: marks.join(' '),
    icon: column.primaryKey > 0 ? 'key' : keys.length > 0 ? 'references' : 'symbol-field',
    tooltip: [`${column.name} ${column.declared}`.trim(), ...facts.filter((fact) => fact !== '')].join('\n'),
  };
}
