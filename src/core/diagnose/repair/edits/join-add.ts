import type { Table } from '../../../../protocol/catalog.ts';
import { plainIdentifier } from '../../../schema/identifiers.ts';
import { rangeOf } from '../../../sql/ast/build-expression.ts';
import { endOf } from '../../../sql/ast/source.ts';
import { columnNamesIn } from '../../../sql/ast/walk.ts';
import { tableOf } from '../../../sql/scope/resolve.ts';
import type { Source } from '../../../sql/scope/scope.ts';
import { tableNamed } from '../../../sql/scope/sources.ts';
import { foldName } from '../../../sql/tokens.ts';
import { type Change, change, type Move, RANKS } from '../change.ts';
import { columnsDelta, type Place, type RepairContext } from '../context.ts';
import { fromFeature, slotFeature } from '../features.ts';
import { binaryForm, columnForm, formOf, operatorWord, wordOf, wordsOf } from '../forms.ts';
import { type Link, linksOf } from '../links.ts';
import { bareUses, renamed } from './references.ts';

/** A join added along a foreign key, alone or with one column of its table put to use. */
export function joinAdditions(context: RepairContext): Move[] {
  return context.places.flatMap((place) =>
    place.scope.sources.flatMap((source) => {
      const table = tableOf(source.relation);
      if (table === null || source.alias === '') return [];
      return linksOf(context, table).flatMap((link) => addition(source, link, place, context));
    }),
  );
}

function addition(source: Source, link: Link, place: Place, context: RepairContext): Move[] {
  const { block } = place;
  const table = tableNamed(context.catalog, link.otherTable);
  if (block.from === null || table === null) return [];
  const alias = freeAlias(link.otherTable, place);
  const name = plainIdentifier(alias);
  const named = alias === link.otherTable ? name : `${plainIdentifier(link.otherTable)} AS ${name}`;
  const own = `${plainIdentifier(source.alias)}.${plainIdentifier(link.column)}`;
  const [ownForm, otherForm] = [
    columnForm(tableOf(source.relation), link.column),
    columnForm(link.otherTable, link.otherColumn),
  ];
  const join = change({
    kind: 'join',
    range: { offset: endOf(block.from.range), length: 0 },
    after: ` JOIN ${named} ON ${name}.${plainIdentifier(link.otherColumn)} = ${own}`,
    rank: RANKS.join,
    gains: [
      fromFeature(link.otherTable),
      slotFeature('on', binaryForm('Equals', ownForm, otherForm)),
      operatorWord('Equals'),
      wordOf(ownForm),
      wordOf(otherForm),
    ],
  });
  const changes = [join, ...qualified(table, place, context)];
  const prior = link.declared ? 3 : 5;
  const used = columnsInUse(table, name, place, context);
  return [
    { changes, prior },
    ...used.map(({ made, instead }) => ({
      // A name that is replaced need not be told apart any more.
      changes: [...changes.filter(({ range }) => range.offset !== instead), made],
      prior: prior + 1,
    })),
  ];
}

function freeAlias(table: string, { scope }: Place): string {
  const taken = new Set(scope.sources.map(({ alias }) => foldName(alias)));
  if (!taken.has(foldName(table))) return table;
  let count = 2;
  while (taken.has(foldName(`${table}_${count}`))) count++;
  return `${table}_${count}`;
}

/** Bare names that the new table has too must say which table they mean. */
function qualified(table: Table, place: Place, { names }: RepairContext): Change[] {
  const added = new Set(table.columns.map(({ name }) => foldName(name)));
  return bareUses(place, names)
    .filter(({ use }) => added.has(foldName(use.column)))
    .map(({ use, source }) =>
      renamed(use.node, `${plainIdentifier(source.alias)}.${plainIdentifier(use.column)}`, place),
    );
}

/** Columns of the new table that the gold has and the prediction has not: in place of another, or in a condition. */
function columnsInUse(
  table: Table,
  alias: string,
  place: Place,
  context: RepairContext,
): { made: Change; instead: number | null }[] {
  const { gold, names } = context;
  const columns = table.columns
    .map(({ name }) => ({ text: `${alias}.${plainIdentifier(name)}`, form: columnForm(table.name, name) }))
    .filter(({ form }) => gold.has.has(wordOf(form)));
  return columns.flatMap((column) => [
    ...replacements(column, place, context),
    ...conditions(column, place, context, names),
  ]);
}

interface NewColumn {
  text: string;
  form: string;
}

function replacements(column: NewColumn, place: Place, { names }: RepairContext) {
  return place.slots
    .filter(({ area }) => area !== 'on')
    .flatMap(({ expression }) => columnNamesIn(expression.node))
    .filter((node) => formOf(node, names) !== column.form)
    .map((node) => ({
      made: {
        ...renamed(node, column.text, place),
        ...columnsDelta(place.slots, new Map([[node, column.form]]), names),
      },
      instead: rangeOf(node).offset,
    }));
}

function conditions(
  column: NewColumn,
  { block, slots }: Place,
  { gold }: RepairContext,
  names: RepairContext['names'],
) {
  const { where, from } = block;
  if (from === null) return [];
  if (where?.expression.node.type === 'BinaryExpr' && where.expression.node.op === 'Or') return [];
  const used = new Set(slots.flatMap(({ expression }) => wordsOf(expression.node, names)));
  return gold.literals
    .filter(({ text }) => !used.has(wordOf(text)))
    .map(({ text }) => ({
      made: change({
        kind: 'conjunct',
        range: { offset: endOf((where ?? from).range), length: 0 },
        after: `${where === null ? ' WHERE ' : ' AND '}${column.text} = ${text}`,
        rank: RANKS.where,
        gains: [
          slotFeature('where', binaryForm('Equals', column.form, text)),
          operatorWord('Equals'),
          wordOf(column.form),
          wordOf(text),
        ],
      }),
      instead: null,
    }));
}
