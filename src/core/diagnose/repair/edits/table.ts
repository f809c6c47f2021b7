import type { Table } from '../../../../protocol/catalog.ts';
import { plainIdentifier } from '../../../schema/identifiers.ts';
import type { Expr, TableItem } from '../../../sql/ast/query.ts';
import type { Source } from '../../../sql/scope/scope.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Change, change, type Move } from '../change.ts';
import { columnsDelta, type Place, type RepairContext } from '../context.ts';
import { fromFeature } from '../features.ts';
import { columnForm, wordOf } from '../forms.ts';
import { renamed, type Use, usesOf } from './references.ts';

/** Columns that may stand for one that the other table lacks. */
const MOST_OPTIONS = 4;

/** Another table for one in FROM; where it lacks a column that is used, another of its columns stands for it. */
export function tableMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) =>
    place.scope.sources.flatMap((source) => {
      const { item, relation } = source;
      if (item.kind !== 'table' || relation.kind !== 'table') return [];
      return context.catalog.tables
        .filter((table) => table !== relation.table && (table.type === 'table' || table.type === 'view'))
        .flatMap((table) => swaps(source, item, table, place, context));
    }),
  );
}

function swaps(source: Source, item: TableItem, table: Table, place: Place, context: RepairContext): Move[] {
  const uses = usesOf(source, context.names);
  const has = new Set(table.columns.map(({ name }) => foldName(name)));
  const lacking = uses.filter(({ column }) => !has.has(foldName(column)));
  // One column of another name, wherever it is used.
  if (new Set(lacking.map(({ column }) => foldName(column))).size > 1 || lacking.length > 2) return [];
  const options = lacking.length === 0 ? [null] : optionsIn(table, context);
  return options.map((option) => swap(item, table, uses, lacking, option, place, context));
}

/** Columns of a table that the gold names, then its keys. */
function optionsIn(table: Table, { gold }: RepairContext): string[] {
  const keys = new Set(table.foreignKeys.flatMap(({ target }) => (target === null ? [] : [target.column])));
  const rank = ({ name, primaryKey }: Table['columns'][number]) => {
    if (gold.has.has(wordOf(columnForm(table.name, name)))) return 0;
    return primaryKey > 0 || keys.has(name) ? 1 : 2;
  };
  return table.columns
    .filter((column) => rank(column) < 2)
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST_OPTIONS)
    .map(({ name }) => name);
}

/** Whether the other table must go by the name of the one it replaces: columns are named by it, or its own is taken. */
function needsOldName({ name }: TableItem, table: Table, uses: readonly Use[], { block, scope }: Place): boolean {
  return (
    uses.some(({ node }) => node.type !== 'Id') ||
    block.items.some((item) => item.kind === 'star' && item.table !== null && isSame(item.table.text, name.text)) ||
    scope.sources.some(({ alias }) => isSame(alias, table.name))
  );
}

function isSame(one: string, other: string): boolean {
  return foldName(one) === foldName(other);
}

function swap(
  item: TableItem,
  table: Table,
  uses: readonly Use[],
  lacking: readonly Use[],
  option: string | null,
  place: Place,
  { names }: RepairContext,
): Move {
  const written = plainIdentifier(table.name);
  const isNamed = item.alias === null && needsOldName(item, table, uses, place);
  const instead = new Map<Expr, string>(
    uses.map((use) => [use.node, columnForm(table.name, lacking.includes(use) ? (option ?? '') : use.column)]),
  );
  const { drops, gains } = columnsDelta(place.slots, instead, names);
  const made = change({
    kind: 'join',
    range: item.name.range,
    after: isNamed ? `${written} AS ${plainIdentifier(item.name.text)}` : written,
    drops: [...drops, fromFeature(item.name.text)],
    gains: [...gains, fromFeature(table.name)],
  });
  const others: Change[] = lacking.map(({ node }) => {
    const prefix = node.type === 'QualifiedExpr' ? `${plainIdentifier(node.table.text)}.` : '';
    return renamed(node, prefix + plainIdentifier(option ?? ''), place);
  });
  return { changes: [made, ...others], prior: lacking.length === 0 ? 4 : 6 };
}
