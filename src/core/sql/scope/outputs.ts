import type { Block, SelectItem } from '../ast/query.ts';
import { textOf } from '../ast/source.ts';
import { withoutParentheses } from '../ast/walk.ts';
import { foldName } from '../tokens.ts';
import type { OutputColumn, Resolution, Source } from './scope.ts';
import { starOf } from './sources.ts';

type ExpressionItem = Extract<SelectItem, { kind: 'expression' }>;

/** The result columns of a block, stars spelled out; null where the columns of a star are not known. */
export function outputsOf(
  block: Block,
  sources: readonly Source[],
  nameOf: (item: ExpressionItem) => string,
): OutputColumn[] | null {
  const outputs = block.items.map((item) =>
    item.kind === 'expression' ? [{ name: nameOf(item), item, star: null }] : starOutputs(item, sources),
  );
  return outputs.every((list) => list !== null) ? outputs.flat() : null;
}

function starOutputs(item: Exclude<SelectItem, ExpressionItem>, sources: readonly Source[]): OutputColumn[] | null {
  const table = item.table === null ? null : foldName(item.table.text);
  const asked = table === null ? sources : sources.filter(({ alias }) => foldName(alias) === table);
  if (asked.length === 0 || asked.some(({ columns }) => columns === null)) return null;
  const columns =
    table === null
      ? starOf(asked)
      : asked.flatMap((source) => (source.columns ?? []).map((column) => ({ source, column })));
  return columns.map((star) => ({ name: star.column, item, star }));
}

/** As SQLite names a result column: alias, column, else the expression's text. */
export function nameOf(
  { alias, expression }: ExpressionItem,
  sql: string,
  resolution: Pick<Resolution, 'reference'>,
): string {
  if (alias !== null) return alias.text;
  const node = withoutParentheses(expression.node);
  if (node.type === 'Id' || node.type === 'QualifiedExpr') {
    const meaning = resolution.reference(node);
    if (meaning.kind === 'column') return meaning.column;
  }
  return textOf(sql, expression.range);
}

/** SQLite tells columns of one name apart by a number behind the later ones. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 1; taken.has(foldName(unique)); count++) unique = `${name}:${count}`;
    taken.add(foldName(unique));
    return unique;
  });
}

/** Index of the result column with that alias, or null. */
export function indexOfAlias(outputs: readonly OutputColumn[], name: string): number | null {
  const key = foldName(name);
  const index = outputs.findIndex(
    ({ item }) => item.kind === 'expression' && item.alias !== null && foldName(item.alias.text) === key,
  );
  return index < 0 ? null : index;
}

/** Index of the first result column of that name, or null. */
export function indexOfName(outputs: readonly OutputColumn[], name: string): number | null {
  const key = foldName(name);
  const index = outputs.findIndex((output) => foldName(output.name) === key);
  return index < 0 ? null : index;
}
