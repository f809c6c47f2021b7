import { quoteIdentifier } from '../../schema/identifiers.ts';
import type { Range } from '../../sql/ast/query.ts';
import { textOf } from '../../sql/ast/source.ts';
import type { Source } from '../../sql/scope/scope.ts';
import { foldName, tokensOf } from '../../sql/tokens.ts';
import { hybridNames, type Instance } from './instances.ts';
import type { Piece, Pieces } from './pieces.ts';
import { rewrite, type Side } from './side.ts';

/** A query as parts of which each may be the prediction's or the gold's. */
export interface Assembly {
  /** The FROM items where they are a plain list; else whose FROM clause is taken as it is. */
  readonly from: ReadonlySet<Instance> | 'gold' | 'pred';
  readonly conditions: readonly Piece[];
  readonly items: readonly Piece[];
  readonly distinct: boolean;
  readonly group: readonly Piece[] | null;
  readonly having: readonly Piece[];
  readonly order: readonly Piece[] | null;
  readonly limit: string | null;
}

/** What an assembly is written with. */
export interface AssemblyContext {
  readonly gold: Side;
  readonly pred: Side;
  readonly instances: readonly Instance[];
}

/** One side as it is. */
export function assemblyOf(pieces: Pieces, instances: readonly Instance[]): Assembly {
  const { side } = pieces;
  return {
    from: pieces.flat ? new Set(instances.filter((instance) => instance[side.name] !== null)) : side.name,
    conditions: pieces.conditions,
    items: pieces.items,
    distinct: side.block.distinct?.kind === 'DISTINCT',
    group: pieces.group,
    having: pieces.having,
    order: pieces.order,
    limit: pieces.limit,
  };
}

/** The query of an assembly; null where a part of it names a table that is not in it. */
export function assemblySql(assembly: Assembly, context: AssemblyContext): string | null {
  const { from } = assembly;
  const present = typeof from === 'string' ? context.instances.filter((one) => one[from] !== null) : [...from];
  const instances = typeof from === 'string' ? aliased(present, from) : present;
  const render = (piece: Piece) => piece.render(hybridNames(new Set(instances), piece.side.name));
  const list = (pieces: readonly Piece[], separator: string) => {
    const texts = pieces.map(render);
    return texts.includes(null) ? null : texts.join(separator);
  };
  const clauses = [
    withText(context),
    assembly.distinct ? 'SELECT DISTINCT' : 'SELECT',
    list(assembly.items, ', '),
    fromText(assembly, context, instances),
    clause('WHERE', list(assembly.conditions.map(parenthesised), ' AND '), assembly.conditions.length),
    clause('GROUP BY', list(assembly.group ?? [], ', '), assembly.group?.length ?? 0),
    clause('HAVING', list(assembly.having.map(parenthesised), ' AND '), assembly.having.length),
    clause('ORDER BY', list(assembly.order ?? [], ', '), assembly.order?.length ?? 0),
    assembly.limit ?? '',
  ];
  return clauses.includes(null) ? null : clauses.filter((text) => text !== '').join(' ');
}

function clause(word: string, text: string | null, count: number): string | null {
  return count === 0 ? '' : text === null ? null : `${word} ${text}`;
}

function parenthesised(piece: Piece): Piece {
  return {
    ...piece,
    render: (name) => {
      const sql = piece.render(name);
      return sql === null ? null : `(${sql})`;
    },
  };
}

/** The items of a FROM that is taken as it is keep its own aliases. */
function aliased(instances: readonly Instance[], side: Side['name']): Instance[] {
  return instances.map((instance) => ({
    ...instance,
    alias: quoteIdentifier(instance[side]?.alias ?? instance.alias),
  }));
}

/** The common table expressions of both sides; null where one name means two things. */
function withText({ gold, pred }: AssemblyContext): string | null {
  const known = new Map<string, string>();
  for (const { sql, query } of [pred, gold])
    for (const item of query.with?.items ?? []) {
      const name = foldName(item.name.text);
      const text = textOf(sql, item.range);
      if (known.has(name) && known.get(name) !== text) return null;
      known.set(name, text);
    }
  const recursive = pred.query.with?.recursive || gold.query.with?.recursive ? 'RECURSIVE ' : '';
  return known.size === 0 ? '' : `WITH ${recursive}${[...known.values()].join(', ')}`;
}

function fromText({ from }: Assembly, { gold, pred }: AssemblyContext, instances: readonly Instance[]): string | null {
  if (typeof from === 'string') {
    const side = from === 'gold' ? gold : pred;
    const range = side.block.from?.range;
    if (range === undefined) return '';
    return rewrite(side, range, (source, column) => `${quoteIdentifier(source.alias)}.${quoteIdentifier(column)}`);
  }
  if (instances.length === 0) return '';
  return `FROM ${instances.map((instance) => itemText(instance, gold, pred)).join(', ')}`;
}

function itemText({ gold: goldSource, pred: predSource, alias }: Instance, gold: Side, pred: Side): string {
  const source = predSource ?? goldSource;
  const side = predSource === null ? gold : pred;
  return source === null ? '' : `${bareItem(source, side.sql)} AS ${alias}`;
}

/** A FROM item without its alias. */
function bareItem({ item }: Source, sql: string): string {
  if (item.kind === 'table')
    return [item.schema, item.name].flatMap((name) => (name === null ? [] : [textOf(sql, name.range)])).join('.');
  if (item.kind === 'subquery') return `(${textOf(sql, item.query.range)})`;
  return textOf(sql, item.range);
}

/** `LIMIT …` in a form that is the same for the same numbers. */
export function limitForm(limit: string | null): string {
  return limit === null
    ? ''
    : tokensOf(limit)
        .map(({ text }) => text.toLowerCase())
        .join(' ');
}

/** The text of a place. */
export function pieceText({ side, range }: { readonly side: Side; readonly range: Range }): string {
  return textOf(side.sql, range).replace(/\s+/g, ' ');
}
