import { textOf } from '../ast/source.ts';
import type { ColumnName } from '../ast/walk.ts';
import { foldName } from '../tokens.ts';
import type { BlockScope, Reference, Source } from './scope.ts';
import { columnOf, isRowidName } from './sources.ts';

/** A block that a name may refer to; whether the aliases of its items may be used where the name stands. */
export interface Level {
  readonly scope: BlockScope;
  readonly aliases: boolean;
}

/**
 * What a column name means: block by block from the inside out, columns before aliases (`lookupName` of SQLite's
 * resolve.c). @param levels the blocks around the name, the innermost first
 */
export function lookUp(node: ColumnName, sql: string, levels: readonly Level[]): Reference {
  const table = node.type === 'QualifiedExpr' ? node.table.text : null;
  const name = node.type === 'QualifiedExpr' ? node.column.text : node.name;
  for (const [depth, { scope, aliases }] of levels.entries()) {
    const column = inSources(scope, depth, table, name);
    if (column !== null) return column;
    const output = table === null && aliases ? aliasNamed(scope, name) : undefined;
    if (output !== undefined) return { kind: 'alias', scope, depth, output };
  }
  if (node.type === 'QualifiedExpr') return { kind: 'unknown' };
  const word = textOf(sql, node.span);
  if (/^(true|false)$/i.test(word)) return { kind: 'boolean', value: word.toLowerCase() === 'true' };
  return word.startsWith('"') ? { kind: 'text', text: name } : { kind: 'unknown' };
}

function inSources(scope: BlockScope, depth: number, table: string | null, name: string): Reference | null {
  const key = foldName(name);
  const asked =
    table === null ? scope.sources : scope.sources.filter(({ alias }) => foldName(alias) === foldName(table));
  const found: { source: Source; column: string }[] = [];
  for (const source of asked) {
    const column = columnOf(source, name);
    // The rowid of a table can be named without it only where no other table has one.
    if (column !== null) found.push({ source, column });
  }
  const first = found[0] ?? unknownColumn(asked, table, name);
  if (first === null) return null;
  const own = found.filter(({ source }) => table !== null || !source.merged.has(key));
  if (own.length > 1) {
    if (isRowidName(name) || own.some(({ source }) => source.alias !== first.source.alias))
      return { kind: 'ambiguous', sources: own.map(({ source }) => source) };
  }
  const sources = table === null && found.length > 1 ? found.map(({ source }) => source) : [first.source];
  return { kind: 'column', scope, depth, source: first.source, column: first.column, sources };
}

/** A name that no source is known to have belongs to the one source whose columns are unknown. */
function unknownColumn(
  sources: readonly Source[],
  table: string | null,
  name: string,
): { source: Source; column: string } | null {
  const unknown = sources.filter(({ columns }) => columns === null);
  const [source] = unknown;
  const sure = source !== undefined && unknown.length === 1 && (table !== null || sources.length === 1);
  return sure ? { source, column: name } : null;
}

function aliasNamed(scope: BlockScope, name: string) {
  const key = foldName(name);
  return scope.outputs?.find(
    ({ item }) => item.kind === 'expression' && item.alias !== null && foldName(item.alias.text) === key,
  );
}
