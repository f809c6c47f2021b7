import type { Catalog, Column, ForeignKey, Table } from '../../src/protocol/catalog.ts';
import { countInWords } from '../shared/format.ts';

/** A mark behind a name. */
export interface Badge {
  kind: 'key' | 'link' | 'word' | 'problem';
  text: string;
  /** Said in full: as a tooltip and to screen readers. */
  title: string;
}

/** One line of the schema tree. */
export interface TreeNode {
  id: string;
  kind: 'group' | 'table' | 'view' | 'virtual' | 'shadow' | 'column' | 'problem';
  label: string;
  /** Dim text behind the label: a type, a count. */
  detail: string;
  /** The same for screen readers. */
  said: string;
  badges: Badge[];
  /** From 1. */
  level: number;
  /** null: has nothing below it. */
  expanded: boolean | null;
  /** The table that the line belongs to; null for groups and problems of the whole schema. */
  table: string | null;
  position: number;
  siblings: number;
}

type Draft = Omit<TreeNode, 'position' | 'siblings'>;

const GROUPS: readonly { type: Table['type']; label: string; open: boolean }[] = [
  { type: 'table', label: 'Tables', open: true },
  { type: 'view', label: 'Views', open: true },
  { type: 'virtual', label: 'Virtual tables', open: true },
  { type: 'shadow', label: 'Shadow tables', open: false },
];

function numbered(nodes: readonly Draft[]): TreeNode[] {
  return nodes.map((node, index) => ({ ...node, position: index + 1, siblings: nodes.length }));
}

function linkBadge({ target, toTable, toColumn, problem }: ForeignKey): Badge {
  if (target !== null) {
    const to = `${target.toTable}.${target.toColumn}`;
    return { kind: 'link', text: to, title: `foreign key to ${to}` };
  }
  const to = toColumn === null ? toTable : `${toTable}.${toColumn}`;
  return { kind: 'problem', text: to, title: problem ?? `foreign key to ${to}, which does not exist` };
}

/** The marks of a column, the weightiest first. */
export function columnBadges(column: Column, table: Table): Badge[] {
  const badges: Badge[] = [];
  if (column.primaryKey > 0) {
    const several = table.columns.filter(({ primaryKey }) => primaryKey > 0).length > 1;
    const title = several ? `part ${column.primaryKey} of the primary key` : 'primary key';
    badges.push({ kind: 'key', text: several ? String(column.primaryKey) : '', title });
  }
  const own = column.name.toLowerCase();
  badges.push(...table.foreignKeys.filter(({ from }) => from.toLowerCase() === own).map(linkBadge));
  if (column.generated !== null)
    badges.push({ kind: 'word', text: 'generated', title: `generated column, ${column.generated}` });
  if (column.hidden) badges.push({ kind: 'word', text: 'hidden', title: 'hidden column of a virtual table' });
  if (column.notNull) badges.push({ kind: 'word', text: 'not null', title: 'not null' });
  return badges;
}

function columnNode(column: Column, table: Table): Draft {
  return {
    id: `column ${table.name} ${column.name}`,
    kind: 'column',
    label: column.name,
    detail: column.declared,
    said: column.declared,
    badges: columnBadges(column, table),
    level: 3,
    expanded: null,
    table: table.name,
  };
}

function problemNode(text: string, level: number, table: string | null): Draft {
  const id = `problem ${table ?? ''} ${text}`;
  return { id, kind: 'problem', label: text, detail: '', said: '', badges: [], level, expanded: null, table };
}

function tableNode(table: Table, expanded: boolean): Draft {
  const broken = table.foreignKeys.filter(({ problem }) => problem !== null).length;
  const badges: Badge[] = [];
  if (table.problem !== null) badges.push({ kind: 'problem', text: '', title: table.problem });
  else if (broken > 0) badges.push({ kind: 'problem', text: '', title: `${broken} of its foreign keys point nowhere` });
  return {
    id: `table ${table.name}`,
    kind: table.type,
    label: table.name,
    detail: table.problem === null ? String(table.columns.length) : '',
    said: table.problem === null ? countInWords(table.columns.length, 'column') : '',
    badges,
    level: 2,
    expanded,
    table: table.name,
  };
}

/** True where the table, or a column of it, has the words of the filter in its name. */
function matches(table: Table, filter: string): boolean {
  if (filter === '') return true;
  if (table.name.toLowerCase().includes(filter)) return true;
  return table.columns.some(({ name }) => name.toLowerCase().includes(filter));
}

function tableNodes(table: Table, toggled: ReadonlySet<string>, filter: string): TreeNode[] {
  const byColumn = filter !== '' && !table.name.toLowerCase().includes(filter);
  const expanded = toggled.has(`table ${table.name}`) !== byColumn;
  const columns = byColumn ? table.columns.filter(({ name }) => name.toLowerCase().includes(filter)) : table.columns;
  const below = [
    ...(table.problem === null ? [] : [problemNode(table.problem, 3, table.name)]),
    ...columns.map((column) => columnNode(column, table)),
  ];
  const [node] = numbered([tableNode(table, expanded)]);
  return node === undefined ? [] : [node, ...(expanded ? numbered(below) : [])];
}

/**
 * The lines of the tree from top to bottom.
 * @param toggled ids of nodes that are not as they are at first: groups are open (but the one of shadow tables), tables closed
 * @param filter words to find in names of tables and columns
 */
export function treeNodes(catalog: Catalog, toggled: ReadonlySet<string>, filter: string): TreeNode[] {
  const words = filter.trim().toLowerCase();
  const groups = GROUPS.map((group) => ({
    ...group,
    tables: catalog.tables.filter((table) => table.type === group.type && matches(table, words)),
  })).filter(({ tables }) => tables.length > 0);
  const problems = words === '' && catalog.problems.length > 0 ? 1 : 0;
  const siblings = groups.length + problems;
  const nodes = groups.flatMap(({ label, open, tables }, index): TreeNode[] => {
    const id = `group ${label}`;
    const expanded = words !== '' || toggled.has(id) !== open;
    const group: Draft = {
      id,
      kind: 'group',
      label,
      detail: String(tables.length),
      said: String(tables.length),
      badges: [],
      level: 1,
      expanded,
      table: null,
    };
    const below = tables.flatMap((table, at) =>
      tableNodes(table, toggled, words).map((node) =>
        node.level === 2 ? { ...node, position: at + 1, siblings: tables.length } : node,
      ),
    );
    return [{ ...group, position: index + 1, siblings }, ...(expanded ? below : [])];
  });
  return problems === 0 ? nodes : [...nodes, ...problemNodes(catalog.problems, toggled, siblings)];
}

function problemNodes(problems: readonly string[], toggled: ReadonlySet<string>, siblings: number): TreeNode[] {
  const id = 'group Problems';
  const expanded = !toggled.has(id);
  const detail = String(problems.length);
  const rest = { detail, said: detail, badges: [], level: 1, expanded, table: null };
  const group: Draft = { id, kind: 'group', label: 'Problems', ...rest };
  const below = expanded ? numbered(problems.map((text) => problemNode(text, 2, null))) : [];
  return [{ ...group, position: siblings, siblings }, ...below];
}

/** The table that is shown first: the first one with rows to show. */
export function firstTable(catalog: Catalog): string | null {
  const whole = catalog.tables.filter(({ problem }) => problem === null);
  const first = whole.find(({ type }) => type === 'table') ?? whole.find(({ type }) => type !== 'shadow') ?? whole[0];
  return first?.name ?? catalog.tables[0]?.name ?? null;
}
