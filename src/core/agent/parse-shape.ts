import type { ExpectedRows, ExpectedShape, ShapeKind } from '../../protocol/ask.ts';
import type { LooseJson } from './lenient-json.ts';

/** More columns than this are no statement of a shape. */
const MAX_COLUMNS = 100;
const MAX_WORDS = 80;

const KINDS: Record<string, ShapeKind> = {
  count: 'count',
  int: 'count',
  integer: 'count',
  whole: 'count',
  number: 'number',
  numeric: 'number',
  real: 'number',
  float: 'number',
  decimal: 'number',
  double: 'number',
  percentage: 'number',
  text: 'text',
  string: 'text',
  varchar: 'text',
  name: 'text',
  date: 'date',
  datetime: 'date',
  time: 'date',
  timestamp: 'date',
  year: 'date',
  boolean: 'boolean',
  bool: 'boolean',
};

/** The kind that a model's word stands for; `any` for words it made up. */
function kindOf(word: LooseJson | undefined): ShapeKind {
  if (typeof word !== 'string') return 'any';
  const first = /[a-z]+/.exec(word.toLowerCase())?.[0] ?? '';
  return (Object.hasOwn(KINDS, first) ? KINDS[first] : undefined) ?? 'any';
}

function exactly(count: number): ExpectedRows {
  if (!Number.isInteger(count) || count < 0) return { kind: 'any' };
  return count === 1 ? { kind: 'one' } : { kind: 'exactly', n: count };
}

function rowsFromWords(words: string): ExpectedRows {
  const text = words.trim().toLowerCase();
  const most = /(?:at most|up to|no more than|max(?:imum)?(?: of)?|<=)\s*(\d+)/.exec(text)?.[1];
  if (most !== undefined) return { kind: 'at_most', n: Number(most) };
  const per = /(?:\bper|\bfor each|\bfor every|\beach|^one_per)[\s:_]+(.+)$/.exec(text)?.[1];
  if (per !== undefined) return { kind: 'one_per', of: per.slice(0, MAX_WORDS) };
  if (/^(?:exactly )?(?:one|single|a single|1)(?: row)?$/.test(text)) return { kind: 'one' };
  const count = /^(?:exactly\s*)?(\d+)(?: rows?)?$/.exec(text)?.[1];
  return count === undefined ? { kind: 'any' } : exactly(Number(count));
}

function rowsFrom(said: LooseJson | undefined): ExpectedRows {
  if (typeof said === 'number') return exactly(said);
  if (typeof said === 'string') return rowsFromWords(said);
  if (said === undefined || said === null || typeof said !== 'object' || Array.isArray(said)) return { kind: 'any' };
  const { kind, n, of } = said;
  if (kind === 'at_most' && typeof n === 'number') return { kind: 'at_most', n };
  if (kind === 'exactly' && typeof n === 'number') return exactly(n);
  if (kind === 'one_per' && typeof of === 'string') return { kind: 'one_per', of: of.slice(0, MAX_WORDS) };
  return kind === 'one' ? { kind: 'one' } : { kind: 'any' };
}

type Columns = NonNullable<ExpectedShape['columns']>;

function columnFrom(said: LooseJson): Columns[number] {
  if (typeof said === 'string') {
    const [name = '', kind] = said.split(/\s*[:(]\s*/);
    return { name: name.slice(0, MAX_WORDS) || null, kind: kindOf(kind) };
  }
  if (said === null || typeof said !== 'object' || Array.isArray(said)) return { name: null, kind: 'any' };
  const { name } = said;
  return {
    name: typeof name === 'string' ? name.slice(0, MAX_WORDS) : null,
    kind: kindOf(said['kind'] ?? said['type']),
  };
}

function columnsFrom(said: LooseJson | undefined): ExpectedShape['columns'] {
  if (typeof said === 'number' && Number.isInteger(said) && said > 0 && said <= MAX_COLUMNS)
    return Array.from({ length: said }, () => ({ name: null, kind: 'any' as const }));
  if (!Array.isArray(said) || said.length === 0 || said.length > MAX_COLUMNS) return null;
  return said.map(columnFrom);
}

/**
 * The shape that a model states in an action, from the forms it was told and those that models make of them.
 *
 * @returns null where it says nothing of rows and columns
 */
export function parseShape(said: LooseJson | undefined): ExpectedShape | null {
  if (said === undefined || said === null) return null;
  const given = typeof said === 'object' && !Array.isArray(said) ? said : { rows: said, columns: null };
  const rows = rowsFrom(given['rows']);
  const columns = columnsFrom(given['columns']);
  return rows.kind === 'any' && columns === null ? null : { source: 'model', rows, columns };
}
